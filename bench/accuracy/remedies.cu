// Kernels that pay three costs at once, uncoalesced loads, bank conflicts and divergence, and the same kernels with one
// of the three removed: which remedy gains most? All variants of a mix load the same data and do the same arithmetic.
#include "kernels/cases.h"

constexpr int kThreads = 256;

struct Mix {
  const char* name;
  int loads;         // a thread; apart by as many elements, or by the block
  int ways, rounds;  // bank conflicts of shared loads, and how many loads
  int paths, steps;  // branches that lanes or warps take, and the work of each
};

template <bool Coalesced, bool Padded, bool Uniform>
__global__ void mixed(const float* in, float* out, Mix mix) {
  __shared__ float tile[1024];
  const int t = threadIdx.x;
  const size_t base = size_t(blockIdx.x) * kThreads * mix.loads;
  float a = 0;
  for (int k = 0; k < mix.loads; ++k) a += in[base + (Coalesced ? k * kThreads + t : t * mix.loads + k)];
  for (int k = t; k < 1024; k += kThreads) tile[k] = a + k;
  __syncthreads();
  const int step = Padded ? 1 : mix.ways;
  for (int r = 0; r < mix.rounds; ++r) a += tile[(t * step + r * 32) & 1023];
  switch ((Uniform ? t / 32 : t) % mix.paths) {
    case 0:
      for (int s = 0; s < mix.steps; ++s) a = a * 1.0001f + 0.5f;
      break;
    case 1:
      for (int s = 0; s < mix.steps; ++s) a = a * a - 0.25f;
      break;
    case 2:
      for (int s = 0; s < mix.steps; ++s) a = fminf(a, 9.0f) + 0.5f;
      break;
    default:
      for (int s = 0; s < mix.steps; ++s) a = fabsf(a - 4) * 0.9f;
      break;
  }
  out[size_t(blockIdx.x) * kThreads + t] = a;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int kBlocks = 2112;
  const Mix mixes[] = {{"even", 8, 2, 16, 2, 16},         {"loads", 32, 2, 8, 2, 8},     {"banks", 8, 16, 64, 2, 8},
                       {"branches", 8, 4, 16, 4, 128},    {"heavy", 16, 8, 64, 4, 64},   {"rows", 32, 4, 32, 4, 32},
                       {"worst_banks", 4, 32, 32, 2, 64}, {"compute", 4, 2, 128, 4, 256}};
  const std::vector<float> values(size_t(kBlocks) * kThreads * 32, 1.5f);
  float* in = on_device(values);
  float* out = nullptr;
  CHECK(cudaMalloc(&out, sizeof(float) * kBlocks * kThreads));
  for (const Mix& mix : mixes) {
    const std::string name = mix.name;
    run(name, [&] { mixed<false, false, false><<<kBlocks, kThreads>>>(in, out, mix); });
    run(name + "_coalesced", [&] { mixed<true, false, false><<<kBlocks, kThreads>>>(in, out, mix); });
    run(name + "_no-bank-conflicts", [&] { mixed<false, true, false><<<kBlocks, kThreads>>>(in, out, mix); });
    run(name + "_no-divergence", [&] { mixed<false, false, true><<<kBlocks, kThreads>>>(in, out, mix); });
  }
  return 0;
}
