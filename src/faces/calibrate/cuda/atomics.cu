// Latency and throughput of atomics.
#include "bench.h"

namespace {

__global__ void global_chain(uint32_t* memory, int rounds, uint64_t* cycles, uint32_t* sink) {
  uint32_t old = 0;
  uint32_t* at = memory + threadIdx.x;
  for (int warm = 0; warm < 2; ++warm) {
    const uint64_t begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r)  // in all slices of the L2; each adds the result of the previous one
      asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(old) : "l"(at + r % 1024 * 1056) : "memory");
    *cycles = now_after(old) - begin;
  }
  sink[threadIdx.x] = old;
}

enum Kind { kAdd, kCas, kExchange };
template <Kind kind>
__global__ void shared_chain(int same_lanes, int rounds, uint64_t* cycles, uint32_t* sink) {
  __shared__ uint32_t memory[64];
  memory[threadIdx.x] = 0;
  memory[threadIdx.x + 32] = 0;
  __syncthreads();
  // `same_lanes` lanes share a word; the others have one each, in other banks.
  const uint32_t at =
      uint32_t(__cvta_generic_to_shared(memory)) + (int(threadIdx.x) < same_lanes ? 0 : threadIdx.x) * 4;
  uint32_t old = 0;
  for (int warm = 0; warm < 2; ++warm) {
    const uint64_t begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int u = 0; u < 16; ++u) {
        if (kind == kAdd) asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(old) : "r"(at) : "memory");
        if (kind == kCas) asm volatile("atom.shared.cas.b32 %0, [%1], %0, 1;" : "+r"(old) : "r"(at) : "memory");
        if (kind == kExchange) asm volatile("atom.shared.exch.b32 %0, [%1], %0;" : "+r"(old) : "r"(at) : "memory");
      }
    }
    *cycles = now_after(old) - begin;
  }
  sink[threadIdx.x] = old;
}

// Reductions, whose results are unused: lane l adds to word l * lane_step.
__global__ void shared_flood(int lane_step, int rounds, uint64_t* times, uint32_t* sink) {
  __shared__ uint32_t memory[1024];
  memory[threadIdx.x] = 0;
  __syncthreads();
  const uint32_t at = uint32_t(__cvta_generic_to_shared(memory)) + (threadIdx.x % 32 * lane_step) % 1024 * 4;
  const uint64_t begin = now();
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int u = 0; u < 8; ++u) asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at + u * 128 * (lane_step == 1)) : "memory");
  }
  __syncthreads();
  const uint64_t end = now();
  if (threadIdx.x % 32 == 0) times[threadIdx.x / 16] = begin, times[threadIdx.x / 16 + 1] = end;
  sink[threadIdx.x] = memory[threadIdx.x];
}

// If the compiler knows that all lanes have the same address, it generates one addition a warp; kLoadedAddress hides
// that.
enum Spread { kLoadedAddress, kOneLaneSameAddress, kWords, kRandom, kPerWarpAddress, kOneLine };
__device__ void add(uint32_t* at) { asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory"); }
__device__ void add(float* at) { asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(1.0f) : "memory"); }
__device__ void add(double* at) {
#if __CUDA_ARCH__ >= 600
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"(at), "d"(1.0) : "memory");
#endif
}
template <Spread spread, class T>
__global__ void global_flood(T* memory, uint32_t words, uint32_t zero, int rounds) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t state = thread * 2654435761u + 12345;
  if (spread == kOneLaneSameAddress && threadIdx.x % 32 != 0) return;
  for (int r = 0; r < rounds; ++r) {
    uint32_t index = 0;
    if (spread == kWords) index = (thread + r * 4096) & (words - 1);
    if (spread == kLoadedAddress) index = thread * zero;
    if (spread == kPerWarpAddress) index = (thread / 32 * 64) & (words - 1);
    if (spread == kRandom) {
      state = state * 1664525u + 1013904223u;
      index = (state >> 8) & (words - 1);
    }
    if (spread == kOneLine) index = threadIdx.x % 32;
    add(memory + index);
  }
}

template <Spread spread, class T>
void measure_global(const char* name, T* memory, uint32_t words, int blocks, int threads, int rounds) {
  const double time = seconds([&] { global_flood<spread><<<blocks, threads>>>(memory, words, 0, rounds); });
  const double lanes = spread == kOneLaneSameAddress ? threads / 32 : threads;
  value(name, lanes * blocks * rounds / time);  // results a second
}

}  // namespace

void measure_atomics() {
  Buffer<uint64_t> cycles(1);
  Buffer<uint32_t> memory(size_t(4) << 20);
  Buffer<uint32_t> sink(1024);
  global_chain<<<1, 1>>>(memory.data, 1024, cycles.data, sink.data);
  CHECK(cudaDeviceSynchronize());
  value("atomics.global_chain", double(cycles.host()[0]) / 1024);
  for (int same : {1, 2, 4, 8, 16, 32}) {
    shared_chain<kAdd><<<1, 32>>>(same, 32, cycles.data, sink.data);
    CHECK(cudaDeviceSynchronize());
    point("atomics.shared_chain", same, double(cycles.host()[0]) / (32 * 16));
    shared_chain<kCas><<<1, 32>>>(same, 32, cycles.data, sink.data);
    CHECK(cudaDeviceSynchronize());
    point("atomics.shared_cas_chain", same, double(cycles.host()[0]) / (32 * 16));
    shared_chain<kExchange><<<1, 32>>>(same, 32, cycles.data, sink.data);
    CHECK(cudaDeviceSynchronize());
    point("atomics.shared_exchange_chain", same, double(cycles.host()[0]) / (32 * 16));
  }
  Buffer<uint64_t> times(64);
  for (int step : {0, 1, 2, 32}) {
    double found[2];
    for (int i = 0; i < 2; ++i) {
      shared_flood<<<1, 1024>>>(step, 8 + 24 * i, times.data, sink.data);
      CHECK(cudaDeviceSynchronize());
      found[i] = block_cycles(times.host());
    }
    point("atomics.shared_flood", step, (found[1] - found[0]) / (24 * 8 * 32));  // cycles a warp's atomic
  }
  int multiprocessors = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  int major = 0;
  CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  const int blocks = multiprocessors * 2;
  measure_global<kLoadedAddress>("atomics.same_address", memory.data, 1, blocks, 512, 64);
  measure_global<kOneLaneSameAddress>("atomics.same_address_one_lane", memory.data, 1, blocks, 512, 64);
  measure_global<kLoadedAddress>("atomics.float_same_address", reinterpret_cast<float*>(memory.data), 1, blocks, 512, 64);
  measure_global<kOneLine>("atomics.one_line", memory.data, 32, blocks, 512, 64);
  if (major >= 6)
    measure_global<kOneLine>("atomics.double_one_line", reinterpret_cast<double*>(memory.data), 32, blocks, 512, 64);
  measure_global<kPerWarpAddress>("atomics.address_per_warp", memory.data, 4 << 20, blocks, 512, 256);
  measure_global<kWords>("atomics.spread", memory.data, 1 << 20, blocks, 512, 256);
  measure_global<kRandom>("atomics.random", memory.data, 4 << 20, blocks, 512, 128);
  measure_global<kWords>("atomics.one_multiprocessor_spread", memory.data, 1 << 16, 1, 1024, 1024);
  measure_global<kLoadedAddress>("atomics.one_multiprocessor_same_address", memory.data, 1, 1, 1024, 256);
}
