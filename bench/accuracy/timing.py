#!/usr/bin/env python3
"""Holds drywarp's modelled times against a GPU's: runs data/ladder.cu with the launch shapes that were measured and prints, case by
case, ours, the hardware's and the error; then mean, median and 90th-percentile absolute error and correlation, metric by metric.

    timing.py [--drywarp PROGRAM] [--sizes 1024,2048] [--cases REGEX] [--ptx FILE] [--report N=FILE] [--csv FILE] [--metric LABEL]

See accuracy.py for --ptx. Nothing is fitted to these cases by name.
"""

import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import accuracy

# (label, the hardware's column, drywarp's metric, what the error is: relative, or in points for percentages)
COLUMNS = [
    ("cycles", "sm__cycles_elapsed.max", "sm__cycles_elapsed.max", "relative"),
    ("duration ns", "gpu__time_duration.sum", "gpu__time_duration.sum", "relative"),
    ("instructions", "smsp__inst_executed.sum", "inst_executed", "relative"),
    ("registers", "launch__registers_per_thread", "launch__registers_per_thread", "difference"),
    ("L1 hit %", "l1tex__t_sector_hit_rate.pct", "tex_cache_hit_rate", "difference"),
    ("L2 hit %", "lts__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct", "difference"),
    ("L2 read sectors", "lts__t_sectors_op_read.sum", "l2_read_transactions", "relative"),
    ("DRAM read bytes", "dram__bytes_read.sum", "dram_read_bytes", "relative"),
    ("occupancy %", "sm__warps_active.avg.pct_of_peak_sustained_active", "achieved_occupancy", "difference"),
    ("theoretical occupancy %", "sm__maximum_warps_per_active_cycle_pct", "sm__maximum_warps_per_active_cycle_pct", "difference"),
    ("issue active %", "smsp__issue_active.avg.pct_of_peak_sustained_active", "issue_slot_utilization", "difference"),
    ("DRAM %", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram_utilization", "difference"),
]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--drywarp", default=os.path.join(accuracy.ROOT, "build", "bin", "drywarp"))
    p.add_argument("--truth", default=os.environ.get("DRYWARP_GROUND_TRUTH", os.path.join(accuracy.HERE, "data")))
    p.add_argument("--sizes", default="1024", help="which of the measured sizes, separated by commas")
    p.add_argument("--cases", default="", help="only cases that match")
    p.add_argument("--ptx", help="run this PTX instead of what drywarp compiles")
    p.add_argument("--report", action="append", default=[], metavar="N=FILE", help="a JSON report of size N made before; runs nothing")
    p.add_argument("--keep", metavar="FOLDER", help="leave the JSON reports there")
    p.add_argument("--metric", default="", help="only these metrics' cases, by label")
    p.add_argument("--csv", help="write every comparison there")
    return p.parse_args()


def run(args, what, size, folder):
    report = os.path.join(folder, f"report-{size}.json")
    separator = ["--"] if what.endswith(".cu") else []
    command = [args.drywarp, "profile", "--time", "--format", "json", "--output", report, what, *separator, "once", str(size)]
    print("running", " ".join(command), file=sys.stderr)
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    return report


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


def correlation(pairs):
    """Of the logarithms: times span four orders of magnitude."""
    logs = [(math.log(a), math.log(b)) for a, b in pairs if a > 0 and b > 0]
    if len(logs) < 3:
        return float("nan")
    mean = [sum(p[i] for p in logs) / len(logs) for i in (0, 1)]
    cross = sum((a - mean[0]) * (b - mean[1]) for a, b in logs)
    spread = math.sqrt(sum((a - mean[0]) ** 2 for a, _ in logs) * sum((b - mean[1]) ** 2 for _, b in logs))
    return cross / spread if spread else float("nan")


def main():
    args = arguments()
    truth, order = accuracy.read_truth(args.truth), accuracy.case_order(args.truth)
    made = dict(pair.split("=", 1) for pair in args.report)
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or temporary
        what = None
        for size in map(int, args.sizes.split(",")):
            if str(size) not in made:
                what = what or accuracy.program(args, temporary)
                made[str(size)] = run(args, what, size, folder)
            with open(made[str(size)], encoding="utf-8") as file:
                launches = json.load(file)["launches"]
            for case, launch in zip(order, launches):
                hardware = truth.get((size, case))
                if hardware is None or not re.search(args.cases, case):
                    continue
                for label, column, metric, kind in COLUMNS:
                    theirs, ours = hardware[column], accuracy.value(launch, metric)
                    if theirs == "" or ours is None:
                        continue
                    theirs, ours = float(theirs), float(ours)
                    error = ours - theirs if kind == "difference" else (ours - theirs) / theirs if theirs else float(ours != 0)
                    rows.append((size, case, label, ours, theirs, error, kind))

    print(f"{'n':>5} {'case':20} {'metric':24} {'drywarp':>14} {'H200':>14} {'error':>10}")
    for size, case, label, ours, theirs, error, kind in rows:
        if args.metric and not re.search(args.metric, label):
            continue
        shown = f"{error:+.1f}" if kind == "difference" else f"{100 * error:+.1f}%"
        print(f"{size:5} {case:20} {label:24} {accuracy.number(ours):>14} {accuracy.number(theirs):>14} {shown:>10}")
    print(f"\n{'metric':24} {'cases':>5} {'mean error':>11} {'median':>9} {'90 %':>9} {'correlation':>12}")
    for label, _, _, kind in COLUMNS:
        mine = [r for r in rows if r[2] == label]
        if not mine:
            continue
        errors = [abs(r[5]) for r in mine]
        scale, unit = (1, "") if kind == "difference" else (100, "%")
        show = lambda v: f"{scale * v:.1f}{unit}"
        print(f"{label:24} {len(mine):5} {show(sum(errors) / len(errors)):>11} {show(percentile(errors, 0.5)):>9} "
              f"{show(percentile(errors, 0.9)):>9} {correlation([(r[3], r[4]) for r in mine]):12.4f}")
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(["n", "case", "metric", "drywarp", "h200", "error", "kind"])
            out.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
