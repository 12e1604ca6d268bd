// cuRAND's host interface against its device interface, an H200's digests, and what distributions are.
// RUN: -lcurand
// EXPECT-STDOUT: OK
#include <curand.h>
#include <curand_kernel.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "expect.h"

#define CHECK(call) EXPECT((call) == CURAND_STATUS_SUCCESS)

struct Generator {
  curandGenerator_t handle;
  explicit Generator(curandRngType_t type, bool host = false) {
    CHECK(host ? curandCreateGeneratorHost(&handle, type) : curandCreateGenerator(&handle, type));
  }
  ~Generator() { CHECK(curandDestroyGenerator(handle)); }
  operator curandGenerator_t() const { return handle; }
};

// The numbers that `fill` puts into the device's memory.
template <class T, class Fill>
std::vector<T> numbers(size_t n, Fill&& fill) {
  T* device;
  std::vector<T> out(n);
  cudaMalloc(&device, n * sizeof(T));
  CHECK(fill(device, n));
  cudaMemcpy(out.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(device);
  return out;
}

// Words of a sequence that is divided among `threads`; 0: four of each subsequence.
template <class State>
__global__ void divided(unsigned threads, unsigned long long seed, const unsigned* at, unsigned* out, int n) {
  for (int i = 0; i < n; ++i) {
    State state;
    curand_init(seed, threads == 0 ? at[i] / 4 : at[i] % threads, threads == 0 ? at[i] % 4 : at[i] / threads, &state);
    out[i] = curand(&state);
  }
}

template <class State>
void compare(curandRngType_t type, unsigned threads) {
  const unsigned long long seed = 1234;
  Generator whole(type), parts(type);
  CHECK(curandSetPseudoRandomGeneratorSeed(whole, seed));
  CHECK(curandSetPseudoRandomGeneratorSeed(parts, seed));
  const size_t n = 100000;
  const auto all = numbers<unsigned>(n, [&](unsigned* p, size_t count) { return curandGenerate(whole, p, count); });
  // In several calls the sequence goes on.
  const auto pieces = numbers<unsigned>(n, [&](unsigned* p, size_t count) {
    CHECK(curandGenerate(parts, p, 1000));
    CHECK(curandGenerate(parts, p + 1000, 50000));
    return curandGenerate(parts, p + 51000, count - 51000);
  });
  EXPECT(all == pieces);
  // An offset skips.
  Generator skipped(type);
  CHECK(curandSetPseudoRandomGeneratorSeed(skipped, seed));
  CHECK(curandSetGeneratorOffset(skipped, 777));
  const auto behind =
      numbers<unsigned>(5000, [&](unsigned* p, size_t count) { return curandGenerate(skipped, p, count); });
  EXPECT(std::equal(behind.begin(), behind.end(), all.begin() + 777));
  // Into the host's memory.
  Generator host(type, true);
  CHECK(curandSetPseudoRandomGeneratorSeed(host, seed));
  std::vector<unsigned> on_host(5000);
  CHECK(curandGenerate(host, on_host.data(), on_host.size()));
  EXPECT(std::equal(on_host.begin(), on_host.end(), all.begin()));
  // The device's interface.
  const unsigned places[] = {0, 1, 2, 4095, 4096, 8191, 81919, 81920, 99999};
  unsigned *at, *out;
  cudaMallocManaged(&at, sizeof places);
  cudaMallocManaged(&out, sizeof places);
  std::copy(std::begin(places), std::end(places), at);
  divided<State><<<1, 1>>>(threads, seed, at, out, int(std::size(places)));
  cudaDeviceSynchronize();
  for (size_t i = 0; i < std::size(places); ++i) EXPECT(out[i] == all[places[i]]);
  cudaFree(at), cudaFree(out);
}

// Digests of what NVIDIA's cuRAND gave on an H200, by the seed 1234 for those that have one.
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
struct Recorded {
  curandRngType_t type;
  unsigned dimensions;  // 0: a pseudo-random generator
  unsigned long long bits, uniform, uniform_double;
};
constexpr Recorded kRecorded[] = {
    {CURAND_RNG_PSEUDO_XORWOW, 0, 0x47cb334b5245d34, 0xad3ebcaeb589c8e6, 0xe8d6ac2a4def13c9},
    {CURAND_RNG_PSEUDO_MRG32K3A, 0, 0x611f7839051eab12, 0x167d21a3fa5861d2, 0x598736997af11f8c},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, 0, 0x1e4e3f2b57d9f664, 0x9546e8bc51216c61, 0x6b7c8ea0933a9a0c},
    {CURAND_RNG_QUASI_SOBOL32, 1, 0x3dcaacf251200000, 0x2953d1c5ed72906e, 0x7f4e589c0e000000},
    {CURAND_RNG_QUASI_SOBOL32, 3, 0xd73b2cf504c00000, 0xf1b6ecbee7556cbe, 0x96d4efca1a000000}};

