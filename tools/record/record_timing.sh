#!/bin/bash
# Records the ground truth for time: Nsight Compute's counters, event timings, registers and machine instructions of the
# kernels in bench/accuracy/kernels, bench/accuracy/data/ladder.cu and examples/. Needs a GPU, nvcc, ncu and the right
# to read counters. timing_table.py converts the output into tables.
#
#   record_timing.sh OUTPUT_FOLDER [PROGRAM...]      PROGRAM: stencils, ..., ladder_1024, example_transpose
#
# BUILT=FOLDER: existing executables (PROGRAM-clang, from `drywarp nvcc`), whose PTX the driver translates. METRICS=A,B:
# other counters than those of timing_metrics.txt.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
shift
programs=${*:-$(cd "$root" && ls bench/accuracy/kernels/*.cu | xargs -n1 basename -s .cu) ladder_1024 ladder_2048
  $(cd "$root/examples" && ls ./*.cu | xargs -n1 basename -s .cu | sed s/^/example_/)}
metrics=${METRICS:-$(paste -sd, "$root/tools/record/timing_metrics.txt")}
work=$(mktemp -d)

source_of() {
  case $1 in
    ladder_*) echo "$root/bench/accuracy/data/ladder.cu" ;;
    example_*) echo "$root/examples/${1#example_}.cu" ;;
    *) echo "$root/bench/accuracy/kernels/$1.cu" ;;
  esac
}

# wgmma is no part of sm_90.
arch_of() { if grep -q 'wgmma\.' "$1"; then echo sm_90a; else echo sm_90; fi; }

build() {
  nvcc -std=c++17 -arch="$(arch_of "$(source_of "$1")")" -O3 -lineinfo -Xptxas -v -o "$work/$1" "$(source_of "$1")" 2> "$work/$1.ptxas" || cat "$work/$1.ptxas"
  cuobjdump -sass "$work/$1" > "$work/$1.code"
}
# Clang's executables have only PTX: ptxas compiles it as the driver does.
take() {
  local p=$1
  [[ $p == ladder_* ]] && p=ladder
  cp "$BUILT/$p-clang" "$work/$1"
  mkdir "$work/$1.ptx" && (cd "$work/$1.ptx" && cuobjdump -xptx all "../$1" > /dev/null && mv ./*.ptx p.ptx &&
    ptxas -arch="$(arch_of p.ptx)" -O3 -v -o p.cubin p.ptx 2> "$work/$1.ptxas" && cuobjdump -sass p.cubin > "$work/$1.code")
}

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv > "$out/machine.txt"
for p in $programs; do
  if [ -n "${BUILT:-}" ]; then take "$p"; else build "$p"; fi &
done
wait
for p in $programs; do
  once=() timed=(--time)
  case $p in
    ladder_*) once=(once "${p#ladder_}") timed=() ;;
    example_*) timed=() ;;
  esac
  begin=$(date +%s)
  "$work/$p" ${timed[@]+"${timed[@]}"} > "$work/$p.times" 2>&1
  "$work/$p" ${once[@]+"${once[@]}"} > "$work/$p.cases" 2>&1
  timeout "${LIMIT:-400}" ncu --clock-control none --csv --page raw --print-units base --metrics "$metrics" \
    "$work/$p" ${once[@]+"${once[@]}"} > "$work/$p.ncu" 2> "$work/$p.err"
  echo "$p: rc $? after $(($(date +%s) - begin)) s, $(grep -c '^"' "$work/$p.ncu") lines"
  grep -E '==ERROR|==WARN' "$work/$p.ncu" "$work/$p.err" | sort | uniq -c | head -3
  grep -E 'Function :|^[[:space:]]+/\*[0-9a-f]{4,}\*/' "$work/$p.code" > "$work/$p.sass"
done
tar czf "$out/timing.tgz" -C "$work" $(cd "$work" && ls ./*.ptxas ./*.times ./*.cases ./*.ncu ./*.sass)
