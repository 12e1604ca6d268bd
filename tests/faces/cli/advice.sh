# Advice: what the report tells a learner to change, from the naive transpose and matrix product to the good ones; its gains, formats and
# limits. The rules themselves are held in tests/profile/advice.
source "$(dirname "$0")/common.sh"

cat >t.cu <<'CU'
#include <cuda_runtime.h>

#include <cstdlib>
__global__ void naive(float* out, const float* in, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
template <int Padding>
__global__ void shared(float* out, const float* in, int n) {
  __shared__ float tile[32][32 + Padding];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void down_columns(const float* m, const float* n, float* p, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += m[row * width + k] * n[k * width + column];
  p[row * width + column] = sum;
}
__global__ void simple(const float* m, const float* n, float* p, int width) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += m[row * width + k] * n[k * width + column];
  p[row * width + column] = sum;
}
__global__ void tiled(const float* m, const float* n, float* p, int width) {
  __shared__ float m_tile[16][16], n_tile[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int phase = 0; phase < width / 16; ++phase) {
    m_tile[ty][tx] = m[row * width + phase * 16 + tx];
    n_tile[ty][tx] = n[(phase * 16 + ty) * width + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += m_tile[ty][k] * n_tile[k][tx];
    __syncthreads();
  }
  p[row * width + column] = sum;
}
__global__ void busy(float* out, float x, float y) {
  float a = x, b = y, c = x * y, d = x + y, e = x - y, f = 2 * x, g = 3 * x, h = 4 * x;
  for (int i = 0; i < 512; ++i) a = a * x + y, b = b * x + y, c = c * x + y, d = d * x + y, e = e * x + y, f = f * x + y, g = g * x + y, h = h * x + y;
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d + e + f + g + h;
}
int main() {
  const int n = 512, width = 128;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * 4), cudaMalloc(&b, n * n * 4), cudaMalloc(&c, n * n * 4);
  float *copy, *host = static_cast<float*>(std::calloc(8, n * n * 4));
  cudaMalloc(&copy, 8 * n * n * 4), cudaMemcpy(copy, host, 8 * n * n * 4, cudaMemcpyHostToDevice);
  naive<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, n);
  shared<0><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, n);
  shared<1><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, n);
  down_columns<<<dim3(8, 8), dim3(16, 16)>>>(a, b, c, width);
  simple<<<dim3(16, 16), dim3(16, 16)>>>(a, b, c, 2 * width);
  tiled<<<dim3(8, 8), dim3(16, 16)>>>(a, b, c, width);
  busy<<<1024, 256>>>(a, 0.5f, 0.25f);
  return cudaDeviceSynchronize();
}
CU

expect 0 "$DRYWARP" profile -o run.dwprof t.cu
[[ -z $(awk 'length > 80' out | grep -v '…\|·\|│') ]] || fail "a line is wider than 80: $(awk 'length > 80' out)"
has out "-> ~"
has out "transpose out through a tile in shared memory"
has out "tile[threadIdx.y][threadIdx.x] = in[y * n + x];"
has out "copy less between host and device"
has out "1 copy to the device moves 8.000 MB"
has out "Little to gain here: computation is at"
has out "__shared__ float tile[32][32 + Padding + 1];"
has out "let threadIdx.x run along the rows of m and p"
has out "tile m and n in shared memory"
has out "each element of m is loaded 16 times by a block"
has out "More: drywarp explain access t.cu:6"

# Each step's advice is gone in the next, and has a modelled gain.
expect 0 "$DRYWARP" show --format json run.dwprof
python3 - out <<'PY'
import json, sys
kernels = {k["name"].split("(")[0].split()[-1]: k["advice"] for k in json.load(open(sys.argv[1]))["kernels"]}
worth = {name: {a["rule"]: a for a in all if a["gain"] is None or a["gain"]["factor"] >= 1.02} for name, all in kernels.items()}
memory = {"row_column", "uncoalesced", "bank_conflicts", "tiling", "misaligned", "contended_atomics", "redundant_loads"}
found = {name: memory & set(rules) for name, rules in worth.items()}
assert found == {"naive": {"row_column"}, "shared<0>": {"bank_conflicts"}, "shared<1>": set(), "down_columns": {"row_column"},
                 "simple": {"tiling"}, "tiled": set(), "busy": set()}, found
# A product of 256 blocks: with 64 the time is that of loads that wait for each other, whatever they hit.
for name, rule, least in (("naive", "row_column", 1.1), ("shared<0>", "bank_conflicts", 1.1), ("down_columns", "row_column", 1.1), ("simple", "tiling", 1.04)):
    advice = worth[name][rule]
    assert advice["gain"]["factor"] > least and advice["gain"]["class"] == "modelled" and advice["not_estimated"] is None, advice
    assert kernels[name][0] is not None and kernels[name][0]["rule"] == rule, (name, kernels[name][0]["rule"])
    assert advice["lines"][0]["line"] in (6, 13, 18, 24) and 0 < advice["lines"][0]["total_share"] <= 1, advice["lines"]
    assert advice["threshold"] and advice["item"]["memory"], advice
for advice in (a for all in kernels.values() for a in all):
    assert (advice["gain"] is None) == bool(advice["not_estimated"]), advice
PY
expect 0 "$DRYWARP" query run.dwprof "SELECT k.name, a.rule, a.line FROM advice a JOIN kernels k USING(kernel) WHERE a.rank = 0 AND k.name LIKE 'naive%'"
has out "row_column"
expect 0 "$DRYWARP" show --details run.dwprof
has out "Checklist: coalesce global accesses; compute: fewer stalls on global loads"
has out "Gain: not estimated"

# Without times there are counts to judge by, and no gains.
expect 0 "$DRYWARP" profile --time off --format json --kernel naive t.cu
python3 - out <<'PY'
import json, sys
(kernel,) = json.load(open(sys.argv[1]))["kernels"]
rules = [a["rule"] for a in kernel["advice"]]
assert rules == ["uncoalesced"], rules  # nothing was traced: no addresses tell that it is a column
assert kernel["advice"][0]["gain"] is None and kernel["advice"][0]["not_estimated"] == "no time was modelled", kernel["advice"]
PY

# Launches of one kernel may be limited by different resources: advice is about the costliest.
expect 0 "$DRYWARP" profile --kernel one_load "$SOURCE/examples/occupancy.cu"
has out "raise occupancy: shared memory limits it"
