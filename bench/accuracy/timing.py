#!/usr/bin/env python3
"""Compares drywarp's modelled times with a GPU's: runs the measured programs (kernels/*.cu, data/ladder.cu, examples/*.cu) and prints
drywarp's value, the hardware's and the error of each case. Then prints mean, median and 90th-percentile absolute error and the correlation
of each metric, separately for cases that the model may be tuned on and for held-out cases.

    timing.py [--drywarp PROGRAM] [--gpu h200|h100] [--compiler nvcc|clang] [--beside nvcc|clang] [--programs REGEX] [--cases REGEX] [--metrics REGEX] [--all-metrics]
              [--worst N] [--held-out] [--no-run] [--jobs N] [--csv FILE] [--against FILE]

--compiler clang: executables of `drywarp nvcc`; nvcc: nvcc's. Each is compared with the GPU's run of the same compiler's PTX
(data/h200-clang-kernels.csv, data/h200-kernels.csv), because the compilers' code differs.
--compiler clang --beside nvcc: what users without nvcc are told, beside what their nvcc builds take on the GPU.
--gpu h100: recordings of an H100, which have fewer counters, against the model of that device.
--all-metrics: every counter of the tables that drywarp reports, including stall reasons.
--held-out: lists held-out cases too. Their summary is always printed; do not look at the cases while tuning.
--against FILE: a --csv of an earlier run; for cases that changed, prints the old error beside the new one.

Results for the same drywarp, device file and program are cached (build/accuracy/). Nothing in drywarp is specific to these cases.
"""

import argparse
import concurrent.futures
import csv
import hashlib
import json
import math
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Prefix of the tables' names, by the compiler whose PTX the GPU ran.
TABLES = {"nvcc": "h200", "clang": "h200-clang"}
GPUS = ["h200", "h100"]
# Sets of kernels that were recorded before the model had run one of them, each in sources and a table of its own.
SETS = ["guests", "newcomers", "visitors", "callers", "travellers", "lodgers", "boarders", "tenants", "residents", "settlers"]
# The tables of launches. Those of the sets, and of cases that each show one mechanism (local, polling), have the H100's counters, on whichever GPU
# they were recorded.
KINDS = ["kernels"] + SETS + ["mechanisms"]