template <class T, class Fill>
unsigned long long digest_of(const Recorded& recorded, Fill&& fill) {
  Generator g(recorded.type);
  if (recorded.dimensions == 0)
    CHECK(curandSetPseudoRandomGeneratorSeed(g, 1234));
  else
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, recorded.dimensions));
  const size_t n = recorded.dimensions == 0 ? 100000 : 30000;
  return digest(numbers<T>(n, [&](T* p, size_t count) { return fill(g, p, count); }));
}
void recorded() {
  for (const Recorded& r : kRecorded) {
    EXPECT(digest_of<unsigned>(r, curandGenerate) == r.bits);
    EXPECT(digest_of<float>(r, curandGenerateUniform) == r.uniform);
    EXPECT(digest_of<double>(r, curandGenerateUniformDouble) == r.uniform_double);
  }
}

template <class T>
void moments(const std::vector<T>& v, double mean, double deviation) {
  double sum = 0, squares = 0;
  for (T x : v) sum += double(x);
  const double got = sum / double(v.size());
  for (T x : v) squares += (double(x) - got) * (double(x) - got);
  const double spread = std::sqrt(squares / double(v.size()));
  EXPECT(std::fabs(got - mean) < 6 * deviation / std::sqrt(double(v.size())));
  EXPECT(std::fabs(spread - deviation) < 0.03 * deviation);
}

