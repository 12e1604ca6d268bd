#!/usr/bin/env python3
"""Holds `drywarp what-if` to a GPU: pairs of measured kernels that differ in one cost. Prints, for each pair, the gain that what-if predicts
for the kernel that pays the cost, and the gain that the other kernel had on the GPU. Then kernels that pay three costs at once
(remedies.cu): the gain of removing each, and how often what-if ranks two remedies as the GPU does. Then kernels in several settings
(settings.cu, compiled by nvcc): the gain of another block size, register cap or carve-out.

    what_if.py [--drywarp PROGRAM] [--compiler nvcc|clang] [--programs REGEX] [--no-run] [--markdown FILE]

The pairs are in what_if_pairs.csv; the times are those of data/h200-*kernels.csv. A prediction is the most that removing the cost can
bring; the other kernel may pay something else instead (a copy through shared memory, more instructions), so errors go both ways.
"""

import argparse
import csv
import itertools
import json
import os
import re
import subprocess
import sys

import timing


class WhatIf(timing.Runner):
    """Runs programs under `drywarp what-if`: of each launch the seconds, and the seconds after each change."""

    def __init__(self, args, changes="all"):
        super().__init__(args)
        self.tool = timing.digest(self.tool, "what-if", changes)
        self.changes = changes

    def run(self, program, built, arguments, first, count):
        command = [self.args.drywarp, "what-if", "--time", "--format", "json", "--change", self.changes, "--launch-skip", str(first), "--launch-count", str(count)]
        command += (["--device", self.args.device] if self.args.device else []) + [built] + arguments
        print(f"running {program}, launches {first} to {first + count - 1}", file=sys.stderr)
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=self.args.timeout)
        launches = json.loads(done.stdout)["launches"]
        if len(launches) != count:
            print(f"{program}: {len(launches)} of {count} launches", file=sys.stderr)
        return {first + i: launch for i, launch in enumerate(launches)}


def pairs(args, truth):
    rows = {(r["program"], r["case"]): r for r in truth}
    with open(os.path.join(timing.HERE, "what_if_pairs.csv"), newline="", encoding="utf-8") as file:
        for pair in csv.DictReader(file):
            if re.fullmatch(args.programs or ".*", pair["program"]):
                yield pair["change"], rows[pair["program"], pair["from"]], rows[pair["program"], pair["to"]]


REMEDIES = ("coalesced", "no-bank-conflicts", "no-divergence")
APART = 1.05  # of two measured gains: nearer ones have no order


