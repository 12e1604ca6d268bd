// Barriers of the block that lanes or warps miss, beside sound ones.
// TOOLS: synccheck
// FINDS: divergent-barrier @LANES
// FINDS: skipped-barrier @WARPS
// FINDS: skipped-barrier @BEHIND_GUARD
// FINDS: skipped-barrier @FEWER_ROUNDS
// FINDS: left-barrier @ENDS
// FINDS: divergent-barrier @LANES_END
// FINDS: left-barrier @ENDS_BEHIND_GUARD
// FINDS: left-barrier @ENDS_IN_LOOP
// FINDS: ended-before-barrier @GUARDED
// FINDS: barrier-deadlock @ARM
// EXPECT-EXIT: 1
#include <cstdio>

__global__ void sound(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void lanes_miss(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  if (t < 40) {
    s[t] += 1;
    __syncthreads();  // @LANES
  }
  out[t] = s[t];
}

__global__ void warps_skip(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  if (t < 32) {
    s[t] += 1;
    __syncthreads();  // @WARPS
  }
  out[t] = s[t];
}

// Warps end at the guard, and others pass it.
__global__ void guarded(int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t >= n) return;
  s[t] = t;
  __syncthreads();  // @GUARDED
  out[t] = s[n - 1 - t];
}
__global__ void skips_behind_guard(int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t >= n) return;
  s[t] = t;
  if (t < 32) {
    s[t] += 1;
    __syncthreads();  // @BEHIND_GUARD
  }
  out[t] = s[t];
}
__global__ void fewer_rounds(int* out, int n) {
  const int t = threadIdx.x;
  if (t >= n) return;
  int sum = 0;
  for (int round = 0; round < 1 + t / 32; ++round) {
    sum += out[round];
    __syncthreads();  // @FEWER_ROUNDS
  }
  out[t] = sum;
}

// Who misses the barrier ends at once, as behind a guard; but the thread's place in its block alone decides.
__global__ void ends() {
  if (threadIdx.x < 32) __syncthreads();  // @ENDS
}
__global__ void lanes_end() {
  if (threadIdx.x < 40) __syncthreads();  // @LANES_END
}
__global__ void ends_behind_guard(int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  s[t] = i;
  if (t / 32 == 0) {
    s[t] += 1;
    __syncthreads();  // @ENDS_BEHIND_GUARD
    out[t] = s[31 - t];
  }
}
__global__ void ends_in_loop(int* out, int n) {
  const int t = threadIdx.x;
  if (t >= n) return;
  for (int round = 0; round < 1 + t / 32; ++round) {
    atomicAdd(out + round, 1);
    __syncthreads();  // @ENDS_IN_LOOP
  }
}
// Guards: data and the number of the block decide. Threads of blocks behind the first one end.
__global__ void guarded_by_data(int* out, const int* ends, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i >= n || (ends && ends[i])) return;
  s[t] = i;
  __syncthreads();
  out[t] = s[t / 32];
}
__global__ void grid_stride(int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    out[i % 64] = i;
    __syncthreads();
  }
}

__global__ void two_arms(int* out) {
  const int t = threadIdx.x;
  if (t % 2) {
    out[t] = 1;
    __syncthreads();  // @ARM
    out[t] += 1;
  } else {
    out[t] = 2;
    __syncthreads();
    out[t] += 2;
  }
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  sound<<<4, 64>>>(out);
  lanes_miss<<<4, 64>>>(out);
  warps_skip<<<4, 64>>>(out);
  guarded<<<4, 64>>>(out, 32);
  skips_behind_guard<<<4, 64>>>(out, 64);
  fewer_rounds<<<4, 64>>>(out, 64);
  ends<<<4, 64>>>();
  lanes_end<<<4, 64>>>();
  ends_behind_guard<<<4, 64>>>(out, 256);
  ends_in_loop<<<4, 64>>>(out, 64);
  guarded_by_data<<<4, 64>>>(out, nullptr, 216);
  grid_stride<<<2, 64>>>(out, 128 + 96);
  two_arms<<<4, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
