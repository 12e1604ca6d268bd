#!/bin/bash
# Records the results of difficult PTX instructions (semantics_forms.py) on this machine's GPU.
#
#   record_semantics.sh OUTPUT_FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
work=$(mktemp -d)
python3 "$here/semantics.py" build "$work" 2> "$out/left_out.txt"
nvcc -arch=sm_90 -O2 -o "$work/semantics" "$here/semantics.cu" -lcuda
"$work/semantics" "$work/forms.cubin" < "$work/cases.txt" > "$work/answers.txt"
python3 "$here/semantics.py" join "$work" "$out"
