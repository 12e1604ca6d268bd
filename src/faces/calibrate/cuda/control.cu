// Barriers, fences, branches and divergence.
#include "bench.h"

namespace {

__global__ void barriers(int rounds, uint64_t* cycles) {
  for (int warm = 0; warm < 2; ++warm) {
    __syncthreads();
    const uint64_t begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int u = 0; u < 16; ++u) asm volatile("bar.sync 0;" ::: "memory");
    }
    const uint64_t end = now();
    if (threadIdx.x == 0) *cycles = end - begin;
  }
}

template <bool kDevice>
__global__ void fences(int rounds, uint64_t* cycles) {
  for (int warm = 0; warm < 2; ++warm) {
    const uint64_t begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      if (kDevice)
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
      else
        asm volatile("fence.acq_rel.cta;" ::: "memory");
    }
    const uint64_t end = now();
    if (threadIdx.x == 0) *cycles = end - begin;
  }
}

__device__ void fma(float& a, float k, float m) { asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(k), "f"(m)); }

// A loop around a chain of kSteps; the time beyond the chain is the loop's branch. If the trip count is uniform, the
// counter is in a uniform register; `kUniform` false prevents that.
template <int kSteps, bool kUniform>
__global__ void loop(float* data, int all_rounds, uint64_t* cycles) {
  const int rounds = kUniform ? all_rounds : all_rounds + int(data[96 + threadIdx.x]);
  float a = data[threadIdx.x];
  const float k = data[32], m = data[33];
  for (int warm = 0; warm < 2; ++warm) {
    const uint64_t begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int s = 0; s < kSteps; ++s) fma(a, k, m);
    }
    const uint64_t end = now_after(__float_as_uint(a));
    *cycles = end - begin;
  }
  data[64 + threadIdx.x] = a;
}

template <int kSteps, bool kUniform>
void measure_loop(const char* name) {
  Buffer<float> data(128);
  Buffer<uint64_t> cycles(1);
  double found[2];
  for (int i = 0; i < 2; ++i) {
    loop<kSteps, kUniform><<<1, 32>>>(data.data, 64 + 1024 * i, cycles.data);
    CHECK(cudaDeviceSynchronize());
    found[i] = double(cycles.host()[0]);
  }
  point(name, kSteps, (found[1] - found[0]) / 1024);
}

// A branch with a chain of 64 on each side, taken by all lanes on one side or by lanes on both sides.
__global__ void sides(float* data, int lanes, int rounds, uint64_t* cycles) {
  float a = data[threadIdx.x];
  const float k = data[32], m = data[33];
  for (int warm = 0; warm < 2; ++warm) {
    const uint64_t begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
      if (int(threadIdx.x) < lanes) {
#pragma unroll
        for (int s = 0; s < 64; ++s) fma(a, k, m);
      } else {
#pragma unroll
        for (int s = 0; s < 64; ++s) fma(a, m, k);
      }
      __syncwarp();
    }
    const uint64_t end = now_after(__float_as_uint(a));
    *cycles = end - begin;
  }
  data[64 + threadIdx.x] = a;
}

// The read of a special register, compared with a value that is already available.
__global__ void special_register(uint64_t* cycles) {
  uint64_t total = 0, plain = 0;
  for (int r = 0; r < 32; ++r) {
    if (r == 16) total = plain = 0;  // the first half fills the instruction caches
    const uint64_t first = now();
    const uint64_t second = now_after(first);
    uint32_t warp;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp)::"memory");
    const uint64_t third = now_after(warp);
    plain += second - first;
    total += third - second;
  }
  cycles[0] = total;
  cycles[1] = plain;
}

}  // namespace

void measure_control() {
  Buffer<uint64_t> cycles(1);
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    barriers<<<1, warps * 32>>>(16, cycles.data);
    CHECK(cudaDeviceSynchronize());
    point("control.barrier", warps, double(cycles.host()[0]) / 256);
  }
  fences<false><<<1, 32>>>(256, cycles.data);
  CHECK(cudaDeviceSynchronize());
  value("control.fence_block", double(cycles.host()[0]) / 256);
  fences<true><<<1, 32>>>(256, cycles.data);
  CHECK(cudaDeviceSynchronize());
  value("control.fence_device", double(cycles.host()[0]) / 256);

  measure_loop<1, true>("control.loop");
  measure_loop<1, false>("control.lane_loop");
  measure_loop<2, true>("control.loop");
  measure_loop<2, false>("control.lane_loop");
  measure_loop<4, true>("control.loop");
  measure_loop<4, false>("control.lane_loop");
  measure_loop<8, true>("control.loop");
  measure_loop<8, false>("control.lane_loop");
  measure_loop<16, true>("control.loop");
  measure_loop<16, false>("control.lane_loop");
  measure_loop<32, true>("control.loop");
  measure_loop<32, false>("control.lane_loop");

  Buffer<uint64_t> special(2);
  special_register<<<1, 32>>>(special.data);
  CHECK(cudaDeviceSynchronize());
  value("control.special_register", (double(special.host()[0]) - double(special.host()[1])) / 16);

  Buffer<float> data(128);
  for (int lanes : {0, 16, 32}) {
    double found[2];
    for (int i = 0; i < 2; ++i) {
      sides<<<1, 32>>>(data.data, lanes, 16 + 128 * i, cycles.data);
      CHECK(cudaDeviceSynchronize());
      found[i] = double(cycles.host()[0]);
    }
    point("control.sides", lanes, (found[1] - found[0]) / 128);
  }
}