# (label, the hardware's column, drywarp's metric, kind of error: relative, or a difference, in points for percentages)
COLUMNS = [
    ("cycles", "sm__cycles_elapsed.max", "sm__cycles_elapsed.max", "relative"),
    ("duration ns", "gpu__time_duration.sum", "gpu__time_duration.sum", "relative"),
    ("instructions", "smsp__inst_executed.sum", "inst_executed", "relative"),
    ("registers", "launch__registers_per_thread", "launch__registers_per_thread", "difference"),
    ("L1 hit %", "l1tex__t_sector_hit_rate.pct", "tex_cache_hit_rate", "difference"),
    ("L2 hit %", "lts__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct", "difference"),
    ("L2 read hit %", "lts__t_sector_op_read_hit_rate.pct", "l2_tex_read_hit_rate", "difference"),
    ("L2 read sectors", "lts__t_sectors_op_read.sum", "l2_read_transactions", "relative"),
    ("L2 write sectors", "lts__t_sectors_op_write.sum", "l2_write_transactions", "relative"),
    ("DRAM read bytes", "dram__bytes_read.sum", "dram_read_bytes", "relative"),
    ("DRAM write bytes", "dram__bytes_write.sum", "dram_write_bytes", "relative"),
    ("occupancy %", "sm__warps_active.avg.pct_of_peak_sustained_active", "achieved_occupancy", "difference"),
    ("theoretical occupancy %", "sm__maximum_warps_per_active_cycle_pct", "sm__maximum_warps_per_active_cycle_pct", "difference"),
    ("issue active %", "smsp__issue_active.avg.pct_of_peak_sustained_active", "issue_slot_utilization", "difference"),
    ("SM %", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "difference"),
    ("memory %", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
     "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "difference"),
    ("DRAM %", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram_utilization", "difference"),
]
# Smaller counts are noise: code and parameters that the launch itself fetches.
NOISE = {"DRAM read bytes": 65536, "DRAM write bytes": 65536, "L2 read sectors": 8192, "L2 write sectors": 8192}


def add_run_options(p):
    """Options for running programs and caching results, shared with limiter.py."""
    p.add_argument("--drywarp", default=os.path.join(ROOT, "build", "bin", "drywarp"))
    p.add_argument("--device", help="another device file than the default")
    p.add_argument("--compiler", choices=sorted(TABLES), default="clang")
    p.add_argument("--beside", choices=sorted(TABLES), help="the compiler whose PTX the GPU ran (default: the same)")
    p.add_argument("--programs", default="", help="only programs that match, whole: memory|linear, ladder_1024, example_.*")
    p.add_argument("--no-run", action="store_true", help="only what was run before")
    p.add_argument("--cache", default=os.path.join(ROOT, "build", "accuracy"))
    p.add_argument("--timeout", type=int, default=900, help="seconds for a program")
    p.add_argument("--jobs", type=int, default=1, help="programs that run at once")


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_run_options(p)
    p.add_argument("--gpu", choices=GPUS, default=GPUS[0], help="whose recordings, and which device is modelled")
    p.add_argument("--cases", default="", help="only cases that match")
    p.add_argument("--metrics", default="^(cycles|instructions)$", help="the metrics whose cases are listed")
    p.add_argument("--all-metrics", action="store_true")
    p.add_argument("--worst", type=int, default=0, help="list only so many cases, the worst")
    p.add_argument("--held-out", action="store_true")
    p.add_argument("--csv", help="write every comparison there")
    p.add_argument("--against", help="a --csv of before")
    return p.parse_args()


def table(compiler, kind, gpu=GPUS[0]):
    return os.path.join(HERE, "data", f"{TABLES[compiler].replace(GPUS[0], gpu)}-{kind}.csv")


def read_truth(compiler, gpu=GPUS[0], kinds=KINDS[:1]):
    rows = []
    for path in [table(compiler, kind, gpu) for kind in kinds]:
        if os.path.exists(path):
            with open(path, newline="", encoding="utf-8") as file:
                rows += [r for r in csv.DictReader(file) if r["case"]]
    place = {}
    for r in rows:
        place[r["program"]] = place.get(r["program"], -1) + 1
        r["index"] = place[r["program"]]  # rows are in launch order
    with open(os.path.join(HERE, "data", "held_out.txt"), encoding="utf-8") as file:
        held = {line.strip() for line in file if not line.startswith("#")}
    return rows, held


def digest(*parts):
    h = hashlib.sha256()
    for part in parts:
        h.update(hashlib.sha256(part if isinstance(part, bytes) else part.encode()).digest())
    return h.hexdigest()[:24]


def contents(path):
    with open(path, "rb") as file:
        return file.read()


class Runner:
    """Runs programs under `drywarp profile`. `metrics`: those that are asked for; none: everything that a report has, which takes twice the time,
    for advice is timed too."""

    def __init__(self, args, metrics=()):
        self.args = args
        self.metrics = list(dict.fromkeys(metrics))
        os.makedirs(args.cache, exist_ok=True)
        library = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(args.drywarp))), "lib", "libcudart.so.13")
        devices = os.path.join(ROOT, "devices")
        files = sorted(os.path.join(folder, f) for folder, _, found in os.walk(devices) for f in found)
        files += [args.device] if args.device and os.path.isfile(args.device) else []
        self.tool = digest(contents(args.drywarp), contents(library), args.device or "", *self.metrics, *map(contents, files))

    def build(self, program):
        """The executable, its arguments, and the digest of both."""
        folder, arguments = os.path.join(HERE, "kernels"), []
        if program.startswith("ladder_"):
            source, arguments = os.path.join(HERE, "data", "ladder.cu"), ["once", program.split("_")[1]]
        elif program.startswith("example_"):
            source = os.path.join(ROOT, "examples", program[len("example_"):] + ".cu")
        else:
            source = os.path.join(HERE if program in ("remedies", "settings") else folder, program + ".cu")
        text = contents(source) + (contents(os.path.join(folder, "cases.h")) if os.path.dirname(source) == folder else b"")
        compiler = self.args.compiler
        arch = "90a" if b"wgmma." in text else "90"  # wgmma is no part of sm_90
        if compiler == "nvcc":
            # The GPU ran machine code; drywarp runs PTX.
            command = ["nvcc", "-std=c++17", "-O3", "-lineinfo", "-cudart", "shared", "-gencode", f"arch=compute_{arch},code=compute_{arch}"]
            stamp = digest(text, compiler)
        else:
            command = [self.args.drywarp, "nvcc", "-std=c++17", "-O3", "-lineinfo", f"-arch=sm_{arch}"]
            stamp = digest(text, compiler, self.tool)
        built = os.path.join(self.args.cache, f"{program}-{compiler}-{stamp}")
        if not os.path.exists(built):
            subprocess.run(command + ["-o", built, source], check=True, stdout=subprocess.DEVNULL)
        return built, arguments, digest(self.tool, contents(built), *arguments)

    def launches(self, program, wanted):
        """{index: metrics} of the launches `wanted` of the program."""
        built, arguments, stamp = self.build(program)
        place = os.path.join(self.args.cache, f"{program}-{self.args.compiler}-{stamp}.json")
        known = {}
        if os.path.exists(place):
            with open(place, encoding="utf-8") as file:
                known = {int(k): v for k, v in json.load(file).items()}
        missing = [i for i in sorted(wanted) if i not in known]
        while missing and not self.args.no_run:
            first, count = missing[0], 1
            while first + count in missing:
                count += 1
            known.update(self.run(program, built, arguments, first, count))
            with open(place + ".new", "w", encoding="utf-8") as file:
                json.dump(known, file)
            os.replace(place + ".new", place)
            missing = [i for i in missing if i >= first + count]
        return known

    def run(self, program, built, arguments, first, count):
        report = os.path.join(self.args.cache, f"{program}.{os.getpid()}.report")
        command = [self.args.drywarp, "profile", "--time", "--output", report, "--launch-skip", str(first), "--launch-count", str(count)]
        command += ["--format", "csv", "--metrics", ",".join(self.metrics)] if self.metrics else ["--format", "json"]
        command += (["--device", self.args.device] if self.args.device else []) + [built] + arguments
        print(f"running {program}, launches {first} to {first + count - 1}", file=sys.stderr)
        try:
            subprocess.run(command, check=False, stdout=subprocess.DEVNULL, timeout=self.args.timeout)
        except subprocess.TimeoutExpired:
            print(f"{program}: over {self.args.timeout} s", file=sys.stderr)
            return {}
        with open(report, newline="", encoding="utf-8") as file:
            launches = metrics_of_table(file, range(first, first + count)) if self.metrics else metrics_of_report(file)
        os.unlink(report)
        if len(launches) != count:
            print(f"{program}: {len(launches)} of {count} launches", file=sys.stderr)
        return {first + i: metrics for i, metrics in enumerate(launches)}


