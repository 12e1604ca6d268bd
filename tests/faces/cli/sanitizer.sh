# compute-sanitizer's face: its text, XML, options and exit codes, as scripts read them; and under the older name.
source "$(dirname "$0")/common.sh"

cat >c.cu <<'CUDA'
#include <cstdio>
__global__ void past(int* out) {
  out[threadIdx.x + 64] = 1;  // PAST
}
__global__ void reverse(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  out[t] = s[63 - t];
}
__global__ void lanes(int* out) {
  if (threadIdx.x < 40) __syncthreads();
  out[threadIdx.x] = 1;
}
int main(int argc, char** argv) {
  int *out, *leaked;
  cudaMalloc(&out, 256);
  cudaMalloc(&leaked, 100);  // LEAK
  const char how = argc > 1 ? argv[1][0] : ' ';
  if (how != 's') past<<<1, 64>>>(out);  // LAUNCH
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  reverse<<<1, 64>>>(out);
  lanes<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
  return how == 'f' ? 3 : 0;
}
CUDA
line() { grep -n "// $1" c.cu | cut -d: -f1; }
expect 0 "$DRYWARP" nvcc -lineinfo -g c.cu -o app

# The text: banner, program's output, reports, summary. Without --error-exitcode errors do not change the exit code.
expect 0 "$DRYWARP" compute-sanitizer ./app
head -1 out | grep -qx '========= COMPUTE-SANITIZER' || fail "the banner is not first"
has out '========= Invalid __global__ write of size 4 bytes'
has out "=========     at past(int *) in c.cu:$(line PAST)"
has out '=========     by thread (0,0,0) in block (0,0,0)'
has out '=========     Access to 0x100 is out of bounds'
has out '=========     and is 1 bytes after the nearest allocation at 0x0 of size 256 bytes'
has out '=========     Saved host backtrace up to driver entry point at kernel launch time'
has out "=========         Host Frame: main in c.cu:$(line LAUNCH) in app"
# The writes, and the five calls that fail behind them.
has out '========= ERROR SUMMARY: 69 errors'
hasnt out 'LEAK SUMMARY'
hasnt err '==DRYWARP=='

# Exit codes.
expect 9 "$DRYWARP" compute-sanitizer --error-exitcode 9 ./app
expect 3 "$DRYWARP" compute-sanitizer --error-exitcode 9 ./app fails
has out '========= Target application returned an error'
expect 3 "$DRYWARP" compute-sanitizer --check-exit-code no ./app fails
hasnt out 'Target application'
expect 0 "$DRYWARP" compute-sanitizer --tool initcheck --initcheck-address-space global --error-exitcode 9 ./app sound
has out '========= ERROR SUMMARY: 0 errors'

# The other tools.
expect 0 "$DRYWARP" compute-sanitizer --leak-check full --destroy-on-device-error kernel ./app
has out '========= Leaked 100 bytes'
has out "=========         Host Frame: main in c.cu:$(line LEAK) in app"
has out '========= LEAK SUMMARY: 100 bytes leaked in 1 allocations'
expect 0 "$DRYWARP" compute-sanitizer --leak-check full --destroy-on-device-error kernel --show-backtrace no ./app
hasnt out 'Host Frame'
expect 0 "$DRYWARP" compute-sanitizer --tool racecheck ./app sound
has out '========= Error: Race reported between Write access at reverse(int *) in c.cu:'
has out '=========     and Read access at reverse(int *) in c.cu:'
has out ' hazards]'
has out '========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)'
hasnt out 'Potential'
expect 0 "$DRYWARP" compute-sanitizer --tool racecheck --racecheck-report hazard ./app sound
grep -qE '^========= Error: Potential RAW hazard detected at __shared__ 0x[0-9a-f]+ in block \(0,0,0\) :$' out || fail "no hazard"
hasnt out 'Race reported'
expect 0 "$DRYWARP" compute-sanitizer --tool synccheck ./app sound
has out '========= Barrier error detected. Divergent thread(s) in warp.'

# Calls that fail, and those that give an earlier error; none of them on request.
cat >calls.cu <<'CUDA'
__global__ void nothing() {}
__global__ void fault(int* p) { *p = 1; }
int main(int argc, char**) {
  nothing<<<1, 2048>>>();
  cudaPeekAtLastError();
  cudaGetLastError();
  cudaGetLastError();
  cudaFree((void*)16);
  cudaGetLastError();
  cudaPointerGetAttributes(nullptr, nullptr);
  if (argc == 1) return 0;
  fault<<<1, 1>>>(nullptr);
  cudaDeviceSynchronize();
  void* p;
  cudaMalloc(&p, 16);
}
CUDA
expect 0 "$DRYWARP" nvcc -lineinfo -g calls.cu -o calls
for errors in all explicit; do
  expect 0 "$DRYWARP" compute-sanitizer --report-api-errors $errors --show-backtrace no ./calls
  for call in cudaLaunchKernel cudaPeekAtLastError cudaGetLastError cudaFree cudaPointerGetAttributes; do
    grep -qE "^========= Program hit cudaError[A-Za-z]+ \(error [0-9]+\) due to \".*\" on CUDA API call to $call\.\$" out ||
      fail "$errors: no report of $call"
  done
  has out '========= ERROR SUMMARY: 6 errors'
