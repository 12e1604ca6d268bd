# drywarp check across a program: streams, the host, calls that fail, unused memory; their options and formats.
source "$(dirname "$0")/common.sh"

cat >s.cu <<'CUDA'
__global__ void fill(int* data, int value) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = value;  // STORE
}
int main() {
  int *data, *managed, *unused;
  cudaStream_t a, b;
  cudaMalloc(&data, 4096);  // MADE
  cudaMalloc(&unused, 4096);
  cudaMallocManaged(&managed, 4096);
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  fill<<<4, 256, 0, a>>>(data, 1);
  cudaMemsetAsync(data, 0, 2048, b);  // FILL
  fill<<<4, 256, 0, a>>>(managed, 2);
  int sum = managed[3];  // EARLY
  cudaDeviceSynchronize();
  cudaFree(data + 1);  // FREE
  fill<<<1, 4096>>>(data, sum);  // LAUNCH
  return 0;
}
CUDA
line() { grep -n "// $1" s.cu | cut -d: -f1; }

expect 123 "$DRYWARP" check s.cu
has out "error: write-write race (racecheck)"
has out "  at s.cu:$(line FILL): fill"
has out "  write of byte 0 of a device allocation of 4096 bytes, in stream 2, which nothing orders with stream 1"
has out "  against a write by thread (0,0,0) of block (0,0,0) in fill(int*, int)"
has out "    at s.cu:$(line STORE): st.global.u32"
has out "made at s.cu:$(line MADE) in main"
has out "error: host access to memory that the device may still use (racecheck)"
has out "  at s.cu:$(line EARLY): read by the host"
has out "  read of byte 12 of a managed allocation of 4096 bytes; the host has not waited for stream 1"
has out "error: free of what is no allocation (memcheck)"
has out "  at s.cu:$(line FREE): cudaFree"
has out "  a pointer to byte 4 of a device allocation of 4096 bytes, not to its start; cudaFree returns cudaErrorInvalidValue"
has out "error: call that fails (memcheck)"
has out "  at s.cu:$(line LAUNCH): cudaLaunchKernel"
has out "4 problems in 2 launches"

# Without the calls that fail for other reasons than their pointers.
expect 123 "$DRYWARP" check --report-api-errors no --tool memcheck s.cu
has out "free of what is no allocation"
hasnt out "call that fails"
expect 125 "$DRYWARP" check --report-api-errors some s.cu

# Unused memory is a note, and only on request.
expect 0 "$DRYWARP" check --tool initcheck s.cu
hasnt out "note: "
expect 0 "$DRYWARP" check --tool initcheck --track-unused-memory s.cu
has out "note: memory that the device never uses (initcheck)"
has out "  the device accesses nothing of a device allocation of 4096 bytes: 100 % of it is never used"
expect 0 "$DRYWARP" check --tool initcheck --track-unused-memory --unused-memory-threshold 100 s.cu
hasnt out "note: "

# Data: the other side has its kernel; host code has its line.
expect 123 "$DRYWARP" check --format json --tool racecheck s.cu
python3 - out "$(line FILL)" "$(line STORE)" "$(line EARLY)" <<'PY'
import json, sys
found = {f["kind"]: f for f in json.load(open(sys.argv[1]))["findings"]}
race, host = found["write-write"], found["host-race"]
assert race["where"]["line"] == int(sys.argv[2]) and race["where"]["instruction"] == "fill" and race["kernel"] == "", race
assert race["other"]["where"]["line"] == int(sys.argv[3]) and race["other"]["kernel"] == "fill(int*, int)", race
assert race["other"]["thread"] == [0, 0, 0] and "first" not in race and race["allocation"]["id"] == 1, race
assert host["where"]["line"] == int(sys.argv[4]) and host["other"]["thread"] == [3, 0, 0], host
PY
expect 123 "$DRYWARP" check --format sarif -o f.sarif --tool racecheck s.cu
python3 - f.sarif "$(line EARLY)" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
result = next(r for r in run["results"] if r["ruleId"] == "host-race")
place = result["locations"][0]["physicalLocation"]
assert place["artifactLocation"]["uri"] == "s.cu" and place["region"]["startLine"] == int(sys.argv[2]), place
PY

# A call in NVTX's header, which is the program's own code, has the line of the program's call.
mkdir -p include/nvtx3/nvtxDetail
cat >include/nvtx3/nvtxDetail/impl.h <<'CUDA'
__attribute__((noinline)) static void in_header(void* p) { cudaFree(p); }
CUDA
cat >header.cu <<'CUDA'
#include <nvtx3/nvtxDetail/impl.h>
int main() {
  in_header((void*)16);  // CALL
}
CUDA
expect 123 "$DRYWARP" check --tool memcheck -Iinclude header.cu
has out "  at header.cu:$(grep -n '// CALL' header.cu | cut -d: -f1)"
hasnt out 'impl.h'
