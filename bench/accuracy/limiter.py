#!/usr/bin/env python3
"""Is what drywarp says limits a kernel what limits it on the GPU? Runs the programs that were measured (kernels/*.cu, data/ladder.cu,
examples/*.cu) and compares launch by launch the limiter of drywarp's report with what the same judge says of the GPU's own counters
(the program `limiter`, of limiter.cpp: src/advice on data/h200-kernels.csv).

    limiter.py [--drywarp PROGRAM] [--limiter PROGRAM] [--programs REGEX] [--report PROGRAM=FILE]... [--keep FOLDER] [--units] [--held-out]

--report: a JSON report of a program made before; runs nothing for it. --units: lists launches where only level, pipe or stall differ.
Prints the cases where the two differ, then how often they agree: on the kind (memory, compute, balanced, latency, small_grid), and on
the unit as well. Cases held out of tuning are summed up apart and listed with --held-out only.
"""

import argparse
import collections
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TRUTH = os.path.join(HERE, "data", "h200-kernels.csv")


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--drywarp", default=os.path.join(ROOT, "build", "bin", "drywarp"))
    p.add_argument("--limiter", default=os.path.join(ROOT, "build", "bin", "limiter"))
    p.add_argument("--programs", default=".*")
    p.add_argument("--report", action="append", default=[], metavar="PROGRAM=FILE")
    p.add_argument("--keep", metavar="FOLDER", help="leave the JSON reports there")
    p.add_argument("--timeout", type=int, default=1800, help="seconds for a program")
    p.add_argument("--units", action="store_true")
    p.add_argument("--held-out", action="store_true")
    return p.parse_args()


def read_truth():
    """{program: its cases in the order of the launches}, and the cases held out."""
    programs = collections.defaultdict(list)
    with open(TRUTH, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["case"]:
                programs[row["program"]].append(row["case"])
    with open(os.path.join(HERE, "data", "held_out.txt"), encoding="utf-8") as file:
        return programs, {line.strip() for line in file if not line.startswith("#")}


def of_the_gpu(limiter):
    answer = subprocess.run([limiter, TRUTH], check=True, capture_output=True, text=True).stdout
    return {row["case"]: row for row in csv.DictReader(answer.splitlines())}


def run(args, program, folder):
    source, words = os.path.join(HERE, "kernels", program + ".cu"), []
    if program.startswith("ladder_"):
        source, words = os.path.join(HERE, "data", "ladder.cu"), ["once", program.split("_")[1]]
    elif program.startswith("example_"):
        source = os.path.join(ROOT, "examples", program[len("example_"):] + ".cu")
    report = os.path.join(folder, program + ".json")
    command = [args.drywarp, "profile", "--time", "all", "--format", "json", "--output", report, source, "--", *words]
    print("running", " ".join(command), file=sys.stderr)
    try:
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, timeout=args.timeout)
    except subprocess.TimeoutExpired:
        print(f"{program}: over {args.timeout} s", file=sys.stderr)
    return report


def launches(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)["launches"]
    except (OSError, ValueError):
        return []


def name(kind, unit):
    return f"{kind} {unit}" if unit else kind


def throughput(limiter, metric):
    return limiter["evidence"][metric + ".avg.pct_of_peak_sustained_elapsed"]["value"]


def main():
    args = arguments()
    programs, held = read_truth()
    gpu = of_the_gpu(args.limiter)
    made = dict(pair.split("=", 1) for pair in args.report)
    groups = {"tuned on": [0, 0, 0], "held out": [0, 0, 0]}
    print(f"{'case':32} {'drywarp':28} {'H200':28} {'SM % ours, theirs':>20} {'memory % ours, theirs':>22}")
    with tempfile.TemporaryDirectory() as temporary:
        for program, cases in programs.items():
            if not re.fullmatch(args.programs, program):
                continue
            report = made.get(program) or (run(args, program, args.keep or temporary) if not made else "")
            for case, launch in zip(cases, launches(report)):
                ours, theirs = launch["limiter"], gpu[case]
                if not ours or not theirs["kind"]:
                    continue
                kind = ours["kind"] == theirs["kind"]
                unit = kind and (ours["unit"] or "") == theirs["unit"]
                group = groups["held out" if case in held else "tuned on"]
                group[0], group[1], group[2] = group[0] + 1, group[1] + kind, group[2] + unit
                if unit or (kind and not args.units) or (case in held and not args.held_out):
                    continue
                print(f"{case:32} {name(ours['kind'], ours['unit']):28} {name(theirs['kind'], theirs['unit']):28} "
                      f"{throughput(ours, 'sm__throughput'):9.1f} {float(theirs['compute_pct']):10.1f} "
                      f"{throughput(ours, 'gpu__compute_memory_throughput'):10.1f} {float(theirs['memory_pct']):11.1f}")
    groups["all"] = [sum(v) for v in zip(*groups.values())]
    print(f"\n{'cases':10} {'number':>6} {'same kind':>10} {'same unit too':>14}")
    for group, (number, kind, unit) in groups.items():
        if number:
            print(f"{group:10} {number:6} {100 * kind / number:9.1f}% {100 * unit / number:13.1f}%")
    return 0


if __name__ == "__main__":
    sys.exit(main())