done
expect 0 "$DRYWARP" compute-sanitizer --report-api-errors no ./calls
hasnt out 'Program hit'
has out '========= ERROR SUMMARY: 0 errors'
expect 0 "$DRYWARP" compute-sanitizer --show-backtrace no ./calls faults
for call in cudaDeviceSynchronize cudaMalloc; do
  has out "due to \"an illegal memory access was encountered\" on CUDA API call to $call."
done
expect 123 "$DRYWARP" check --tool memcheck ./calls faults
hasnt out 'cudaGetLastError'
hasnt out 'cudaMalloc returns'

# Filters of mangled names, launches and print limits.
for filter in kernel_substring=past kne=_Z4pastPi regex='Z4p.s?t'; do
  expect 0 "$DRYWARP" compute-sanitizer --kernel-name "$filter" ./app
  has out 'ERROR SUMMARY: 69 errors'
done
# What is not checked is not found; the launch fails in any case, and so do the calls behind it.
for filter in '--kernel-regex kns=reverse' '--kernel-name-exclude kns=nothing,kns=past' '--launch-skip 1'; do
  expect 0 "$DRYWARP" compute-sanitizer $filter --report-api-errors no ./app
  has out 'ERROR SUMMARY: 0 errors'
done
expect 0 "$DRYWARP" compute-sanitizer --leak-check full --destroy-on-device-error kernel --print-limit 1 ./app
has out '========= ERROR SUMMARY: 1 error was not printed. Use --print-limit option'

# Files, prefixes, the older name.
expect 0 "$DRYWARP" compute-sanitizer --log-file 'log-%p.txt' --prefix '@@' ./app
grep -qx '@@ COMPUTE-SANITIZER' log-*.txt || fail "no log file with the prefix"
hasnt out 'ERROR SUMMARY'
expect 0 "$DRYWARP" cuda-memcheck --xml yes --save r.xml ./app
has out '========= CUDA-MEMCHECK'
python3 - "$(line PAST)" <<'PY'
import sys, xml.etree.ElementTree as tree
root = tree.parse("r.xml").getroot()
assert root.tag == "ComputeSanitizerOutput", root.tag
record, *calls = root.findall("record")
assert len(calls) == 5 and {call.find("kind").text for call in calls} == {"Api"}, len(calls)
assert record.find("level").text == "Error" and record.find("what/size").text == "4"
assert record.find("kind").text == "Precise" and record.find("where/func").text == "past" and record.find("where/line").text == sys.argv[1]
assert [record.find(f"who/threadIdx/{axis}").text for axis in "xyz"] == ["0", "0", "0"]
PY
ln -s "$DRYWARP" compute-sanitizer
expect 0 ./compute-sanitizer --tool synccheck --print-level error ./app
has out '========= COMPUTE-SANITIZER'

# Options without effect are said; wrong ones, and what drywarp cannot do, are refused before the program runs.
expect 0 "$DRYWARP" compute-sanitizer --padding 32 --target-processes all --quiet ./app
hasnt err '==DRYWARP=='
hasnt out 'COMPUTE-SANITIZER'
expect 0 "$DRYWARP" compute-sanitizer --padding 32 ./app
has err '==DRYWARP== --padding has no effect: '
expect 255 "$DRYWARP" compute-sanitizer --no-such-option ./app
has err '--no-such-option'
expect 255 "$DRYWARP" compute-sanitizer --tool nonsense ./app
expect 255 "$DRYWARP" compute-sanitizer --report-api-errors extended ./app
expect 1 "$DRYWARP" compute-sanitizer --kernel-name past ./app
has err 'not KEY=VALUE'
expect 255 "$DRYWARP" compute-sanitizer --xml ./app
has err '--xml needs the file of --save'
expect 255 "$DRYWARP" compute-sanitizer --read old.bin ./app
expect 1 "$DRYWARP" compute-sanitizer ./nothing

# A program that does not use CUDA.
printf 'int main() { return 0; }\n' >plain.cu
expect 0 "$DRYWARP" nvcc plain.cu -o plain
expect 1 "$DRYWARP" compute-sanitizer ./plain
has out 'terminated before first instrumented API call'
expect 0 "$DRYWARP" compute-sanitizer --require-cuda-init no ./plain
expect 0 "$DRYWARP" compute-sanitizer --version
has out 'Compute Sanitizer'
