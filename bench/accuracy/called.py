#!/usr/bin/env python3
"""Compares drywarp's modelled cycles and instructions with an H100's for kernels that print, assert, allocate memory or really call
functions: the launches of called.cu, recorded in data/h100-called.csv.

    called.py [--drywarp PROGRAM] [--cases REGEX] PROGRAM

PROGRAM: called.cu, compiled: nvcc -gencode arch=compute_90,code=compute_90 -cudart shared -O3 -o called called.cu, as on the GPU; or by
`drywarp nvcc` with the same options.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KINDS = [("printf", "print"), ("malloc and free", "allocate|release"), ("assert", "assert"), ("called functions", "")]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program")
    p.add_argument("--drywarp", default=os.path.join(ROOT, "build", "bin", "drywarp"))
    p.add_argument("--cases", default="")
    args = p.parse_args()
    with open(os.path.join(HERE, "data", "h100-called.csv"), newline="", encoding="utf-8") as file:
        measured = {row["case"]: row for row in csv.DictReader(file)}
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        run = subprocess.run([args.drywarp, "profile", "--device", "h100", "--time", "--format", "json", "--output", report, args.program],
                             stdout=subprocess.PIPE, text=True, check=False)
        with open(report, encoding="utf-8") as file:
            launches = json.load(file)["launches"]
    cases = re.findall(r"^CASE,(.*)$", run.stdout, re.MULTILINE)
    if len(cases) != len(launches):
        sys.exit(f"{len(cases)} cases, {len(launches)} launches")
    errors = {name: ([], []) for name, _ in KINDS}
    print(f"{'case':36} {'cycles':>10} {'H100':>10} {'error':>8}   {'instructions':>12} {'H100':>10} {'error':>8}")
    for case, launch in zip(cases, launches):
        if case not in measured or not re.search(args.cases, case):
            continue
        row, line = measured[case], f"{case:36}"
        kind = next(name for name, pattern in KINDS if re.match(pattern, case))
        for i, (metric, column, width) in enumerate([("sm__cycles_elapsed.max", "cycles", 10), ("inst_executed", "instructions", 12)]):
            value = next((e.get("value") for name, e in launch["metrics"].items()
                          if metric in (name, e.get("alias"), e.get("nsight"), e.get("ncu"))), None)
            theirs = float(row[column])
            if value is None:
                line += f" {'-':>{width}} {theirs:10.0f} {'':>8}  "
                continue
            error = value / theirs - 1
            errors[kind][i].append(abs(error))
            line += f" {value:{width}.0f} {theirs:10.0f} {100 * error:+7.1f}%  "
        print(line + (f"  {launch['untimed']}" if launch.get("untimed") else ""))
    for name, _ in KINDS:
        for what, found in zip(["cycles", "instructions"], errors[name]):
            if found:
                found.sort()
                print(f"{name + ', ' + what:36} {len(found):4} cases, mean error {100 * sum(found) / len(found):.1f}%, "
                      f"median {100 * found[(len(found) - 1) // 2]:.1f}%, largest {100 * found[-1]:.1f}%")


if __name__ == "__main__":
    main()
