# drywarp check: findings in every format, exit codes, filters, and what it refuses.
source "$(dirname "$0")/common.sh"

cat >c.cu <<'CUDA'
#include <cstdio>
__global__ void reverse(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  s[t] = t;            // STORE
  out[t] = s[63 - t];  // LOAD
}
__global__ void past(int* out) {
  out[threadIdx.x + 64] = 1;  // PAST
}
int main(int argc, char**) {
  int* out;
  cudaMalloc(&out, 256);  // MADE
  if (argc < 2) reverse<<<1, 64>>>(out);
  past<<<1, 64>>>(out);  // LAUNCH
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
CUDA
line() { grep -n "// $1" c.cu | cut -d: -f1; }

# The report, its exit code, and the error that the program sees.
expect 123 "$DRYWARP" check c.cu
has out "cudaErrorIllegalAddress"
has out "error: read-write race (racecheck)"
has out "  at c.cu:$(line STORE): st.shared.u32"
has out "    at c.cu:$(line LOAD): ld.shared.u32"
has out "error: access out of bounds (memcheck)"
has out "  invalid global write of 4 bytes: 0 bytes past the end of a device allocation of 256 bytes"
has out "made at c.cu:$(line MADE) in main"
has out "  64 times in all"
has out "  launched at c.cu:$(line LAUNCH) in main"
has out "memcheck, racecheck, initcheck, synccheck: 2 problems in 2 launches"
hasnt err "drywarp: "

# Exit codes: another one, and the program's own.
expect 5 "$DRYWARP" check --error-exitcode 5 c.cu
expect 0 "$DRYWARP" check --error-exitcode 0 c.cu
expect 123 "$DRYWARP" check --destroy-on-device-error kernel c.cu
has out "cudaSuccess"
expect 123 "$DRYWARP" check --strict --tool memcheck c.cu
has out "out of bounds"
hasnt out "64 times in all"

# Filters: one kernel, one launch, one tool.
expect 123 "$DRYWARP" check --kernel-name past c.cu
hasnt out "racecheck)"
has out "1 problem in 1 launch"
expect 123 "$DRYWARP" check --launch-count 1 c.cu
hasnt out "memcheck)"
expect 0 "$DRYWARP" check --tool synccheck c.cu
has out "synccheck: no problem in 2 launches"

# A launch that does not end in time was not checked.
cat >late.cu <<'CUDA'
__global__ void late(volatile int* go) {
  while (*go == 0) {}
}
int main() {
  int* go;
  cudaMalloc(&go, 4);
  cudaMemset(go, 0, 4);
  late<<<1, 32>>>(go);
  cudaDeviceSynchronize();
}
CUDA
expect 123 "$DRYWARP" check --timeout 1 late.cu
has out "no problem in 0 launches"
has out "note: 1 launch did not come to an end: not checked, or only in part. stderr says why"
has err "late"
expect 123 "$DRYWARP" check --timeout 1 --format json late.cu
has out '"launches": 0'
has out '"launches_cut": 1'

# Data: the program's output goes to standard error.
expect 123 "$DRYWARP" check --format json c.cu
has err "cudaErrorIllegalAddress"
python3 - out "$(line STORE)" "$(line LOAD)" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["version"] == 1 and report["launches"] == 2 and report["problems"] == 2, report
race = next(f for f in report["findings"] if f["kind"] == "read-write")
assert race["where"]["line"] == int(sys.argv[2]) and race["other"]["where"]["line"] == int(sys.argv[3]), race
assert race["severity"] == "error" and race["first"]["block"] == [0, 0, 0], race
PY
expect 123 "$DRYWARP" check --format sarif -o f.sarif c.cu
python3 - f.sarif "$(line PAST)" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
result = next(r for r in run["results"] if r["ruleId"] == "out-of-bounds")
place = result["locations"][0]["physicalLocation"]
assert place["artifactLocation"]["uri"] == "c.cu" and place["region"]["startLine"] == int(sys.argv[2]), place
assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "out-of-bounds"
PY
expect 123 "$DRYWARP" check --format junit -o f.xml c.cu
has f.xml 'failures="2"'
has f.xml "<testcase classname=\"synccheck\" name=\"no problem\"/>"
expect 123 "$DRYWARP" check --format github c.cu
has out "::error file=c.cu,line=$(line PAST),title=access out of bounds::past(int*): invalid global write"

# The same every time, on any number of threads.
expect 123 "$DRYWARP" check --format json --workers 1 -o one.json c.cu
expect 123 "$DRYWARP" check --format json --workers 3 -o three.json c.cu
cmp one.json three.json || fail "three threads find something else"

# A kernel that synchronizes its grid in a launch that is not cooperative.
cat >grid.cu <<'CUDA'
#include <cooperative_groups.h>
__global__ void k() { cooperative_groups::this_grid().sync(); }
int main() {
  k<<<4, 32>>>();
  return cudaDeviceSynchronize() == cudaSuccess;
}
CUDA
expect 123 "$DRYWARP" check --tool synccheck grid.cu
has out "error: barrier of the grid in a launch that is not cooperative (synccheck)"
has out "  at grid.cu:2: trap;"
has out "the kernel synchronizes its grid, and the launch is not cooperative: use cudaLaunchCooperativeKernel"
expect 123 "$DRYWARP" check --tool racecheck grid.cu
has out "error: kernel stopped"
has out "use cudaLaunchCooperativeKernel"

# What it refuses, and a program that is not there.
expect 125 "$DRYWARP" check --tool nonsense c.cu
has err "--tool nonsense: there is no such tool"
has err "there are: memcheck, racecheck, initcheck, synccheck, leakcheck"
expect 125 "$DRYWARP" check --format nonsense c.cu
expect 127 "$DRYWARP" check ./nothing
expect 125 "$DRYWARP" check --kernel-name "(" c.cu

# What a program did before it was killed was checked.
cat >killed.cu <<'CUDA'
#include <cstdlib>
__global__ void nothing() {}
int main() {
  nothing<<<1, 32>>>();
  cudaDeviceSynchronize();
  std::abort();
}
CUDA
expect 134 "$DRYWARP" check killed.cu
has out "no problem in 1 launch"
hasnt err "nothing was checked"
