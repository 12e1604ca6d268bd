// MTGP32 of cuRAND's host and device interface against an H200's digests, and what distributions are.
// RUN: -lcurand
// EXPECT-STDOUT: OK
#include <curand.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "expect.h"

#define CHECK(call) EXPECT((call) == CURAND_STATUS_SUCCESS)

template <class T>
unsigned long long digest(const std::vector<T>& v) {
  unsigned long long sum = 0;
  for (const T& x : v) {
    unsigned long long bits = 0;
    std::memcpy(&bits, &x, sizeof x);
    sum = sum * 6364136223846793005ull + bits;
  }
  return sum;
}
template <class T>
std::vector<T> from_device(const T* device, size_t n) {
  std::vector<T> out(n);
  EXPECT(cudaMemcpy(out.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
  return out;
}

// What a generator gives in several calls of `counts` numbers, each of which goes on where the one before ended.
template <class T, class Fill>
std::vector<T> drawn(bool host, unsigned long long seed, curandOrdering_t order, const std::vector<size_t>& counts,
                     Fill&& fill) {
  curandGenerator_t g;
  CHECK(host ? curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MTGP32)
             : curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32));
  CHECK(curandSetPseudoRandomGeneratorSeed(g, seed));
  CHECK(curandSetGeneratorOrdering(g, order));
  std::vector<T> all;
  for (const size_t n : counts) {
    std::vector<T> part(n);
    T* device = nullptr;
    if (!host) cudaMalloc(&device, n * sizeof(T));
    CHECK(fill(g, host ? part.data() : device, n));
    if (!host) part = from_device(device, n);
    cudaFree(device);
    all.insert(all.end(), part.begin(), part.end());
  }
  CHECK(curandDestroyGenerator(g));
  return all;
}

void host_interface(bool host) {
  constexpr curandOrdering_t kDefault = CURAND_ORDERING_PSEUDO_DEFAULT, kLegacy = CURAND_ORDERING_PSEUDO_LEGACY;
  EXPECT(digest(drawn<unsigned>(host, 0, kDefault, {100000}, curandGenerate)) == 0xa23d35e5ed4f1db2);
  EXPECT(digest(drawn<unsigned>(host, 1234, kDefault, {1000, 1, 257, 20000, 16384, 30000}, curandGenerate)) ==
         0x992f532d8f75788f);
  EXPECT(digest(drawn<unsigned>(host, 0x123456789abcd, kDefault, {20000}, curandGenerate)) == 0x8814c4dcda3f9ec5);
  EXPECT(digest(drawn<unsigned>(host, 777, kLegacy, {70000}, curandGenerate)) == 0x935b4f17c43344c0);
  EXPECT(digest(drawn<float>(host, 777, kDefault, {1001, 40000}, curandGenerateUniform)) == 0x6bd26b63da608b65);
  EXPECT(digest(drawn<double>(host, 777, kDefault, {1001, 40000}, curandGenerateUniformDouble)) == 0x2522f70dcc00000);
  // One number for each word, so that a normal one is as far in its distribution as the word is in its own.
  const auto normal = drawn<float>(host, 777, kDefault, {1002, 40000}, [](curandGenerator_t g, float* p, size_t n) {
    return curandGenerateNormal(g, p, n, 1, 2);
  });
  const float recorded[] = {1.3632984161376953f, 0.35942643880844116f, 2.492729663848877f, -1.4776504039764404f};
  for (int i = 0; i < 4; ++i) EXPECT(std::fabs(normal[i] - recorded[i]) < 2e-6f);
  for (const double lambda : {5.0, 300.0, 2000.0}) {
    const auto counts = drawn<unsigned>(host, 777, kDefault, {20000}, [=](curandGenerator_t g, unsigned* p, size_t n) {
      return curandGeneratePoisson(g, p, n, lambda);
    });
    double sum = 0, squares = 0;
    for (const unsigned k : counts) sum += k, squares += (k - lambda) * (k - lambda);
    EXPECT(std::fabs(sum / 20000 - lambda) < 6 * std::sqrt(lambda / 20000));
    EXPECT(std::fabs(squares / 20000 - lambda) < 0.06 * lambda);
  }
}

// What MTGP32 refuses.
void refused() {
  curandGenerator_t g;
  CHECK(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32));
  EXPECT(curandSetGeneratorOffset(g, 5) == CURAND_STATUS_TYPE_ERROR);
  EXPECT(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_SEEDED) == CURAND_STATUS_OUT_OF_RANGE);
  CHECK(curandGenerateSeeds(g));
  CHECK(curandDestroyGenerator(g));
}

__global__ void draw(curandStateMtgp32* states, unsigned* words, float* uniform, float* normal,
                     double* uniform_double) {
  curandStateMtgp32* const state = &states[blockIdx.x];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned k = 0; k < 3; ++k) words[k * gridDim.x * blockDim.x + i] = curand(state);
  uniform[i] = curand_uniform(state);
  normal[i] = curand_normal(state);
  uniform_double[i] = curand_uniform_double(state);
}
void device_interface() {
  constexpr int kBlocks = 64, kThreads = 256, kAll = kBlocks * kThreads;
  curandStateMtgp32* states;
  mtgp32_kernel_params* parameters;
  cudaMalloc(&states, kBlocks * sizeof *states);
  cudaMalloc(&parameters, sizeof *parameters);
  EXPECT(sizeof *states == 4112 && sizeof *parameters == 40804 && sizeof(mtgp32_params_fast_t) == 236);
  CHECK(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters));
  CHECK(curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, parameters, kBlocks, 1234));
  unsigned* words;
  float *uniform, *normal;
  double* uniform_double;
  cudaMalloc(&words, 3 * kAll * sizeof *words);
  cudaMalloc(&uniform, kAll * sizeof *uniform);
  cudaMalloc(&normal, kAll * sizeof *normal);
  cudaMalloc(&uniform_double, kAll * sizeof *uniform_double);
  draw<<<kBlocks, kThreads>>>(states, words, uniform, normal, uniform_double);
  EXPECT(digest(from_device(words, 3 * kAll)) == 0x1cf12f392f72dbb4);
  EXPECT(digest(from_device(uniform, kAll)) == 0x17c5e967e44f75b6);
  EXPECT(digest(from_device(uniform_double, kAll)) == 0x29d12277c0400000);
  const auto first = from_device(normal, 4);
  const float recorded[] = {-0.879233718f, -1.40698218f, -0.190915868f, 0.0840694383f};
  for (int i = 0; i < 4; ++i) EXPECT(std::fabs(first[i] - recorded[i]) < 1e-6f);
}

int main() {
  host_interface(false);
  host_interface(true);
  refused();
  device_interface();
  std::printf("OK\n");
}
