#!/bin/bash
# Records the hardware's counters for single warp accesses, the device's properties, and results of the occupancy API.
# Needs a GPU, nvcc, ncu and the right to read counters.
#
#   record_counters.sh OUTPUT_FOLDER [FAMILY...]
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$1
shift
families=${*:-global shared global_atomic shared_atomic local async_copy
  generic_global generic_shared guarded_global guarded_shared shared:sass global:sass}
work=$(mktemp -d)
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")

python3 "$here/device_properties.py" "$cuda/include" > "$work/device.cu"
nvcc -arch=sm_90 -o "$work/device" "$work/device.cu" &
nvcc -std=c++17 -arch=sm_90 -O3 -o "$work/occupancy" "$here/occupancy.cu" &
nvcc -arch=sm_90 -O2 -o "$work/access" "$here/access_patterns.cu" &
ncu --query-metrics > "$work/known.txt" 2>&1 &
wait
{
  nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,memory.total --format=csv
  nvcc --version | tail -2
  ncu --version | tail -2
  "$work/device"
} > "$out/device.txt"
"$work/occupancy" | python3 "$here/thin_occupancy.py" > "$out/occupancy.csv"
"$work/occupancy" sizes > "$out/potential_block.csv"
cuobjdump --dump-sass "$work/access" | gzip > "$out/sass.txt.gz"
gzip -c "$work/known.txt" > "$out/known.txt.gz"

for family in $families; do
  begin=$(date +%s)
  name=${family/:/_}
  python3 "$here/access_patterns.py" list "$family" > "$work/$name.txt"
  metrics=
  for m in $(python3 "$here/access_patterns.py" metrics "$family" | tr , ' '); do
    if grep -q "^${m%.*} " "$work/known.txt"; then metrics+=,$m; else echo "$family: no metric $m here"; fi
  done
  timeout "${LIMIT:-150}" ncu --clock-control none --cache-control none --csv --page raw --print-units base --metrics "${metrics#,}" \
    "$work/access" "${family%%:*}" < "$work/$name.txt" > "$work/$name.ncu" 2> "$work/$name.err"
  echo "$family: rc $? after $(($(date +%s) - begin)) s, $(grep -c '^"' "$work/$name.ncu") rows"
  grep -E '==ERROR|==WARN' "$work/$name.ncu" | head -5
  tail -3 "$work/$name.err"
  python3 "$here/access_patterns.py" join "$family" "$work/$name.txt" "$work/$name.ncu" > "$work/$name.csv" ||
    cp "$work/$name.ncu" "$work/$name.csv"
done
tar czf "$out/counters.tgz" -C "$work" $(cd "$work" && ls ./*.csv)