void distributions(curandRngType_t type) {
  Generator g(type);
  const size_t n = 40000;
  moments(numbers<float>(n, [&](float* p, size_t c) { return curandGenerateUniform(g, p, c); }), 0.5,
          std::sqrt(1 / 12.0));
  moments(numbers<double>(n, [&](double* p, size_t c) { return curandGenerateUniformDouble(g, p, c); }), 0.5,
          std::sqrt(1 / 12.0));
  moments(numbers<float>(n, [&](float* p, size_t c) { return curandGenerateNormal(g, p, c, 3, 2); }), 3, 2);
  moments(numbers<double>(n, [&](double* p, size_t c) { return curandGenerateNormalDouble(g, p, c, -1, 0.5); }), -1,
          0.5);
  const double spread = std::exp(0.5 + 0.02) * std::sqrt(std::exp(0.04) - 1);
  moments(numbers<float>(n, [&](float* p, size_t c) { return curandGenerateLogNormal(g, p, c, 0.5f, 0.2f); }),
          std::exp(0.52), spread);
  moments(numbers<double>(n, [&](double* p, size_t c) { return curandGenerateLogNormalDouble(g, p, c, 0.5, 0.2); }),
          std::exp(0.52), spread);
  if (type == CURAND_RNG_QUASI_SOBOL32) return;
  for (double lambda : {3.0, 200.0, 9000.0})
    moments(numbers<unsigned>(n, [&](unsigned* p, size_t c) { return curandGeneratePoisson(g, p, c, lambda); }), lambda,
            std::sqrt(lambda));
  float* odd;
  cudaMalloc(&odd, 64);
  EXPECT(curandGenerateNormal(g, odd, 7, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  cudaFree(odd);
}

// Every interval of a power of two has its share: in one dimension, and boxes in two.
void sobol() {
  Generator g(CURAND_RNG_QUASI_SOBOL32);
  CHECK(curandSetQuasiRandomGeneratorDimensions(g, 10));
  const int n = 1024;
  const auto points = numbers<unsigned>(n * 10, [&](unsigned* p, size_t c) { return curandGenerate(g, p, c); });
  for (int d = 0; d < 10; ++d) {
    std::vector<int> seen(n);
    for (int i = 0; i < n; ++i) ++seen[points[d * n + i] >> 22];
    for (int count : seen) EXPECT(count == 1);
  }
  std::vector<int> boxes(1024);  // of the first two dimensions, a (0, 10, 2)-net
  for (int i = 0; i < n; ++i) ++boxes[(points[i] >> 27) * 32 + (points[n + i] >> 27)];
  for (int count : boxes) EXPECT(count == 1);
  EXPECT(points[0] == 0 && points[1] == 0x80000000u && points[2] == 0xc0000000u);
  unsigned* device;
  cudaMalloc(&device, 64);
  EXPECT(curandGenerate(g, device, 7) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  cudaFree(device);
  EXPECT(curandSetQuasiRandomGeneratorDimensions(g, 0) == CURAND_STATUS_OUT_OF_RANGE);
  CHECK(curandSetQuasiRandomGeneratorDimensions(g, 1111));
  EXPECT(curandSetQuasiRandomGeneratorDimensions(g, 20001) == CURAND_STATUS_OUT_OF_RANGE);
  EXPECT(curandSetPseudoRandomGeneratorSeed(g, 1) == CURAND_STATUS_TYPE_ERROR);
}

// The upper halves of 64-bit vectors are the 32-bit ones.
void direction_vectors() {
  curandDirectionVectors32_t* words;
  curandDirectionVectors64_t* longs;
  CHECK(curandGetDirectionVectors32(&words, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
  CHECK(curandGetDirectionVectors64(&longs, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
  for (int d = 0; d < 1111; ++d)
    for (int k = 0; k < 32; ++k) {
      EXPECT(uint32_t(longs[d][k] >> 32) == words[d][k]);
      EXPECT(words[d][k] >> (31 - k) & 1);                 // an odd number
      EXPECT(k == 31 || (words[d][k] << 1 << k) == 0);     // of k + 1 bits
    }
  // As an H200's cuRAND has them, and its numbers in 1,000 dimensions.
  EXPECT(digest(std::vector<unsigned>(&words[0][0], &words[1111][0])) == 0x99f6c1b8b16bf67f);
  EXPECT(digest(std::vector<unsigned long long>(&longs[0][0], &longs[1000][0])) == 0xa2f66b074882657e);
  Generator g(CURAND_RNG_QUASI_SOBOL32);
  CHECK(curandSetQuasiRandomGeneratorDimensions(g, 1000));
  EXPECT(digest(numbers<unsigned>(40000, [&](unsigned* p, size_t c) { return curandGenerate(g, p, c); })) ==
         0xf74a446c0000000);
  EXPECT(curandGetDirectionVectors32(&words, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) ==
         CURAND_STATUS_OUT_OF_RANGE);
}

// Philox's published test vector, and MRG32k3a's first number from the state of all 12345s: (p1 - p2) of its paper.
__global__ void published(double* out) {
  const uint4 words = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
  out[0] = words.x == 0x6627e8d5u && words.y == 0xe169c58du && words.z == 0xbc57ac4cu && words.w == 0x9b00dbd8u;
  curandStateMRG32k3a_t state;
  curand_init(0, 0, 0, &state);
  out[1] = curand_MRG32k3a(&state) / 4294967088.0;
  // A skip is as many steps.
  curandStateMRG32k3a_t stepped, jumped;
  curand_init(5, 3, 0, &stepped);
  curand_init(5, 3, 1000, &jumped);
  for (int i = 0; i < 1000; ++i) curand(&stepped);
  out[2] = curand(&stepped) == curand(&jumped);
}

int main() {
  compare<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_XORWOW, 4096);
  compare<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A, 81920);
  compare<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10, 0);
  for (auto type : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_PSEUDO_MRG32K3A,
                    CURAND_RNG_QUASI_SOBOL32})
    distributions(type);
  recorded();
  sobol();
  direction_vectors();
  double* out;
  cudaMallocManaged(&out, 3 * sizeof(double));
  published<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  EXPECT(out[0] == 1 && out[2] == 1);
  EXPECT(std::fabs(out[1] - 0.127011122046577) < 1e-12);
  curandGenerator_t none;
  EXPECT(curandCreateGenerator(&none, CURAND_RNG_PSEUDO_MT19937) == CURAND_STATUS_TYPE_ERROR);
  std::printf("OK\n");
}
