// Block-wide barriers: in loops, after early exits, in branches that the whole block takes, with votes, and by number.
#include "check.h"

__global__ void rotate(int* out, int rounds) {
  __shared__ int ring[192];
  int t = threadIdx.x, n = blockDim.x;
  ring[t] = t;
  for (int r = 0; r < rounds; ++r) {
    __syncthreads();
    int v = ring[(t + 1) % n];
    __syncthreads();
    ring[t] = v;
  }
  __syncthreads();
  out[blockIdx.x * n + t] = ring[t];
}

// Threads that have exited no longer count.
__global__ void leavers(int* out) {
  __shared__ int value[128];
  int t = threadIdx.x;
  value[t] = t * 2;
  __syncthreads();
  if (t >= 70) return;
  __syncthreads();
  int next = value[(t + 1) % 70];
  __syncthreads();
  value[t] += next;
  __syncthreads();
  out[t] = value[69 - t];
}

__global__ void votes(int* out, int limit) {
  int t = threadIdx.x;
  int count = __syncthreads_count(t % 3 == 0 && t < limit);
  int all = __syncthreads_and(t < limit);
  int any = __syncthreads_or(t == limit - 1);
  out[t] = count * 4 + (all ? 2 : 0) + (any ? 1 : 0);
}

__global__ void uniform_branch(int* out, int way) {
  __shared__ int value[96];
  int t = threadIdx.x;
  value[t] = t;
  if (way + blockIdx.x % 2 == 1) {
    __syncthreads();
    out[blockIdx.x * 96 + t] = value[95 - t];
  } else {
    value[t] += 1000;
    __syncthreads();
    out[blockIdx.x * 96 + t] = value[(t + 32) % 96];
  }
}

// The trip count differs from block to block, not within one.
__global__ void loop_by_block(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  for (unsigned r = 0; r <= blockIdx.x; ++r) {
    __syncthreads();
    if (threadIdx.x == r) sum += threadIdx.x + 1;
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Each half of the block has its own barrier: PTX's numbered barriers with thread counts.
__global__ void named(int* out) {
  __shared__ int value[128];
  int t = threadIdx.x;
  if (t < 64) {
    for (int r = 0; r < 3; ++r) {
      value[t] = t + r;
      asm volatile("bar.sync 1, 64;" ::: "memory");
      out[t] = value[63 - t];
      asm volatile("bar.sync 1, 64;" ::: "memory");
    }
  } else {
    value[t] = 5 * t;
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[t] = value[64 + (t + 1) % 64];
  }
}

// Producer warp arrives without waiting; consumer warp syncs.
__global__ void arrive(int* out) {
  __shared__ int value[32];
  int t = threadIdx.x;
  if (t < 32) {
    value[t] = 11 * t;
    __threadfence_block();
    asm volatile("bar.arrive 3, 64;" ::: "memory");
    out[t] = -1;
  } else {
    asm volatile("bar.sync 3, 64;" ::: "memory");
    out[t] = value[t - 32];
  }
}

__device__ __noinline__ void sync_in_function(volatile int* value, int t) {
  __syncthreads();
  value[t] += 1;
  __syncthreads();
}
__global__ void through_calls(int* out) {
  __shared__ int value[64];
  int t = threadIdx.x;
  value[t] = 0;
  for (int k = 0; k < 4; ++k) sync_in_function(value, (t + k) % 64);
  out[t] = value[t];
}

int main() {
  for (int n : {1, 32, 33, 96, 191}) {
    Buffer<int> out(3 * n);
    rotate<<<3, n>>>(out, 7);
    CK_LAUNCH();
    std::vector<int> want(3 * n);
    for (int i = 0; i < 3 * n; ++i) want[i] = (i % n + 7) % n;
    expect_same("rotate", out.get(), want);
  }
  {
    Buffer<int> out(128);
    leavers<<<1, 128>>>(out);
    CK_LAUNCH();
    std::vector<int> want(128, 0);
    for (int t = 0; t < 70; ++t) want[t] = 2 * (69 - t) + 2 * ((69 - t + 1) % 70);
    expect_same("leavers", out.get(), want);
  }
  for (int limit : {1, 50, 100}) {
    Buffer<int> out(100);
    votes<<<1, 100>>>(out, limit);
    CK_LAUNCH();
    expect_same("votes", out.get(), std::vector<int>(100, (limit + 2) / 3 * 4 + (limit == 100 ? 2 : 0) + 1));
  }
  for (int way : {0, 1}) {
    Buffer<int> out(4 * 96);
    uniform_branch<<<4, 96>>>(out, way);
    CK_LAUNCH();
    std::vector<int> want(4 * 96);
    for (int i = 0; i < 4 * 96; ++i) {
      int t = i % 96, b = i / 96;
      want[i] = way + b % 2 == 1 ? 95 - t : (t + 32) % 96 + 1000;
    }
    expect_same("uniform_branch", out.get(), want);
  }
  {
    Buffer<int> out(40);
    loop_by_block<<<40, 64>>>(out);
    CK_LAUNCH();
    std::vector<int> want(40);
    for (int b = 0; b < 40; ++b) want[b] = (b + 1) * (b + 2) / 2;
    expect_same("loop_by_block", out.get(), want);
  }
  {
    Buffer<int> out(128);
    named<<<1, 128>>>(out);
    CK_LAUNCH();
    std::vector<int> want(128);
    for (int t = 0; t < 128; ++t) want[t] = t < 64 ? 63 - t + 2 : 5 * (64 + (t + 1) % 64);
    expect_same("named", out.get(), want);
  }
  {
    Buffer<int> out(64);
    arrive<<<1, 64>>>(out);
    CK_LAUNCH();
    std::vector<int> want(64);
    for (int t = 0; t < 64; ++t) want[t] = t < 32 ? -1 : 11 * (t - 32);
    expect_same("arrive", out.get(), want);
  }
  {
    Buffer<int> out(64);
    through_calls<<<2, 64>>>(out);
    CK_LAUNCH();
    expect_same("through_calls", out.get(), std::vector<int>(64, 4));
  }
  return finish();
}
