# Times on GPUs of every generation, and sources compiled for the device.
source "$(dirname "$0")/common.sh"

cat >app.cu <<'CU'
#include <cuda_runtime.h>

#include <cstdio>

__global__ void copy(float* out, const float* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
__global__ void matmul(float* p, const float* m, const float* n, int width) {
  __shared__ float a[16][16], b[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int t = 0; t < width; t += 16) {
    a[threadIdx.y][threadIdx.x] = m[y * width + t + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = n[(t + threadIdx.y) * width + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  p[y * width + x] = sum;
}
__global__ void reduce(float* sums, const float* in) {
  __shared__ float part[256];
  part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  for (int stride = 128; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
__global__ void fill(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void target(int* arch) {
#ifdef __CUDA_ARCH__
  *arch = __CUDA_ARCH__;
#endif
}
int main() {
  const int n = 1 << 22;
  float *a, *b;
  int* arch;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, 4 * n * sizeof(float));
  cudaMalloc(&arch, sizeof(int));
  cudaMemset(a, 0, n * sizeof(float));
  copy<<<n / 256, 256>>>(b, a);
  matmul<<<dim3(8, 8), dim3(16, 16)>>>(b, a, a, 128);
  reduce<<<n / 1024, 256>>>(b, a);
  fill<<<n / 128, 512>>>(b);
  target<<<1, 1>>>(arch);
  int compiled = 0;
  if (cudaMemcpy(&compiled, arch, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("compiled for %d\n", compiled);
  return 0;
}
CU

devices="gtx280 gtx480 k40 gtx970 p100 v100 rtx2080ti a100 rtx4090 h200"
for device in $devices; do
  expect 0 "$DRYWARP" profile --device $device --format json --output $device.json app.cu
  grep -h "compiled for" out err >$device.arch
done
"$DRYWARP" devices --format json >devices.json

python3 - $devices <<'PY' || fail "unexpected times"
import json, sys
known = {d["id"]: d for d in json.load(open("devices.json"))["devices"]}
copies = {}
for device in sys.argv[1:]:
    kernels = {k["name"].split("(")[0]: k for k in json.load(open(device + ".json"))["kernels"]}
    for name in ("copy", "matmul", "reduce"):
        k = kernels[name]
        assert k["time"] and k["time"]["seconds"] > 1e-6, (device, name, k["untimed"])
    # 16 MiB read and 16 MiB written. DRAM delivers all reads; writes may stay in L2 as far as they fit. Some of the blocks
    # are simulated, and the time of the rest is extrapolated: within a tenth.
    least = ((1 << 24) + max(0, (1 << 24) - known[device]["l2_bytes"])) / known[device]["dram_bytes_per_second"]
    fill = kernels["fill"]
    least_fill = max(0, (1 << 26) - known[device]["l2_bytes"]) / known[device]["dram_bytes_per_second"]
    assert fill["time"]["seconds"] > 0.97 * least_fill, (device, fill["time"]["seconds"], least_fill)
    copies[device] = kernels["copy"]["time"]["seconds"]
    assert 0.9 * least < copies[device] < 4 * (1 << 25) / known[device]["dram_bytes_per_second"] + 1e-5, (device, copies[device], least)
    stood_in = {s["number"] for k in kernels.values() for s in k["time"]["stand_ins"]}
    assert bool(stood_in) == (device != "h200"), (device, stood_in)
    older = known[device]["compute_capability"] < "7.0"
    assert any(n.startswith("machine code") for n in stood_in) == older, (device, stood_in)
# Much slower memory makes copies much longer.
for a in copies:
    for b in copies:
        if known[a]["dram_bytes_per_second"] * 1.5 < known[b]["dram_bytes_per_second"]:
            assert copies[a] > copies[b], (a, copies[a], b, copies[b])
# Only stand-ins that the kernel's code needs are named: a copy has no barrier.
v100 = {k["name"].split("(")[0]: {s["number"] for s in k["time"]["stand_ins"]} for k in json.load(open("v100.json"))["kernels"]}
assert "barrier.latency" in v100["reduce"] and "barrier.latency" not in v100["copy"], v100
PY

# Each device's own compute capability, or the nearest older one that clang knows; -arch takes precedence.
for pair in gtx280=350 gtx480=350 k40=350 gtx970=520 p100=600 v100=700 rtx2080ti=750 a100=800 rtx4090=890 h200=900; do
  grep -q "compiled for ${pair#*=}$" "${pair%=*}.arch" || fail "$pair: $(cat "${pair%=*}.arch")"
done
expect 0 "$DRYWARP" run --device a100 app.cu
has out "compiled for 800"
hasnt err "newer than the device's"
expect 0 "$DRYWARP" run --device a100 -arch sm_60 app.cu
has out "compiled for 600"
expect 0 "$DRYWARP" run app.cu
has out "compiled for 900"

# The text report.
expect 0 "$DRYWARP" profile --details --device v100 --kernel reduce app.cu
has out "Not published for this device; modelled times use stand-ins:"
unwrapped out >flat
has flat "barrier.latency: shared.latency"
expect 0 "$DRYWARP" profile --device v100 --kernel reduce app.cu
has out "have stand-ins: --details"
expect 0 "$DRYWARP" profile --kernel reduce app.cu
hasnt out "stand-ins"

# A number without a stand-in that a device file lacks is named for the kernels that need it.
cp "$SOURCE/tests/faces/cli/rtx4070.toml" mine.toml
expect 0 "$DRYWARP" profile --device ./mine.toml app.cu
unwrapped out >flat
has flat "the file of NVIDIA GeForce RTX 4070 has no dram.channels"

# Code that the device does not support fails to compile, with a hint.
cat >new.cu <<'CU'
__global__ void match(int* p) { *p = __match_any_sync(~0u, *p); }
int main() {
  match<<<1, 32>>>(nullptr);
  return 0;
}
CU
expect 125 "$DRYWARP" run --device gtx970 new.cu
has err "compiled for compute_52, since NVIDIA GeForce GTX 970 has compute capability 5.2"
