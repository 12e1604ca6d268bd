#!/usr/bin/env python3
"""run_program.py DRYWARP FILE.cu [OPTION...]: runs a whole program with `drywarp run` and checks the expectations in its comments.

    // RUN: ARGUMENTS          options for `drywarp run`, before the file; after " -- " the program's own
    // EXPECT-EXIT: N          exit code, 0 if not given
    // EXPECT-STDOUT: LINE     a whole line of standard output; several must come in this order
    // EXPECT-ERROR: REGEX     found in standard error; @NAME stands for the number of the line that ends in "// @NAME"
    // EXPECT-NOT: REGEX       found nowhere
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile


def directives(lines):
    for line in lines:
        found = re.match(r"// (RUN|EXPECT-[A-Z]+): ?(.*)$", line)
        if found:
            yield found.group(1), found.group(2)


def main():
    drywarp, source, *more = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        lines = file.read().splitlines()
    places = {m.group(1): n for n, line in enumerate(lines, 1) if (m := re.search(r"// @(\w+)$", line))}

    options, arguments, exit_code, output, errors, absent = [], [], 0, [], [], []
    for kind, value in directives(lines):
        if kind == "RUN":
            before, _, after = f" {value} ".partition(" -- ")
            options, arguments = shlex.split(before), shlex.split(after)
        elif kind == "EXPECT-EXIT":
            exit_code = int(value)
        elif kind == "EXPECT-STDOUT":
            output.append(value)
        elif kind == "EXPECT-ERROR":
            errors.append(re.sub(r"@(\w+)", lambda m: str(places[m.group(1)]), value))
        elif kind == "EXPECT-NOT":
            absent.append(value)

    with tempfile.TemporaryDirectory() as folder:
        program = source
        if "--timeout" in options:  # the limit is for compiling too, which may take longer here
            program = os.path.join(folder, "program")
            subprocess.run([drywarp, "nvcc", source, "-o", program], check=True, timeout=300)
        command = [drywarp, "run", *more, *options, program, *(["--", *arguments] if arguments else [])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, errors="replace")
    problems = []
    if done.returncode != exit_code:
        problems.append(f"exit code {done.returncode}, expected {exit_code}")
    rest = iter(done.stdout.splitlines())
    for line in output:
        if not any(got.rstrip() == line.rstrip() for got in rest):
            problems.append(f"standard output lacks, in this order: {line}")
            break
    for pattern in errors:
        if not re.search(pattern, done.stderr, re.MULTILINE):
            problems.append(f"standard error lacks: {pattern}")
    for pattern in absent:
        if re.search(pattern, done.stdout + done.stderr, re.MULTILINE):
            problems.append(f"should not be there: {pattern}")
    if problems:
        print(f"{' '.join(command)}\n  " + "\n  ".join(problems))
        print(f"---- standard output\n{done.stdout}---- standard error\n{done.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
