#!/usr/bin/env python3
"""How good the configuration is that `drywarp sweep` finds: runs the sweeps choices/*.toml and compares them with a GPU's times of
the same configurations, built by nvcc (data/h100-choices.csv; drywarp's code is clang's).

    choices.py [--drywarp PROGRAM] [--device h100] [--programs REGEX] [--folder FOLDER] [--jobs N] [--all]
    choices.py --ladder [--size 1024] [--all]    the steps of data/ladder.cu as choices, beside an H200 (data/h200-ladder.csv)
    choices.py --list            the configurations, for tools/record/record_choices.py

Loss: how much longer the GPU takes for drywarp's best configuration than for its own best. Rank: Spearman's correlation of the times.
Sweeps are kept in FOLDER (build/accuracy/choices) and gone on with.
"""

import argparse
import csv
import glob
import json
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WITHIN = 5  # percent: a good choice


def sweeps(programs):
    for path in sorted(glob.glob(os.path.join(HERE, "choices", "*.toml"))):
        name = os.path.splitext(os.path.basename(path))[0]
        if re.search(programs, name):
            yield name, os.path.relpath(path, ROOT)


def configuration_text(configuration):
    return " ".join(f"{name}={value}" for name, value in configuration.items())


def list_configurations(arguments):
    for name, path in sweeps(arguments.programs):
        text = subprocess.run([arguments.drywarp, "sweep", path, "--dry-run"], cwd=ROOT, check=True, capture_output=True, text=True)
        for line in text.stdout.splitlines():
            print(name, line)


def recorded(device):
    """Medians of the recordings: {program: {configuration: seconds}}."""
    times = {}
    with open(os.path.join(HERE, "data", f"{device}-choices.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            ns = statistics.median(float(row[key]) for key in row if key.startswith("ns.") and row[key])
            times.setdefault(row["program"], {})[row["configuration"]] = ns * 1e-9
    return times


def modelled(arguments, name, path):
    """{configuration: seconds} of the rows that have a time, after the sweep has run what is missing."""
    os.makedirs(arguments.folder, exist_ok=True)
    kept = os.path.join(arguments.folder, f"{name}.dwsweep")
    command = [arguments.drywarp, "sweep", path, "--device", arguments.device, "-o", kept, "--resume", "--json"]
    if arguments.jobs:
        command += ["--jobs", str(arguments.jobs)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    shown = subprocess.run([arguments.drywarp, "sweep", "show", "--format", "json", kept], check=True, capture_output=True, text=True)
    times = {}
    for row in json.loads(shown.stdout)["rows"]:
        if row["measurement"] and row["measurement"]["seconds"] is not None:
            times[configuration_text(row["configuration"])] = row["measurement"]["seconds"]
        else:
            print(f"{name} {configuration_text(row['configuration'])}: {row['measurement']}", file=sys.stderr)
    return times


def ranks(values):
    """Equal values share their mean rank."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for i in order[at:end]:
            result[i] = (at + end - 1) / 2
        at = end
    return result


def rank_correlation(a, b):
    return statistics.correlation(ranks(a), ranks(b))


# Kernels of the ladder that give the same result in several ways. The steps of bank_ and the rest do different work.
LADDER = {"mm_": "ladder: products", "red_": "ladder: reductions", "tr_": "ladder: transposes", "copy_": "ladder: copies"}


def ladder(arguments):
    """(name, {step: the GPU's seconds}, {step: modelled}) of each group of steps."""
    with open(os.path.join(HERE, "data", "h200-ladder.csv"), newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["n"] == str(arguments.size)]
    os.makedirs(arguments.folder, exist_ok=True)
    report = os.path.join(arguments.folder, f"ladder-{arguments.size}.json")
    # The program launches one case after the other, and nothing else.
    subprocess.run([arguments.drywarp, "profile", "--device", "h200", "--time=all", "--launch-count", str(len(rows)), "--format", "json",
                    "--output", report, os.path.join(HERE, "data", "ladder.cu"), "--", "once", str(arguments.size)],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    with open(report, encoding="utf-8") as file:
        launches = [launch for launch in json.load(file)["launches"] if launch.get("counted", True)]
    times = {prefix: ({}, {}) for prefix in LADDER}
    for row, launch in zip(rows, launches, strict=True):
        kernel = row["kernel"].split("(")[0].split(" ")[-1].split("<")[0]
        assert kernel in launch["name"], (row["kernel"], launch["name"])
        for prefix, (gpu, model) in times.items():
            if row["case"].startswith(prefix):
                gpu[row["case"]] = float(row["gpu__time_duration.sum"]) * 1e-9
                model[row["case"]] = launch["time"]["seconds"]
    for prefix, (gpu, model) in times.items():
        yield LADDER[prefix], gpu, model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drywarp", default=os.path.join(ROOT, "build", "bin", "drywarp"))
    parser.add_argument("--device", default="h100")
    parser.add_argument("--programs", default="")
    parser.add_argument("--folder", default=os.path.join(ROOT, "build", "accuracy", "choices"))
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="print every configuration")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--ladder", action="store_true")
    parser.add_argument("--size", type=int, default=1024, help="of --ladder: 1024, 2048 or 4096")
    arguments = parser.parse_args()
    arguments.folder = os.path.abspath(arguments.folder)
    if arguments.list:
        return list_configurations(arguments)
    if arguments.ladder:
        choices = ladder(arguments)
    else:
        gpu_times = recorded(arguments.device)
        choices = ((name, gpu_times[name], modelled(arguments, name, path))
                   for name, path in sweeps(arguments.programs) if name in gpu_times)
    losses, correlations, errors = [], [], []
    print("program              runs  loss    rank  error   GPU's best, us                            drywarp's best, us on the GPU")
    for name, gpu, model in choices:
        both = [configuration for configuration in gpu if configuration in model]
        best, choice = min(both, key=gpu.get), min(both, key=model.get)
        losses.append(100 * (gpu[choice] / gpu[best] - 1))
        correlations.append(rank_correlation([gpu[c] for c in both], [model[c] for c in both]))
        errors.append(100 * statistics.mean(abs(model[c] / gpu[c] - 1) for c in both))
        print(f"{name:20} {len(both):4} {losses[-1]:5.1f} % {correlations[-1]:6.3f} {errors[-1]:4.0f} %"
              f"  {best + ':':32} {1e6 * gpu[best]:7.1f}  {choice + ':':32} {1e6 * gpu[choice]:7.1f}", flush=True)
        if arguments.all:
            for c in sorted(both, key=gpu.get):
                print(f"    {c:36} {1e6 * gpu[c]:8.2f} {1e6 * model[c]:8.2f}")
    good = sum(loss <= WITHIN for loss in losses)
    print(f"within {WITHIN} % of the GPU's best: {good} of {len(losses)}; loss in the mean {statistics.mean(losses):.1f} %, "
          f"rank correlation in the mean {statistics.mean(correlations):.3f}, median {statistics.median(correlations):.3f}")


if __name__ == "__main__":
    main()
