// Barriers that not every thread reaches run, as on a GPU, and are named: a branch inside a warp, whole warps, ended
// threads. A guard for the end of an array is none of these.
// EXPECT-ERROR: warning: divergent barrier at \S*barriers_in_branches\.cu:@REDUCTION in in_a_reduction.*of warp 0 of block \(0,0,0\), 16 lanes wait at it and 16 run on
// EXPECT-ERROR: warning: divergent barrier at \S*barriers_in_branches\.cu:@FORTY in under_a_condition.*of warp 1 of block \(0,0,0\), 8 lanes wait at it and 24 run on
// EXPECT-ERROR: warning: skipped barrier at \S*barriers_in_branches\.cu:@WARPS in by_whole_warps.*2 warps wait at it and 2 run on
// EXPECT-ERROR: note: barrier at \S*barriers_in_branches\.cu:@ENDED in threads_end_before.*88 of 128 threads
// EXPECT-NOT: barriers_in_branches\.cu:@GUARD in
// EXPECT-NOT: barriers_in_branches\.cu:@ALL in
// EXPECT-NOT: barriers_in_branches\.cu:@PARTS in
#include "check.h"

__global__ void in_a_reduction(int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();  // @ALL
  for (int stride = 64; stride > 0; stride /= 2) {
    if (t < stride) {
      s[t] += s[t + stride];
      __syncthreads();  // @REDUCTION
    }
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void under_a_condition(int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 40) {
    s[t] += 1;
    __syncthreads();  // @FORTY
  }
  out[t] = s[t];
}

__global__ void by_whole_warps(int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 64) {
    __syncthreads();  // @WARPS
    s[t] += 1;
  }
  out[t] = s[t];
}

__global__ void threads_end_before(int* out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  if (t >= 40) return;
  s[t] = t;
  __syncthreads();  // @ENDED
  out[t] = s[39 - t];
}

__global__ void guarded(int* out, int n) {
  __shared__ int s[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = i;
  __syncthreads();  // @GUARD
  out[i] = s[threadIdx.x];
}

// All lanes reach the barrier, those of one warp one after the other.
__global__ void in_parts(int* out) {
  int t = threadIdx.x, n = t % 3;
  for (int i = 0; i < n; ++i) {
    if (t % 2 == 0) __syncwarp(__activemask());
    out[t] += 1;
  }
  __syncthreads();  // @PARTS
  out[t] += n;
}

int main() {
  int* out;
  CK(cudaMalloc(&out, 512 * sizeof(int)));
  CK(cudaMemset(out, 0, 512 * sizeof(int)));
  in_a_reduction<<<2, 128>>>(out);
  in_a_reduction<<<2, 128>>>(out);  // said once
  under_a_condition<<<1, 128>>>(out);
  by_whole_warps<<<1, 128>>>(out);
  threads_end_before<<<1, 128>>>(out);
  guarded<<<4, 128>>>(out, 500);
  guarded<<<4, 128>>>(out, 330);
  in_parts<<<1, 128>>>(out);
  CK(cudaDeviceSynchronize());
  return finish();
}