def metrics_of_table(file, wanted):
    """{metric: value} of each of the launches `wanted`, and its kernel, of a table of chosen metrics."""
    launches = {}
    for row in csv.DictReader(file):
        # Launches that are not counted have what is known of their kernels, and no counts.
        if row["Metric Value"] and int(row["Launch"]) in wanted:
            metrics = launches.setdefault(int(row["Launch"]), {"kernel": row["Kernel"]})
            metrics[row["Metric Name"]] = float(row["Metric Value"])
    return [launches[i] for i in sorted(launches)]


def metrics_of_report(file):
    """The same of a whole report, by each name that a metric has, with what limits the launch."""
    launches = []
    for launch in json.load(file)["launches"]:
        if not launch.get("counted", True):
            continue
        metrics = {"kernel": launch["name"], "limiter": launch.get("limiter")}
        for name, entry in launch["metrics"].items():
            for key in [name, entry.get("alias"), entry.get("nsight"), entry.get("ncu")]:
                if key:
                    metrics[key] = entry.get("value")
        launches.append(metrics)
    return launches


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(share * len(ordered)) - 1))]


def correlation(pairs, plain):
    """The correlation of the logarithms, for values that span orders of magnitude: times, counts."""
    points = pairs if plain else [(math.log(a), math.log(b)) for a, b in pairs if a > 0 and b > 0]
    if len(points) < 3:
        return float("nan")
    mean = [sum(p[i] for p in points) / len(points) for i in (0, 1)]
    cross = sum((a - mean[0]) * (b - mean[1]) for a, b in points)
    spread = math.sqrt(sum((a - mean[0]) ** 2 for a, _ in points) * sum((b - mean[1]) ** 2 for _, b in points))
    return cross / spread if spread else float("nan")


def number(v):
    return "-" if v is None else f"{v:.2f}" if v != int(v) else f"{int(v)}"


def shown(error, kind):
    return f"{error:+.1f}" if kind == "difference" else f"{100 * error:+.1f}%"


