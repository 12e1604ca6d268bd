# Barriers that not every thread reaches: on the terminal, in the report, the profile file, gates and comparisons.
source "$(dirname "$0")/common.sh"

cat >b.cu <<'CUDA'
__global__ void forty(int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 40) {
    s[t] += 1;
    __syncthreads();  // FORTY
  }
  out[t] = s[t];
}
int main() {
  int* out;
  cudaMalloc(&out, 256);
  forty<<<2, 64>>>(out);
  return cudaDeviceSynchronize();
}
CUDA
line=$(grep -n FORTY b.cu | cut -d: -f1)

expect 123 "$DRYWARP" profile --time off -o run.dwprof --sarif s.json \
  --expect "kernel:forty divergent_barriers == 0" --expect "line:b.cu:$line divergent_barriers <= 1" \
  --expect "line:b.cu:4 divergent_barriers == 0" b.cu
has err "warning: divergent barrier at $PWD/b.cu:$line in forty(int*): of warp 1 of block (0,0,0), 8 lanes wait at it"
has err "Expectations: 1 of 3 hold"
has err "divergent_barriers is 2 barriers, expected == 0 barriers"
has err "b.cu:$line"
has out "    !! divergent barrier at b.cu:$line"
grep -q "\"startLine\": *$line" s.json || fail "the SARIF file lacks line $line"

expect 0 "$DRYWARP" show run.dwprof
[[ $(unwrapped out) == *"Divergent barrier at b.cu:$line: of warp 1 of block (0,0,0), 8 lanes wait at it and 24 run on"* ]] ||
  fail "the kernel's screen lacks its barrier"
expect 0 "$DRYWARP" query --format csv run.dwprof "SELECT line, kind, times, warp, waited, absent FROM barriers"
has out "$line,divergent_warp,2,1,8,24"

# Allowed, it is counted and not said. Without the branch it is gone.
expect 0 "$DRYWARP" profile --time off --allow-divergent-barriers --expect "divergent_barriers == 2" b.cu
hasnt err "divergent barrier at"
sed -i 's/t < 40/t < 64/' b.cu
expect 0 "$DRYWARP" profile --time off -o all.dwprof --expect "divergent_barriers == 0" b.cu
hasnt err "barrier at"
hasnt out "barrier at"
expect 0 "$DRYWARP" compare run.dwprof all.dwprof
grep -q "divergent_barriers  *better  *2  *0" out || fail "compare does not judge the barrier"
has out "better: divergent_barriers 2 -> 0"

# Barriers of the grid in launches that are not cooperative: behind a cooperative one a GPU runs them, and where not all
# blocks fit it waits for ever.
cat >g.cu <<'CUDA'
#include <cooperative_groups.h>
__global__ void __launch_bounds__(1024, 1) all(int* out) {
  cooperative_groups::this_grid().sync();  // SYNC
  if (threadIdx.x == 0) atomicAdd(out, 1);
}
int main(int argc, char** argv) {
  int *out, done;
  cudaMalloc(&out, 4);
  cudaMemset(out, 0, 4);
  void* arguments[] = {&out};
  if (argv[1][0] != 'n') cudaLaunchCooperativeKernel(reinterpret_cast<void*>(all), 4, 32, arguments, 0, nullptr);
  all<<<argv[1][0] == 'm' ? 100000 : 7, 1024>>>(out);
  all<<<3, 32>>>(out);
  if (const cudaError_t error = cudaDeviceSynchronize()) return error == cudaErrorLaunchFailure ? 7 : 8;
  cudaMemcpy(&done, out, 4, cudaMemcpyDeviceToHost);
  return done == 14 ? 0 : 9;
}
CUDA
line=$(grep -n SYNC g.cu | cut -d: -f1)
expect 0 "$DRYWARP" run g.cu -- behind
has err "warning: $PWD/g.cu:$line in all(int*): barrier of the grid in a launch that is not cooperative, 7 times in this launch."
[[ $(grep -c "barrier of the grid" err) == 1 ]] || fail "the line is named more than once"
expect 7 "$DRYWARP" run --strict g.cu -- behind
has err "the kernel synchronizes its grid, and the launch is not cooperative: use cudaLaunchCooperativeKernel"
expect 7 "$DRYWARP" run g.cu -- never
has err "the kernel synchronizes its grid, and the launch is not cooperative: use cudaLaunchCooperativeKernel"
expect 7 "$DRYWARP" run g.cu -- many
has err "blocks wait for others, and nothing that is left to run can end that"
