# `--clock model`: the program's own times are those of the modelled GPU.
source "$(dirname "$0")/common.sh"

cat >app.cu <<'CU'
#include <cstdio>
__global__ void scale(float* a) { a[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
int main() {
  constexpr int n = 1 << 20;
  float *a, *b, *c, milliseconds[6];
  cudaMalloc(&a, n * sizeof *a), cudaMalloc(&b, n * sizeof *b), cudaMalloc(&c, n * sizeof *c);
  cudaMemset(a, 0, n * sizeof *a);
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEvent_t event[6];
  for (cudaEvent_t& e : event) cudaEventCreate(&e);
  cudaEventRecord(event[0]);
  scale<<<n / 256, 256>>>(a);
  cudaEventRecord(event[1]);
  for (int i = 0; i < 3; ++i) scale<<<n / 256, 256>>>(a);
  cudaEventRecord(event[2]);
  cudaMemcpyAsync(b, a, n * sizeof *a, cudaMemcpyDeviceToDevice);
  cudaEventRecord(event[3]);
  cudaEventRecord(event[4], other);
  scale<<<n / 256, 256, 0, other>>>(b);
  cudaEventRecord(event[5], other);
  cudaDeviceSynchronize();
  for (int i = 0; i < 3; ++i) cudaEventElapsedTime(&milliseconds[i], event[i], event[i + 1]);
  cudaEventElapsedTime(&milliseconds[3], event[4], event[5]);
  for (int i = 4; i < 6; ++i) {  // nothing has touched c before the first
    cudaEventRecord(event[0], other);
    scale<<<n / 256, 256, 0, other>>>(c);
    cudaEventRecord(event[1], other);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&milliseconds[i], event[0], event[1]);
  }
  for (float ms : milliseconds) std::printf("%.0f ns\n", ms * 1e6);
  float host[1];
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
}
CU
expect 0 "$DRYWARP" profile --clock model --metrics gpu__time_duration.sum --format json --output report.json app.cu
mv out profiled
hasnt err "no modelled time"
expect 0 "$DRYWARP" run --clock model app.cu
cmp out profiled || fail "run and profile give different times"
python3 - <<'PY' || fail "unexpected times"
import json
launches = json.load(open("report.json"))["launches"]
each = [launch["metrics"]["gpu__time_duration.sum"]["value"] for launch in launches]
one, three, copy, other, first, again = (int(line.split()[0]) for line in open("profiled"))
# devices/h200.toml, [calls]: a launch takes the host 3,000 ns, an event behind a kernel is recorded 1,500 ns later; a kernel is
# 640 ns shorter than for a profiler that counts; kernels of a stream lie at least 1,250 ns apart. The profiler's times are those with cold
# caches. In the program only c's first kernel has them: the others find what memsets, copies and kernels have left in the L2.
part = [t - 640 for t in each]
assert max(each) == min(each), each
assert abs(first - (3000 + part[5] + 1500)) <= 3, (first, each)
for warm in one, again:
  assert 0.4 * part[0] < warm - 4500 < 0.9 * part[0], (warm, each)
assert one < other + 3 < 4500 + 2 * one, (one, other)  # beside a kernel of the other stream: the L2 serves both
assert 0.4 * sum(part[1:4]) < three - 3 * 1250 < 1.1 * sum(part[1:4]), (three, each)
# [copies]: 800 ns, then 4 MB at 2.13 TB/s, 4,250 ns behind a kernel.
assert abs(copy - (4250 + 2769)) < 50, copy
PY
# Streams overlap in the report, and it says what the end waited for.
expect 0 "$DRYWARP" profile -o run.dwprof app.cu
has out "Time line of the whole run, modelled"
unwrapped out | grep -q "where the L2 holds what was left there" || fail "no word on the L2"
unwrapped out | grep -q "Critical path: kernels [0-9]* %.*the host's calls [0-9]* %" || fail "no critical path"
expect 0 "$DRYWARP" report run.dwprof --format json
python3 - <<'PY' || fail "streams do not overlap"
import json
line = json.load(open("out"))["profiles"][0]["timeline"]
spans = {s["stream"]: s["spans"] for s in line["streams"]}
assert len(spans[0]) == 7 and len(spans[1]) == 3, spans
start, seconds = spans[1][0][:2]
assert any(a < start + seconds and start < a + s for a, s, *_ in spans[0]), spans
assert abs(sum(line["summary"]["critical_seconds"].values()) / line["seconds"] - 1) < 1e-6, line
PY
# A device file without the bandwidth of the link to the host.
expect 0 "$DRYWARP" run --clock model --device rtx3090 app.cu
has err "copies between host and device have no modelled time"
# On this machine's clock they differ from run to run, and nothing is said of copies.
expect 0 "$DRYWARP" run app.cu
hasnt err "no modelled time"
expect 125 "$DRYWARP" run --clock gpu app.cu
expect 125 "$DRYWARP" profile --clock model --time off app.cu
has err "--clock model needs modelled times"

# Equal launches on the same data: of each a slice of the machine is simulated, and the last ones are not recorded.
cat >equal.cu <<'CU'
#include <cstdio>
__global__ void work(float* a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  for (int k = 0; k < 40; ++k) x = x * 0.5f + 1.0f;
  a[i] = x;
}
int main() {
  float* a;
  cudaMalloc(&a, (1 << 20) * sizeof *a);
  for (int i = 0; i < 6; ++i) work<<<4096, 256>>>(a);
  std::printf("%d\n", cudaDeviceSynchronize());
}
CU
expect 0 "$DRYWARP" profile equal.cu
has out "Time line of the whole run, modelled"
