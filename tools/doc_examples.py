#!/usr/bin/env python3
"""Keeps the examples of docs/explain.md and docs/course up to date: runs each `$ drywarp ...` in them and compares the text
below it with what the command prints. A command may be a pipe.

    tools/doc_examples.py PATH/TO/drywarp [PAGE...]           writes the outputs into the pages
    tools/doc_examples.py PATH/TO/drywarp --check [PAGE...]   exit code 1 and the first difference if an output differs
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = re.compile(r"^```\n\$ (drywarp [^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def output_of(command, program, folder):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PATH": f"{program.parent}:{os.environ['PATH']}"}
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment, cwd=folder)
    if run.returncode != 0 or not run.stdout:
        sys.exit(f"{command}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    # Markdown has no trailing spaces.
    return "".join(line.rstrip() + "\n" for line in run.stdout.splitlines())


def update(page, program, check):
    # A page's commands run in one folder, where `examples` lies: files that they write are there for the next one.
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "examples", os.path.join(folder, "examples"))
        return update_in(page, program, check, folder)


def update_in(page, program, check, folder):
    def fresh(match):
        printed = output_of(match.group(1), program, folder)
        if check and printed != match.group(2):
            sys.exit(f"{page.relative_to(ROOT)}: `{match.group(1)}` prints something else:\n{printed}"
                     "tools/doc_examples.py PATH/TO/drywarp writes it")
        return f"```\n$ {match.group(1)}\n{printed}```"

    text, examples = EXAMPLE.subn(fresh, page.read_text(encoding="utf-8"))
    if examples == 0:
        sys.exit(f"{page.relative_to(ROOT)} has no examples")
    if not check:
        page.write_text(text, encoding="utf-8")
    return examples


def main():
    program, words = Path(sys.argv[1]).resolve(), sys.argv[2:]
    check = "--check" in words
    pages = [Path(word).resolve() for word in words if word != "--check"]
    pages = pages or [ROOT / "docs" / "explain.md", *sorted((ROOT / "docs" / "course").glob("[0-9]*.md"))]
    examples = sum(update(page, program, check) for page in pages)
    print(f"{examples} examples on {len(pages)} pages")


if __name__ == "__main__":
    main()
