# what-if: gains by change, filters, formats, errors. The transpose's uncoalesced and conflicting kernels gain what their better versions
# have; bench/accuracy/what_if.py holds the gains to an H200.
source "$(dirname "$0")/common.sh"

expect 0 "$DRYWARP" what-if --list
has out "no-bank-conflicts"
[[ $(wc -l <out) -ge 13 ]] || fail "few changes are listed"

cat >t.cu <<'CU'
#include <cstdio>
__global__ void column(float* out, const float* in, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
__global__ void conflict(float* out, const float* in, int n) {
  __shared__ float tile[32][32];
  for (int i = threadIdx.y; i < 32; i += 8) tile[i][threadIdx.x] = in[(blockIdx.y * 32 + i) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) out[(blockIdx.x * 32 + i) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][i];
}
int main() {
  const int n = 1024;
  float *a, *b;
  cudaMalloc(&a, n * n * 4), cudaMalloc(&b, n * n * 4);
  column<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, n);
  conflict<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(a, b, n);
  cudaDeviceSynchronize();
  std::puts("the program's own line");
  return 3;
}
CU

expect 3 "$DRYWARP" what-if --only-lines t.cu:4 t.cu
has err "the program's own line"
hasnt out "the program's own line"
has out "column   "
has out "accesses touch only the sectors they need"
has out "line t.cu:4"

expect 3 "$DRYWARP" what-if --format json t.cu
python3 - out <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
kernels = {k["name"].split("(")[0]: {c["change"]: c["gain"] for c in k["changes"]} for k in report["kernels"]}
column, conflict = kernels["column"], kernels["conflict"]
assert report["class"] == "modelled" and len(report["launches"]) == 2, report
assert column["coalesced"] > 1.3 and "no-bank-conflicts" not in column and "no-barriers" not in column, column
assert conflict["no-bank-conflicts"] > 1.3 and "coalesced" not in conflict, conflict
assert max(column, key=column.get) == "coalesced", column
PY
expect 3 "$DRYWARP" what-if --format csv --kernel conflict --change no-barriers t.cu
[[ $(grep -c '"conflict(' out) == 1 && $(wc -l <out) == 2 ]] || fail "csv has other rows: $(cat out)"

expect 125 "$DRYWARP" what-if --change coalesce t.cu
has err "'coalesce' is no what-if"
has err "coalesced"
expect 125 "$DRYWARP" what-if --only-lines t.cu t.cu
expect 125 "$DRYWARP" what-if --kernel nosuch t.cu
has err "nosuch"

# Settings: the kernel's code stays. `each` runs in blocks of any size, `reverse` does not: its shared memory has a size.
cat >settings.cu <<'CU'
__global__ void each(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
__global__ void reverse(float* out, const float* in) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void sums(float* out, const float* in) {
  float sum[48], a = in[blockIdx.x * blockDim.x + threadIdx.x], b = in[threadIdx.x], all = 0;
#pragma unroll
  for (int k = 0; k < 48; ++k) sum[k] = a + k;
  for (int r = 0; r < 16; ++r) {
#pragma unroll
    for (int k = 0; k < 48; ++k) sum[k] = sum[k] * b + a;
  }
#pragma unroll
  for (int k = 0; k < 48; ++k) all += sum[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
int main() {
  const int n = 1 << 20;
  float *a, *b;
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4);
  each<<<n / 32, 32>>>(a, b, n);
  each<<<n / 64, 64>>>(a, b, n);
  reverse<<<n / 64, 64>>>(a, b);
  sums<<<n / 256, 256>>>(a, b);
  return cudaDeviceSynchronize();
}
CU
expect 0 "$DRYWARP" what-if --format json --change block-size,registers=24,more-warps=8,device=a100,carveout=100 settings.cu
python3 - out <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
kernels = {(k["name"].split("(")[0], k["block"]): {c["change"]: c["gain"] for c in k["changes"]} for k in report["kernels"]}
small, other, reverse, sums = (kernels[key] for key in (("each", "32"), ("each", "64"), ("reverse", "64"), ("sums", "256")))
assert small["block-size=256"] > 2 and "block-size=32" not in small, small  # 32 block slots hold 32 of 64 warps
assert abs(small["block-size=64"] * [l for l in report["launches"]][1]["seconds"] / report["launches"][0]["seconds"] - 1) < 0.02, small
assert not any(c.startswith("block-size") for c in list(reverse) + ["-"]), reverse
assert sums["registers=24"] < 0.5, sums  # it spills
assert "registers=24" not in small, small  # it has fewer
assert sums["more-warps=8"] > 0.9 and "more-warps=8" in sums, sums
assert sums["device=a100"] < 1, sums
assert "carveout=100" in sums, sums
edits = {c["change"]: c["needs_edit"] for k in report["kernels"] for c in k["changes"]}
assert edits["more-warps=8"] and not edits["registers=24"] and not edits["device=a100"], edits
PY
expect 0 "$DRYWARP" what-if --kernel each --change block-size,fast-dram settings.cu
has out "each   blocks of 32"
has out "With the kernel's code as it is:"
has out "as many threads in blocks of 256"

for wrong in block-size=48 block-size=4096 registers=0 registers=x carveout=101 more-warps=0 device=nosuch device more-warps; do
  expect 125 "$DRYWARP" what-if --change "$wrong" settings.cu
done
expect 125 "$DRYWARP" what-if --change registers=7 settings.cu
has err "from 16 to 255"

# A profile stands for its run: its device and options, another folder, sources that have changed since.
expect 0 "$DRYWARP" profile --device a100 --kernel each -o "it's a run.dwprof" settings.cu
mkdir elsewhere
(cd elsewhere && expect 0 "$DRYWARP" what-if "../it's a run.dwprof" --change block-size=256) || exit 1
has elsewhere/out "NVIDIA A100"
has elsewhere/out "block-size=256"
hasnt elsewhere/out "sums"
hasnt elsewhere/err "has changed"
echo "// another line" >>settings.cu
expect 0 "$DRYWARP" what-if --device h200 --change block-size=256 "it's a run.dwprof"
has out "NVIDIA H200"
has err "settings.cu has changed since"
expect 0 "$DRYWARP" ncu -f -o other settings.cu
expect 125 "$DRYWARP" what-if other.dwprof
has err "recorded by \`drywarp ncu\`"
echo "no profile" >foreign.dwprof
expect 125 "$DRYWARP" what-if foreign.dwprof
rm settings.cu
expect 127 "$DRYWARP" what-if "it's a run.dwprof"