def summary(title, rows, columns):
    print(f"\n{title}\n{'metric':24} {'cases':>5} {'mean error':>11} {'median':>9} {'90 %':>9} {'bias':>9} {'correlation':>12}")
    for label, _, _, kind in columns:
        mine = [r for r in rows if r["label"] == label and r["counts"]]
        if not mine:
            continue
        errors = [abs(r["error"]) for r in mine]
        scale, unit = (1, "") if kind == "difference" else (100, "%")
        show = lambda v: f"{scale * v:.1f}{unit}"
        print(f"{label[:60]:24} {len(mine):5} {show(sum(errors) / len(errors)):>11} {show(percentile(errors, 0.5)):>9} "
              f"{show(percentile(errors, 0.9)):>9} {show(sum(r['error'] for r in mine) / len(mine)):>9} "
              f"{correlation([(r['ours'], r['theirs']) for r in mine], kind == 'difference'):12.4f}")


def compare(row, metrics, columns, held):
    # "void (anonymous namespace)::name<4>(float*)": the mangled name has "4name".
    name = re.split(r"[<(]", metrics["kernel"].replace("(anonymous namespace)::", ""))[0].split()[-1].split("::")[-1]
    if row["mangled"] and f"{len(name)}{name}" not in row["mangled"]:
        print(f"{row['case']}: ran {metrics['kernel']}, measured was {row['mangled']}", file=sys.stderr)
    for label, column, metric, kind in columns:
        theirs, ours = row.get(column, ""), metrics.get(metric)
        if theirs == "" or ours is None:
            continue
        theirs, ours = float(theirs), float(ours)
        error = ours - theirs if kind == "difference" else (ours - theirs) / theirs if theirs else float(ours != 0)
        yield {"case": row["case"], "program": row["program"], "label": label, "ours": ours, "theirs": theirs, "error": error,
               "kind": kind, "held": row["case"] in held, "counts": max(ours, theirs) >= NOISE.get(label, 0)}


def main():
    args = arguments()
    beside = args.beside or args.compiler
    truth, held = read_truth(beside, args.gpu, KINDS)
    if args.gpu != GPUS[0]:
        args.device = args.device or args.gpu
    columns = list(COLUMNS)
    if args.all_metrics:
        used = {c[1] for c in columns}
        columns += [(c, c, c, "difference" if c.endswith((".pct", ".ratio")) or "pct_of" in c else "relative")
                    for c in truth[0] if "__" in c and c not in used]
    wanted = [r for r in truth if re.fullmatch(args.programs or ".*", r["program"]) and re.search(args.cases, r["case"])]
    runner = Runner(args, [metric for _, _, metric, _ in columns])
    indices = {}
    for r in wanted:
        indices.setdefault(r["program"], set()).add(r["index"])
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        found = dict(zip(indices, pool.map(runner.launches, indices, indices.values())))
    rows = []
    for program in indices:
        for r in wanted:
            if r["program"] == program and r["index"] in found[program]:
                rows += compare(r, found[program][r["index"]], columns, held)

    before = {}
    if args.against:
        with open(args.against, newline="", encoding="utf-8") as file:
            before = {(r["case"], r["label"]): float(r["error"]) for r in csv.DictReader(file)}
    listed = [r for r in rows if (args.held_out or not r["held"]) and (args.all_metrics or re.search(args.metrics, r["label"]))]
    if args.against:
        listed = [r for r in listed if (r["case"], r["label"]) in before
                  and abs(before[r["case"], r["label"]] - r["error"]) > (0.5 if r["kind"] == "difference" else 0.005)]
    if args.worst:
        listed = sorted(listed, key=lambda r: -abs(r["error"]))[:args.worst]
    print(f"{'case':32} {'metric':24} {'drywarp':>14} {'H200':>14} {'error':>10}" + ("     before" if before else ""))
    for r in listed:
        was = before.get((r["case"], r["label"]))
        print(f"{r['case'] + (' (held out)' if r['held'] else ''):32} {r['label']:24} {number(r['ours']):>14} {number(r['theirs']):>14} "
              f"{shown(r['error'], r['kind']):>10}" + (f" {shown(was, r['kind']):>10}" if was is not None else ""))
    ran = len({r["case"] for r in rows})
    print(f"\n{ran} of {len(wanted)} cases were run; {args.compiler}'s PTX here, {beside}'s on the GPU")
    summary("Cases that the model may be tuned on", [r for r in rows if not r["held"]], columns)
    summary("Cases held out", [r for r in rows if r["held"]], columns)
    summary("All", rows, columns)
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            out = csv.DictWriter(file, fieldnames=["case", "program", "held", "label", "ours", "theirs", "error", "kind", "counts"])
            out.writeheader()
            out.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
