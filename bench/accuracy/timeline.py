#!/usr/bin/env python3
"""Compares modelled time lines with a GPU's: runs timeline.cu and whole_programs.cu with `drywarp run --clock model`, whose events
answer with modelled times, and holds each case to data/h100-timeline.csv and data/h100-whole-programs.csv. Each case runs once before it
is timed, as on the GPU.

    bench/accuracy/timeline.py [--drywarp build/bin/drywarp] [--device h100] [--cases NAME...] [--csv FILE]
"""
import argparse
import csv
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# By the beginnings of their names.
GROUPS = [
    ("copies of page-locked memory", ("copy_HtoD_pinned", "copy_DtoH_pinned")),
    ("copies of pageable memory", ("copy_HtoD_pageable", "copy_DtoH_pageable")),
    ("copies inside the device, memsets", ("copy_DtoD", "memset_6", "memset_2")),
    ("copies beside copies or kernels", ("both_", "one_direction", "many_small", "memset_beside", "DtoD_beside", "copy_beside", "pageable_beside")),
    ("pipelines of 1, 2, 4, 8 streams", ("pipeline_",)),
    ("the same as graphs", ("graph_pipeline",)),
    ("kernels side by side", ("kernel_alone", "kernels_2", "kernels_3", "kernels_4", "kernels_8", "kernels_32", "short_", "traffic_")),
    ("many small kernels", ("empty_", "small_", "launch_and_wait", "same_stream")),
    ("many small kernels as graphs", ("graph_empty", "graph_small")),
    ("events and waits", ("diamond", "ping_pong", "graph_diamond", "graph_ping", "host_waits")),
    ("the default stream", ("blocking_", "free_", "per_thread", "copy_kernel_copy", "kernels_then")),
]
WHOLE_GROUPS = [
    ("solver, simulations", ("gradients", "heat", "bodies")),
    ("images", ("frames",)),
    ("products, training", ("parts", "training")),
    ("sorting, estimates", ("sort", "estimates")),
]
PROGRAMS = [("timeline.cu", "h100-timeline.csv", GROUPS), ("whole_programs.cu", "h100-whole-programs.csv", WHOLE_GROUPS)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drywarp", default=os.path.join(HERE, "../../build/bin/drywarp"))
    parser.add_argument("--device", default="h100")
    parser.add_argument("--cases", nargs="*", default=[], help="parts of names; all without it")
    parser.add_argument("--csv", help="writes every case")
    options = parser.parse_args()
    rows = []
    for program, data, groups in PROGRAMS:
        compared = compare(options, program, os.path.join(HERE, "data", data))
        if compared:
            print_table(program, compared, groups)
        rows += compared
    if options.csv:
        with open(options.csv, "w", encoding="utf-8") as out:
            out.write("case,measured_us,modelled_us,error_percent\n")
            out.writelines(f"{name},{gpu:.1f},{model:.1f},{error:.1f}\n" for name, gpu, model, error in rows)


def compare(options, program, data):
    """(case, the GPU's microseconds, the model's, error in percent) of each case."""
    with open(data, newline="", encoding="utf-8") as file:
        measured = {row["case"]: row for row in csv.DictReader(file)}
    command = [options.drywarp, "run", "--clock", "model", "--device", options.device,
               os.path.join(HERE, program), "--", "1", "1", *options.cases]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}: {run.returncode}\n{run.stderr[-2000:]}")
    rows = []
    for line in run.stdout.splitlines():
        parts = line.split(",")
        if parts[0] != "time" or parts[1] not in measured:
            continue
        gpu, model = float(measured[parts[1]]["event_us"]), float(parts[3])
        rows.append((parts[1], gpu, model, 100 * (model / gpu - 1)))
    return rows


def print_table(program, rows, groups):
    print(f"\n| {program} | number | mean error | median | largest |\n|---|---|---|---|---|")
    for title, beginnings in groups + [("all", ("",))]:
        group = [(abs(error), name) for name, _, _, error in rows if name.startswith(beginnings)]
        if group:
            worst = max(group)
            print(f"| {title} | {len(group)} | {statistics.mean(e for e, _ in group):.1f} % | "
                  f"{statistics.median(e for e, _ in group):.1f} % | {worst[0]:.0f} %: `{worst[1]}` |")


if __name__ == "__main__":
    main()
