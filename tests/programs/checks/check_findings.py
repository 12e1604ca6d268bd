#!/usr/bin/env python3
"""check_findings.py DRYWARP FILE.cu: runs a program under `drywarp check` and compares what is found with its comments.

    // TOOLS: memcheck,racecheck        --tool; without it: the default tools
    // OPTIONS: --strict                more options
    // FINDS: KIND @NAME [@OTHER]       a finding of this kind at the line that ends in "// @NAME", and the other access
                                        at the line of @OTHER; - stands for no line, or one of another file
    // SAYS: TEXT                       a part of a finding's message
    // MADE: @NAME ...                  lines at which allocations were made that findings name
    // EXPECT-EXIT: N                   123 if something is found that is no note, else 0
    // VARIANT: -D FAULT                another run, with these options, too; what follows is expected of it

All findings are listed, in any order. They are the same on one thread and on three.
"""

import json
import os
import re
import subprocess
import sys


def findings(drywarp, source, options):
    command = [drywarp, "check", "--format", "json", *options, source]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    try:
        return done.returncode, json.loads(done.stdout), done.stderr
    except json.JSONDecodeError:
        sys.exit(f"{' '.join(command)}: no report\n{done.stdout}\n{done.stderr}")


def main():
    drywarp, source = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        lines = file.read().splitlines()
    places = {m.group(1): n for n, line in enumerate(lines, 1) if (m := re.search(r"// @(\w+)$", line))}
    def new_variant(options):
        return {"options": options, "expected": [], "says": [], "made": [], "exit": None}

    common, variants = [], [new_variant([])]
    for line in lines:
        found = re.match(r"// (TOOLS|OPTIONS|FINDS|SAYS|MADE|EXPECT-EXIT|VARIANT): ?(.*)$", line)
        if not found:
            continue
        kind, value = found.groups()
        variant = variants[-1]
        if kind == "TOOLS":
            common += ["--tool", value]
        elif kind == "OPTIONS":
            common += value.split()
        elif kind == "VARIANT":
            variants.append(new_variant(value.split()))
        elif kind == "SAYS":
            variant["says"].append(value)
        elif kind == "MADE":
            variant["made"] += [f"{os.path.basename(source)}:{places[name[1:]]} " for name in value.split()]
        elif kind == "EXPECT-EXIT":
            variant["exit"] = int(value)
        else:
            words = value.split()
            variant["expected"].append((words[0], *(places.get(w[1:], 0) if w.startswith("@") else 0 for w in words[1:])))
    return max(compare(drywarp, source, common, variant) for variant in variants)


def compare(drywarp, source, common, variant):
    options, expected, exit_code = common + variant["options"], variant["expected"], variant["exit"]
    code, report, errors = findings(drywarp, source, options + ["--workers", "1"])
    problems = []
    got = []

    def line_of(where):
        return where.get("line", 0) if os.path.basename(where.get("file", "")) == os.path.basename(source) else 0

    for f in report["findings"]:
        row = [f["kind"], line_of(f["where"])]
        if "other" in f:
            row.append(line_of(f["other"]["where"]))
        got.append(tuple(row))
    if sorted(got) != sorted(expected):
        problems.append(f"found    {sorted(got)}\n  expected {sorted(expected)}")
    problems += [f"no finding says: {text}" for text in variant["says"] if all(text not in f["message"] for f in report["findings"])]
    made = [f["allocation"].get("made", "") for f in report["findings"] if "allocation" in f]
    problems += [f"no allocation was made at {line}" for line in variant["made"] if all(line not in one for one in made)]
    wanted = exit_code if exit_code is not None else 123 if report["problems"] else 0
    if code != wanted:
        problems.append(f"exit code {code}, expected {wanted}")
    if findings(drywarp, source, options + ["--workers", "3"])[1] != report:
        problems.append("three threads find something else than one")
    if problems:
        print(f"{source} {' '.join(variant['options'])}\n  " + "\n  ".join(problems))
        print(json.dumps(report, indent=1), errors)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
