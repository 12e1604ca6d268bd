#!/usr/bin/env python3
"""Compares drywarp's limiter with the GPU's, launch by launch. Runs the measured programs (kernels/*.cu, data/ladder.cu, examples/*.cu) as
timing.py does, with the same options and cached results in build/accuracy. The GPU's limiter comes from its own counters by the same rules
(the program `limiter`, limiter.cpp: src/profile/advice on data/h200-kernels.csv or data/h200-clang-kernels.csv).

    limiter.py [--drywarp PROGRAM] [--limiter PROGRAM] [--compiler nvcc|clang] [--programs REGEX] [--units] [--held-out] [--no-run]

Recordings of a launch vary, and near a threshold the limiter does too. So the GPU's throughputs are medians over the recordings (the others
are in data/h200-throughputs.csv or data/h200-clang-throughputs.csv). The last lines show how often each recording agrees with the medians:
the model cannot be expected to agree more often.

--units: lists launches where only level, pipe or stall differ. Prints the cases that differ, then how often the two agree: on the kind
(memory, compute, balanced, latency, small_grid), and also on the unit. Held-out cases are summed up separately, and listed only with
--held-out.
"""

import argparse
import csv
import os
import re
import statistics
import subprocess
import sys
import tempfile

import timing

THROUGHPUTS = ("sm__throughput.avg.pct_of_peak_sustained_elapsed",
               "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed")


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    timing.add_run_options(p)
    p.add_argument("--limiter", default=os.path.join(timing.ROOT, "build", "bin", "limiter"))
    p.add_argument("--units", action="store_true")
    p.add_argument("--held-out", action="store_true")
    return p.parse_args()


def recorded_throughputs(truth, others):
    """{case: [(compute, memory) of each recording]}, beginning with the table of all counters."""
    found = {row["case"]: [tuple(row[t] for t in THROUGHPUTS)] for row in truth}
    with open(others, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found[row["case"]].append(tuple(row[t] for t in THROUGHPUTS))
    return found


def judged(limiter, truth, throughputs):
    """{case: limiter} of the GPU's counters with these throughputs."""
    rows = [{**row, **dict(zip(THROUGHPUTS, throughputs[row["case"]]))} for row in truth]
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
        file.flush()
        answer = subprocess.run([limiter, file.name], check=True, capture_output=True, text=True).stdout
    return {row["case"]: row for row in csv.DictReader(answer.splitlines())}


def middle(recordings):
    return tuple(statistics.median(map(float, values)) for values in zip(*recordings))


def name(kind, unit):
    return f"{kind} {unit}" if unit else kind


def throughput(limiter, metric):
    return limiter["evidence"][metric + ".avg.pct_of_peak_sustained_elapsed"]["value"]


def main():
    args = arguments()
    truth, held = timing.read_truth(args.compiler)
    recorded = recorded_throughputs(truth, timing.table(args.compiler, "throughputs"))
    gpu = judged(args.limiter, truth, {case: middle(r) for case, r in recorded.items()})
    runner = timing.Runner(args)
    groups = {"tuned on": [0, 0, 0], "held out": [0, 0, 0]}
    print(f"{'case':32} {'drywarp':28} {'H200':28} {'SM % ours, theirs':>20} {'memory % ours, theirs':>22}")
    wanted = [r for r in truth if re.fullmatch(args.programs or ".*", r["program"])]
    for program in dict.fromkeys(r["program"] for r in wanted):
        mine = [r for r in wanted if r["program"] == program]
        found = runner.launches(program, {r["index"] for r in mine})
        for r in mine:
            case, ours, theirs = r["case"], found.get(r["index"], {}).get("limiter"), gpu[r["case"]]
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
    for k in range(min(map(len, recorded.values()))):
        alone = judged(args.limiter, truth, {case: r[k] for case, r in recorded.items()})
        same = sum(alone[r["case"]]["kind"] == gpu[r["case"]]["kind"] for r in truth)
        print(f"the GPU's recording {k + 1}: the same kind as of all in {100 * same / len(truth):.1f}%")
    return 0


if __name__ == "__main__":
    sys.exit(main())
