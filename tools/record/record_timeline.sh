#!/bin/bash
# Records time lines of bench/accuracy/timeline.cu and whole_programs.cu, and counters of bench/accuracy/called.cu. Needs a GPU, nvcc, CUPTI,
# and for the last table ncu with the right to read counters.
#
#   record_timeline.sh OUTPUT_FOLDER      writes timeline.csv, whole-programs.csv and called.csv, as bench/accuracy/data has them
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
output=$1
cuda=${CUDA_HOME:-/usr/local/cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$output"
build() { nvcc -arch=sm_90 -O3 -std=c++17 "$@"; }
build -o "$work/called" "$root/bench/accuracy/called.cu"
for program in timeline whole_programs; do
  build -o "$work/plain" "$root/bench/accuracy/$program.cu"
  build -DWITH_CUPTI -I"$cuda/extras/CUPTI/include" -L"$cuda/extras/CUPTI/lib64" -L"$cuda/lib64" -o "$work/spans" "$root/bench/accuracy/$program.cu" -lcupti
  for run in 1 2 3; do "$work/plain" 5 2; done > "$work/$program-plain.csv"
  "$work/spans" 3 1 > "$work/$program-spans.csv"
done
ncu --clock-control none --csv --log-file "$work/ncu.csv" \
  --metrics smsp__inst_executed.sum,gpc__cycles_elapsed.max,smsp__thread_inst_executed.sum,gpu__time_duration.sum \
  "$work/called" > "$work/called.txt"
python3 - "$work" "$output" <<'PY'
import collections, csv, statistics, sys

work, output = sys.argv[1:]
kinds = ["HtoD", "DtoH", "DtoD", "memset", "kernel"]
for program, table in (("timeline", "timeline"), ("whole_programs", "whole-programs")):
    times, calls, spans = {}, {}, collections.defaultdict(lambda: collections.defaultdict(int))
    for line in open(f"{work}/{program}-plain.csv"):
        kind, name, *rest = line.strip().split(",")
        if kind == "time":
            times.setdefault(name, []).append([float(x) for x in rest[1:4]])
        if kind == "call":
            calls.setdefault(name, []).append(float(rest[1]))
    for line in open(f"{work}/{program}-spans.csv"):
        cells = line.strip().split(",")
        if cells[0] == "span" and cells[2] == "2":
            spans[cells[1]][cells[3]] += int(cells[-1]) - int(cells[-2])
    with open(f"{output}/{table}.csv", "w") as out:
        print("case,event_us,event_least_us,event_most_us,issued_us,host_us," + ",".join(k + "_ns" for k in kinds), file=out)
        for name, rows in times.items():
            events = [r[0] for r in rows]
            values = [statistics.median(events), min(events), max(events), *(statistics.median(r[i] for r in rows) for i in (1, 2))]
            print(",".join([name, *(f"{v:.1f}" for v in values), *(str(spans[name][k] or "") for k in kinds)]), file=out)
        for name, values in calls.items():
            print(f"call_{name},,,,{statistics.median(values):.2f},,,,,,", file=out)
names = [line.strip()[5:] for line in open(f"{work}/called.txt") if line.startswith("CASE,")]
launches = {}
for row in csv.DictReader(line for line in open(f"{work}/ncu.csv") if line.startswith('"')):
    launches.setdefault(int(row["ID"]), {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
metrics = ["smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "gpc__cycles_elapsed.max", "gpu__time_duration.sum"]
with open(f"{output}/called.csv", "w") as out:
    print("case,instructions,thread_instructions,cycles,time_ns", file=out)
    for name, launch in zip(names, launches.values()):
        print(",".join([name, *(f"{launch[m]:.0f}" for m in metrics)]), file=out)
PY
