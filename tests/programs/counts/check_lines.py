#!/usr/bin/env python3
"""check_lines.py DRYWARP SOURCE: every count of a program's kernels is the sum over its source lines, and over its PTX
instructions. Every launch that ended has a modelled time, or a reason why it has none."""

import json
import os
import subprocess
import sys
import tempfile

# Not sums over lines: ratios, shares, maxima, and counts of launches.
NOT_ADDITIVE_UNITS = {"%", "way", "inst/warp", "thread/inst"}


def additive(name, entry):
    unit = entry["unit"]
    return entry["value"] is not None and unit not in NOT_ADDITIVE_UNITS and "/" not in unit


def main():
    drywarp, source = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [drywarp, "profile", "--format", "json", "--instructions", "--output", report, source]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
        with open(report, encoding="utf-8") as file:
            profile = json.load(file)
    kernels, launches = profile["kernels"], profile["launches"]
    untold = [launch["name"] for launch in launches if not (launch["time"] or launch["untimed"] or launch["fault"])]
    of_lines = {name for kernel in kernels for line in kernel["lines"] for name in line["metrics"]}
    compared = wrong = 0
    for kernel in kernels:
        for name, total in kernel["totals"].items():
            if not additive(name, total):
                continue
            for level in ("lines", "instructions"):
                parts = [part["metrics"][name]["value"] for part in kernel[level] if name in part["metrics"]]
                # A line omits metrics that are zero there, and counts of launches.
                if not parts and (total["value"] == 0 or name not in of_lines):
                    continue
                compared += 1
                if sum(parts) != total["value"]:
                    print(f"{kernel['name']}: {name} is {total['value']}, its {level} have {sum(parts)}")
                    wrong += 1
    for name in untold:
        print(f"{name}: no time, and no reason")
    print(f"{os.path.basename(source)}: {len(kernels)} kernels, {compared} sums, {wrong} wrong")
    return 1 if wrong or untold or compared < 20 * len(kernels) else 0


if __name__ == "__main__":
    sys.exit(main())
