// The sizes of the instruction caches: loops over straight-line code of growing size.
#include "bench.h"

namespace {

template <int kInstructions>
__global__ void straight(float* data, int rounds, uint64_t* cycles) {
  float a = data[0], b = data[1], c = data[2], d = data[3];
  const float k = data[32], m = data[33];
  uint64_t begin = 0;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
    if (r == 1) begin = now();
#pragma unroll
    for (int s = 0; s < kInstructions / 4; ++s) {
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(k), "f"(m));
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(b) : "f"(k), "f"(m));
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(c) : "f"(k), "f"(m));
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(d) : "f"(k), "f"(m));
    }
  }
  *cycles = now_after(__float_as_uint(a + b + c + d)) - begin;
  data[64] = a + b + c + d;
}

template <int kKilobytes>
void measure() {
  constexpr int kInstructions = kKilobytes * 1024 / 16;
  Buffer<float> data(128);
  Buffer<uint64_t> cycles(1);
  const int rounds = std::max(4, 65536 / kInstructions);
  straight<kInstructions><<<1, 32>>>(data.data, rounds + 1, cycles.data);
  CHECK(cudaDeviceSynchronize());
  point("instruction_cache.sweep", kKilobytes * 1024, double(cycles.host()[0]) / (double(rounds) * kInstructions));
}

}  // namespace

void measure_instruction_cache() {
  measure<2>();
  measure<4>();
  measure<8>();
  measure<12>();
  measure<16>();
  measure<20>();
  measure<24>();
  measure<28>();
  measure<32>();
  measure<40>();
  measure<48>();
  measure<64>();
  measure<80>();
  measure<96>();
  measure<112>();
  measure<128>();
  measure<144>();
  measure<160>();
  measure<192>();
  measure<256>();
}
