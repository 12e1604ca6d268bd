#!/bin/bash
# Records results of mathematical functions (math_functions.inc) on this machine's GPU, with four sets of options.
#
#   record_math.sh OUTPUT_FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
work=$(mktemp -d)
record() {
  nvcc -arch=sm_90 -std=c++17 -O2 "${@:2}" -o "$work/$1" "$here/math_results.cu"
  "$work/$1" "$work/$1.results"
}
record default
record ftz -ftz=true
record approximate -prec-div=false -prec-sqrt=false
record fast -use_fast_math
variants=()
for v in default ftz approximate fast; do variants+=("$v=$work/$v.results"); done
python3 "$here/math_results.py" join "$out/math_h200.xz" "${variants[@]}"