def remedies(args, runner):
    """The lines of a table: a kernel, and for each of its costs the predicted and the measured gain. Then the closing line."""
    with open(os.path.join(timing.HERE, "data", f"{timing.TABLES[args.compiler]}-remedies.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    times = {r["case"]: timing.percentile([float(r[f"gpu__time_duration.sum.{i}"]) for i in (1, 2, 3)], 0.5) for r in rows}
    bases = {r["case"]: index for index, r in enumerate(rows) if "_" not in r["case"].replace("worst_banks", "")}
    found = runner.launches("remedies", set(bases.values()))
    lines = ["| kernel | " + " | ".join(REMEDIES) + " |", "|---" * (len(REMEDIES) + 1) + "|"]
    errors, right, ordered, first = [], 0, 0, 0
    for case, index in bases.items():
        launch = found[index]
        gains = []
        for remedy in REMEDIES:
            predicted = launch["seconds"] / launch["seconds_after_change"].get(remedy, launch["seconds"])
            gains.append((predicted, times[case] / times[f"{case}_{remedy}"]))
        errors += [abs(p / m - 1) for p, m in gains]
        for a, b in itertools.combinations(gains, 2):
            if max(a[1], b[1]) >= APART * min(a[1], b[1]):
                ordered += 1
                right += (a[0] > b[0]) == (a[1] > b[1])
        first += max(gains)[1] == max(m for _, m in gains)
        lines.append(f"| {case} | " + " | ".join(f"{p:.2f}x, {m:.2f}x" for p, m in gains) + " |")
    closing = (f"{len(errors)} gains: median error {100 * timing.percentile(errors, 0.5):.1f} %, 90th percentile "
               f"{100 * timing.percentile(errors, 0.9):.1f} %; {right} of {ordered} pairs of remedies that differ by 5 % or more are in the GPU's order; "
               f"the best remedy is found for {first} of {len(bases)} kernels")
    return lines, closing


SETTINGS = {"block": "block-size", "carveout": "carveout", "maxrregcount": "registers"}


def settings(args):
    """The lines of a table: a kernel, a setting, and the predicted and the measured gain. Then the closing line."""
    with open(os.path.join(timing.HERE, "data", "h200-settings.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["time"] = timing.percentile([float(row[f"gpu__time_duration.sum.{i}"]) for i in range(1, 6)], 0.5)
    groups = {}  # by kernel; the first row is the launch that what-if is asked about
    for row in rows:
        groups.setdefault(row["kernel"], []).append(row)
    asked = {}
    for kernel, (base, *others) in groups.items():
        for row in others:
            key = next(k for k in SETTINGS if row[k] != base[k])
            # A cap that the compiler does not need changes its code all the same; what-if leaves the code as it is.
            if key != "maxrregcount" or int(row[key]) < int(base["launch__registers_per_thread"]):
                asked.setdefault(kernel, []).append((f"{SETTINGS[key]}={row[key]}", row))
    changes = ",".join(dict.fromkeys(change for all_of in asked.values() for change, _ in all_of))
    found = WhatIf(args, changes).launches("settings", {int(groups[kernel][0]["launch"]) for kernel in asked})
    lines, errors, right, ordered = ["| kernel | setting | predicted gain | measured gain | error |", "|---|---|---|---|---|"], [], 0, 0
    for kernel, all_of in asked.items():
        base, gains = groups[kernel][0], []
        launch = found[int(base["launch"])]
        for change, row in all_of:
            predicted = launch["seconds"] / launch["seconds_after_change"].get(change, launch["seconds"])
            gains.append((predicted, base["time"] / row["time"]))
            errors.append(abs(gains[-1][0] / gains[-1][1] - 1))
            lines.append(f"| {kernel}, blocks of {base['block']} | {change} | {predicted:.2f}x | {gains[-1][1]:.2f}x | "
                         f"{100 * (gains[-1][0] / gains[-1][1] - 1):+.0f} % |")
        for a, b in itertools.combinations([*gains, (1, 1)], 2):
            if max(a[1], b[1]) >= APART * min(a[1], b[1]):
                ordered += 1
                right += (a[0] > b[0]) == (a[1] > b[1])
    closing = (f"{len(errors)} gains: median error {100 * timing.percentile(errors, 0.5):.1f} %, 90th percentile "
               f"{100 * timing.percentile(errors, 0.9):.1f} %; {right} of {ordered} pairs of settings that differ by 5 % or more are in the GPU's order")
    return lines, closing


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    timing.add_run_options(p)
    p.add_argument("--markdown", help="write the table there, as docs/what-if.md has it")
    args = p.parse_args()
    truth, _ = timing.read_truth(args.compiler)
    all_pairs = list(pairs(args, truth))
    runner = WhatIf(args)
    found = {}
    for program in dict.fromkeys(row["program"] for _, row, _ in all_pairs):
        found[program] = runner.launches(program, {row["index"] for _, row, _ in all_pairs if row["program"] == program})
    table, errors = [], []
    for change, row, other in all_pairs:
        launch = found[row["program"]].get(row["index"])
        if launch is None:
            continue
        before, after = (float(r["gpu__time_duration.sum"]) for r in (row, other))
        measured = before / after
        # A launch without the cost gains nothing.
        predicted = launch["seconds"] / launch["seconds_after_change"].get(change, launch["seconds"])
        errors.append(abs(predicted / measured - 1))
        table.append((change, row["case"], other["case"], predicted, measured, predicted / measured - 1))
    text = ""
    if table:
        lines = ["| change | kernel that pays | kernel that does not | predicted gain | measured gain | error |", "|---|---|---|---|---|---|"]
        lines += [f"| {c} | {a} | {b} | {p:.2f}x | {m:.2f}x | {100 * e:+.0f} % |" for c, a, b, p, m, e in table]
        closing = f"{len(table)} pairs; median error {100 * timing.percentile(errors, 0.5):.1f} %, 90th percentile {100 * timing.percentile(errors, 0.9):.1f} %"
        text = "\n".join(lines) + "\n\n" + closing + "\n"
    if args.compiler == "clang" and re.fullmatch(args.programs or ".*", "remedies"):
        lines, closing = remedies(args, runner)
        text += ("\n" if text else "") + "\n".join(lines) + "\n\n" + closing + "\n"
    if args.compiler == "nvcc" and re.fullmatch(args.programs or ".*", "settings"):
        lines, closing = settings(args)
        text += ("\n" if text else "") + "\n".join(lines) + "\n\n" + closing + "\n"
    print(text, end="")
    if args.markdown:
        with open(args.markdown, "w", encoding="utf-8") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
