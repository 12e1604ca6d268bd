#!/bin/bash
# Makes the fat binaries of this folder.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
echo '__global__ void scale(float* p, float f) { p[threadIdx.x] *= f; }' > "$work/kernel.cu"
echo '__device__ float twice(float x) { return 2 * x; }' > "$work/function.cu"
ptx="-gencode arch=compute_90,code=compute_90"
make() { nvcc -fatbin "${@:2}" -o "$1"; }
for mode in default speed none; do make $mode.fatbin $ptx -compress-mode=$mode "$work/kernel.cu"; done
make size.fatbin -arch=sm_90 -compress-mode=size "$work/kernel.cu"
make multi.fatbin -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80 $ptx \
  -gencode arch=compute_100,code=compute_100 "$work/kernel.cu"
make rdc.fatbin -arch=sm_90 -rdc=true "$work/function.cu"
make sass.fatbin -gencode arch=compute_90,code=sm_90 -compress-mode=size "$work/kernel.cu"
