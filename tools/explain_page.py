#!/usr/bin/env python3
"""Keeps docs/explain.md up to date: runs each `$ drywarp explain ...` on it and compares the text below with the output.

    tools/explain_page.py PATH/TO/drywarp           writes the outputs into the page
    tools/explain_page.py PATH/TO/drywarp --check   exit code 1 and the first difference if an output differs
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "explain.md"
EXAMPLE = re.compile(r"^```\n\$ drywarp (explain [^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main():
    program, check = str(Path(sys.argv[1]).resolve()), sys.argv[2:] == ["--check"]
    text = PAGE.read_text(encoding="utf-8")

    def fresh(match):
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        run = subprocess.run([program, *shlex.split(match.group(1))], capture_output=True, text=True, env=environment,
                             cwd=PAGE.parent.parent)
        if run.returncode != 0:
            sys.exit(f"{match.group(1)}: {run.stderr}")
        if check and run.stdout != match.group(2):
            sys.exit(f"docs/explain.md: `drywarp {match.group(1)}` prints something else:\n{run.stdout}"
                     "tools/explain_page.py PATH/TO/drywarp writes it")
        return f"```\n$ drywarp {match.group(1)}\n{run.stdout}```"

    text, examples = EXAMPLE.subn(fresh, text)
    if examples == 0:
        sys.exit("docs/explain.md has no examples")
    if check:
        print(f"{examples} examples print what docs/explain.md says")
    else:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
