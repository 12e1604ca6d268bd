// cp.async with groups, and mbarriers, as Ampere and later have them.
#include "check.h"

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// Double buffering: the next tile is loaded while this one is summed.
__global__ void pipelined(int* out, const int4* in, int tiles) {
  __shared__ int4 buffer[2][64];
  int t = threadIdx.x;
  const int4* mine = in + blockIdx.x * tiles * 64;
  auto fetch = [&](int tile) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&buffer[tile % 2][t])), "l"(mine + tile * 64 + t)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  int sum = 0;
  fetch(0);
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      fetch(tile + 1);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_all;" ::: "memory");
    }
    __syncthreads();
    int4 v = buffer[tile % 2][63 - t];
    sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sum;
}

// Four bytes each, the rest filled with zeroes.
__global__ void zero_fill(int* out, const int* in, int n) {
  __shared__ int buffer[64];
  int t = threadIdx.x;
  buffer[t] = -1;
  __syncthreads();
  int bytes = t < n ? 4 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(&buffer[t])), "l"(in + (t < n ? t : 0)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[t] = buffer[63 - t];
}

// Producers and consumers meet at an mbarrier; phases alternate.
__global__ void phases(int* out, int rounds) {
  __shared__ unsigned long long barrier;
  __shared__ int value[96];
  int t = threadIdx.x;
  unsigned address = shared_address(&barrier);
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(96) : "memory");
  __syncthreads();
  int v = t;
  for (int r = 0; r < rounds; ++r) {
    for (int half = 0; half < 2; ++half) {
      if (half == 0) value[t] = v;
      else v = value[(t + 1) % 96] + 1;
      unsigned long long state;
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
      int done = 0;
      while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(address), "l"(state)
                     : "memory");
    }
  }
  out[t] = v;
}

// The end of a thread's copies arrives at the barrier for the thread.
__global__ void copies_arrive(int* out, const int* in) {
  __shared__ int buffer[64];
  __shared__ unsigned long long barrier;
  int t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(shared_address(&barrier)) : "memory");
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&buffer[t])), "l"(in + t) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(&barrier))
                 : "memory");
  out[t] = buffer[63 - t];
}

int main() {
  {
    const int blocks = 5, tiles = 7;
    std::vector<int4> in(blocks * tiles * 64);
    std::vector<int> want(blocks * 64, 0);
    for (size_t i = 0; i < in.size(); ++i) in[i] = make_int4(i, i % 7, i % 5, i % 3);
    for (int b = 0; b < blocks; ++b)
      for (int t = 0; t < 64; ++t)
        for (int k = 0; k < tiles; ++k) {
          const int4 v = in[(b * tiles + k) * 64 + 63 - t];
          want[b * 64 + t] += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
        }
    Buffer<int4> device_in(in);
    Buffer<int> out(blocks * 64);
    pipelined<<<blocks, 64>>>(out, device_in, tiles);
    CK_LAUNCH();
    expect_same("pipelined", out.get(), want);
  }
  {
    std::vector<int> in(64), want(64);
    for (int i = 0; i < 64; ++i) in[i] = i + 10;
    for (int t = 0; t < 64; ++t) want[t] = 63 - t < 40 ? 63 - t + 10 : 0;
    Buffer<int> device_in(in), out(64);
    zero_fill<<<1, 64>>>(out, device_in, 40);
    CK_LAUNCH();
    expect_same("zero_fill", out.get(), want);
  }
  {
    Buffer<int> out(96);
    phases<<<2, 96>>>(out, 9);
    CK_LAUNCH();
    std::vector<int> want(96);
    for (int t = 0; t < 96; ++t) want[t] = (t + 9) % 96 + 9;
    expect_same("phases", out.get(), want);
  }
  {
    std::vector<int> in(64), want(64);
    for (int i = 0; i < 64; ++i) in[i] = i * 7, want[63 - i] = i * 7;
    Buffer<int> device_in(in), out(64);
    copies_arrive<<<1, 64>>>(out, device_in);
    CK_LAUNCH();
    expect_same("copies_arrive", out.get(), want);
  }
  return finish();
}
