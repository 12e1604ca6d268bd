# drywarp check: the host's calls that led to a launch, an allocation, a call that fails, and an operation, whichever
# thread they run on.
source "$(dirname "$0")/common.sh"

cat >stacks.cu <<'CUDA'
#include <thread>
__global__ void past(int* out) { out[threadIdx.x + 64] = 1; }
__global__ void wait_and_go_past(volatile int* go, int* out) {
  while (*go == 0) {
  }
  out[threadIdx.x + 64] = 2;
}
__global__ void wait_and_use(volatile int* go, int* out) {
  while (*go == 0) {
  }
  if (threadIdx.x < 8) {
    __syncthreads();
    out[threadIdx.x] = out[threadIdx.x + 32];
  }
}
__global__ void fill(int* out) { out[threadIdx.x] = 3; }

__attribute__((noinline)) int* allocate() {
  int* made;
  cudaMalloc(&made, 256);  // MADE
  return made;
}
__attribute__((noinline)) void launch(int* out) {
  past<<<1, 1>>>(out);  // LAUNCH
}
__attribute__((noinline)) void launch_late(volatile int* go, int* out) {
  wait_and_go_past<<<1, 1>>>(go, out);  // LATE
}
__attribute__((noinline)) void use_late(volatile int* go, int* out) {
  wait_and_use<<<1, 32>>>(go, out);  // USE_LATE
}
__attribute__((noinline)) void fail() {
  int local;
  cudaFree(&local);  // FAILS
}
__attribute__((noinline)) void fill_in(cudaStream_t stream, int* out) {
  fill<<<1, 64, 0, stream>>>(out);  // FILL
}

int main(int argc, char** argv) {
  const char what = argv[1][0];
  int* out = allocate();  // ALLOCATES
  if (what == 't') {
    std::thread other([&] {
      launch(out);  // THREAD
      cudaDeviceSynchronize();
    });
    other.join();
  }
  if (what == 'w') {
    int* go;
    cudaMallocHost(&go, 4096);
    *go = 0;
    launch_late(go, out);  // WAITS
    *static_cast<volatile int*>(go) = 1;
    cudaDeviceSynchronize();
  }
  if (what == 'u') {
    int* go;
    cudaMallocHost(&go, 4096);
    *go = 0;
    use_late(go, out);  // USES
    *static_cast<volatile int*>(go) = 1;
    cudaDeviceSynchronize();
  }
  if (what == 'f') fail();  // CALLS
  if (what == 's') {
    cudaStream_t one, two;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    fill_in(one, out);  // FIRST
    fill_in(two, out);  // SECOND
  }
  cudaDeviceSynchronize();
}
CUDA
line() { grep -n "// $1\$" stacks.cu | cut -d: -f1; }
check() { expect 123 "$DRYWARP" check --tool "$1" stacks.cu -- "$2"; }

check memcheck t
has out "  launched at stacks.cu:$(line LAUNCH) in launch(int*)"
has out "    from stacks.cu:$(line THREAD) in "
has out "made at stacks.cu:$(line MADE) in allocate()"
has out "    from stacks.cu:$(line ALLOCATES) in main"

# It runs on a thread of drywarp's, until the host has set the flag.
check memcheck w
has out "  launched at stacks.cu:$(line LATE) in launch_late(int volatile*, int*)"
has out "    from stacks.cu:$(line WAITS) in main"

# Whichever tool looks alone.
for tool in initcheck synccheck; do
  check $tool u
  has out "  launched at stacks.cu:$(line USE_LATE) in use_late(int volatile*, int*)"
  has out "    from stacks.cu:$(line USES) in main"
done

check memcheck f
has out "  at stacks.cu:$(line FAILS): cudaFree"
has out "  called at stacks.cu:$(line FAILS) in fail()"
has out "    from stacks.cu:$(line CALLS) in main"

check racecheck s
has out "  launched at stacks.cu:$(line FILL) in fill_in(CUstream_st*, int*)"
has out "    from stacks.cu:$(line SECOND) in main"
# So of the operation that it races with.
has out "    launched at stacks.cu:$(line FILL) in fill_in(CUstream_st*, int*)"
has out "      from stacks.cu:$(line FIRST) in main"
expect 123 "$DRYWARP" check --tool racecheck --format json stacks.cu -- s
tr -d ' \n' <out | grep -q "\"launched\":\[[^]]*\"line\":$(line FILL)},[^]]*\"line\":$(line FIRST)}\]" ||
  fail "no calls of the other operation"

expect 123 "$DRYWARP" check --tool leakcheck --format json stacks.cu -- none
tr -d ' \n' <out | grep -q "\"calls\":\[{\"function\":\"allocate()\",[^}]*\"line\":$(line MADE)},{\"function\":\"main\"" ||
  fail "no calls of the allocation"
