#!/usr/bin/env python3
"""Compares drywarp's counts with a GPU's: runs data/ladder.cu with the measured launch configurations and prints drywarp's count, the
hardware's and the error of each case.

    accuracy.py [--drywarp PROGRAM] [--sizes 1024,2048] [--cases REGEX] [--ptx FILE] [--truth FOLDER] [--all] [--csv FILE]

Without --ptx, drywarp compiles the kernels (clang). With --ptx FILE, they come from FILE, for instance from `nvcc -arch=sm_90 -O3 -lineinfo
-ptx ladder.cu`: the PTX of the hardware's run.

notes.toml explains differences from the PTX and the machine code. A difference without a note is marked with "?", and the exit code is 1.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib

import embed_ptx

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# (label, the hardware's column, drywarp's metric, relative tolerance)
# Shared wavefronts: the hardware also counts arbitration between warps, a few per cent; all other counts are exact on both sides.
COLUMNS = [
    ("ld requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global_load_requests", 0),
    ("ld sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "gld_transactions", 0),
    ("ld bytes/sector %", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "gld_efficiency", 0.0005),
    ("st requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global_store_requests", 0),
    ("st sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "gst_transactions", 0),
    ("st bytes/sector %", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "gst_efficiency", 0.0005),
    ("shared ld inst", "smsp__inst_executed_op_shared_ld.sum", "shared_load_requests", 0),
    ("shared ld wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared_load_transactions", 0.05),
    ("shared st inst", "smsp__inst_executed_op_shared_st.sum", "shared_store_requests", 0),
    ("shared st wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared_store_transactions", 0.05),
    ("divergent branches", "smsp__sass_branch_targets_threads_divergent.sum", "divergent_branch", 0),
    ("branches", "smsp__sass_branch_targets.sum", "branch", 0),
]
EXACT = {"ld requests", "ld sectors", "ld bytes/sector %", "st requests", "st sectors", "st bytes/sector %"}


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--drywarp", default=os.path.join(ROOT, "build", "bin", "drywarp"))
    p.add_argument("--truth", default=os.environ.get("DRYWARP_GROUND_TRUTH", os.path.join(HERE, "data")))
    p.add_argument("--sizes", default="1024", help="which of the measured sizes, separated by commas")
    p.add_argument("--cases", default="", help="only cases that match")
    p.add_argument("--ptx", help="run this PTX instead of what drywarp compiles")
    p.add_argument("--report", action="append", default=[], metavar="N=FILE", help="a JSON report of size N made before; runs nothing")
    p.add_argument("--all", action="store_true", help="print equal counts too")
    p.add_argument("--csv", help="write every comparison there")
    return p.parse_args()


def read_truth(folder):
    with open(os.path.join(folder, "h200-ladder.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {(int(r["n"]), r["case"]): r for r in rows if r["case"]}


def case_order(folder):
    with open(os.path.join(folder, "ladder.cu"), encoding="utf-8") as file:
        return re.findall(r'\bgo\("(\w+)"', file.read())


def program(args, folder):
    """The input of `drywarp profile`: the source, or an executable with the PTX file as device code."""
    source = os.path.join(args.truth, "ladder.cu")
    if not args.ptx:
        return source
    built = os.path.join(folder, "ladder")
    embed_ptx.compile_host(source, built + ".host.o")
    embed_ptx.link(args.drywarp, built + ".host.o", args.ptx, built)
    return built


def run(args, what, size, folder):
    report = os.path.join(folder, f"report-{size}.json")
    separator = ["--"] if what.endswith(".cu") else []
    command = [args.drywarp, "profile", "--format", "json", "--output", report, what, *separator, "once", str(size)]
    print("running", " ".join(command), file=sys.stderr)
    # At n = 1024 the ninth kernel from the end writes past its buffer: the program stops there, as on the GPU.
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    return report


def value(launch, name):
    entry = launch["metrics"].get(name)
    return None if entry is None else entry.get("value")


def notes():
    with open(os.path.join(HERE, "notes.toml"), "rb") as file:
        return tomllib.load(file).get("note", [])


def explain(all_notes, compiler, case, label):
    for n in all_notes:
        if compiler in n.get("compiler", ["clang", "nvcc"]) and re.fullmatch(n["cases"], case) and label in n["counts"]:
            return n["id"]
    return None


def number(v):
    return "-" if v is None else f"{v:.2f}" if isinstance(v, float) and v != int(v) else f"{int(v)}"


def main():
    args = arguments()
    truth, order, all_notes = read_truth(args.truth), case_order(args.truth), notes()
    compiler = "nvcc" if args.ptx else "clang"
    made = dict(pair.split("=", 1) for pair in args.report)
    rows, used, unexplained = [], set(), 0
    with tempfile.TemporaryDirectory() as folder:
        what = None
        for size in map(int, args.sizes.split(",")):
            if str(size) not in made:
                what = what or program(args, folder)
                made[str(size)] = run(args, what, size, folder)
            with open(made[str(size)], encoding="utf-8") as file:
                launches = json.load(file)["launches"]
            measured = sum((size, case) in truth for case in order)
            if len(launches) < measured:
                sys.exit(f"{len(launches)} launches of n = {size}, but {measured} were measured")
            for case, launch in zip(order, launches):
                hardware = truth.get((size, case))
                if hardware is None or not re.search(args.cases, case):
                    continue
                for label, column, metric, tolerance in COLUMNS:
                    theirs, ours = float(hardware[column] or 0), value(launch, metric)
                    ours = 0.0 if ours is None else float(ours)  # "does not apply": no such access
                    error = 0.0 if ours == theirs else (ours - theirs) / theirs if theirs else float("inf")
                    same = abs(error) <= tolerance
                    note = None if same else explain(all_notes, compiler, case, label)
                    if note:
                        used.add(note)
                    unexplained += not same and note is None
                    rows.append((size, case, label, ours, theirs, error, same, note))

    print(f"{'n':>5} {'case':20} {'count':21} {'drywarp':>14} {'H200':>14} {'error':>9}")
    for size, case, label, ours, theirs, error, same, note in rows:
        if same and not args.all:
            continue
        mark = "" if same else note or "?"
        print(f"{size:5} {case:20} {label:21} {number(ours):>14} {number(theirs):>14} {100 * error:8.2f}% {mark}")
    print()
    for label, *_ in COLUMNS:
        mine = [r for r in rows if r[2] == label]
        print(f"{label:21} {sum(r[6] for r in mine):4} of {len(mine):4} equal, {sum(1 for r in mine if not r[6] and r[7]):3} explained, "
              f"{sum(1 for r in mine if not r[6] and not r[7]):3} not")
    exact = [r for r in rows if r[2] in EXACT]
    print(f"global requests, sectors and bytes a sector: {sum(r[6] for r in exact)} of {len(exact)} equal")
    if used:
        print("\nWhy counts differ:")
        for n in all_notes:
            if n["id"] in used:
                print(f"  {n['id']}: {' '.join(n['why'].split())}")
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(["n", "case", "count", "drywarp", "h200", "error", "equal", "note"])
            out.writerows(rows)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
