// Shared memory has 32 banks, one word (4 bytes) wide: words a multiple of 32 apart share a bank.
//
//   banks [repeats = 256]
//
//   stride<1>       neighbours in neighbouring banks: 1 wavefront a request
//   stride<2>       2-way conflicts; stride<3>: none, because it is odd; stride<32>: all 32 threads on one bank
//   broadcast       one word for the whole warp: 1 wavefront
//   column<32>      a column of a [32][32] tile: 32-way; column<33>: padded, none
//   wide<float2>    64-bit words at stride 1: 2 wavefronts, the least for 256 bytes; wide<float4>: 4
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    cudaError_t status = (call);                                                                      \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(2);                                                                                   \
    }                                                                                                 \
  } while (0)

constexpr int kWords = 2048;
constexpr int kBlock = 64;

// The loads use a volatile pointer so that the compiler keeps each repeat.
__device__ void fill(volatile float* words) {
  for (int k = threadIdx.x; k < kWords; k += kBlock) words[k] = static_cast<float>(k % 1024);
  __syncthreads();
}

template <int Stride>
__global__ void stride(float* out, int repeats) {
  __shared__ float words[kWords];
  fill(words);
  const volatile float* at = words + threadIdx.x % 32 * Stride;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < repeats; ++k) sum += at[k % 32];
  out[blockIdx.x * kBlock + threadIdx.x] = sum;
}

__global__ void broadcast(float* out, int repeats) {
  __shared__ float words[kWords];
  fill(words);
  const volatile float* at = words + threadIdx.x / 32;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < repeats; ++k) sum += at[k % 32];
  out[blockIdx.x * kBlock + threadIdx.x] = sum;
}

template <int Pitch>
__global__ void column(float* out, int repeats) {
  __shared__ float words[kWords];
  fill(words);
  const volatile float(*tile)[Pitch] = reinterpret_cast<const volatile float(*)[Pitch]>(words);
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < repeats; ++k) sum += tile[threadIdx.x % 32][k % 32];
  out[blockIdx.x * kBlock + threadIdx.x] = sum;
}

// Vector loads of 8 and 16 bytes; the index depends on the sum, so that the compiler keeps each repeat.
template <typename Vector>
__global__ void wide(float* out, int repeats) {
  __shared__ __align__(16) float words[kWords];
  fill(words);
  const Vector* at = reinterpret_cast<const Vector*>(words) + threadIdx.x % 32;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < repeats; ++k) {
    const Vector v = at[k % 32 + (sum < 0 ? 1 : 0)];
    sum += v.x + v.y;
    if constexpr (sizeof(Vector) == 16) sum += v.z + v.w;
  }
  out[blockIdx.x * kBlock + threadIdx.x] = sum;
}

struct Variant {
  const char* name;
  void (*kernel)(float*, int);
  int lane_step, repeat_step, width;  // word = lane * lane_step + repeat % 32 * repeat_step, `width` words a load
  bool by_warp;                       // the word depends on the warp instead of the lane
};

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 256;
  if (repeats < 1) {
    std::fprintf(stderr, "usage: banks [repeats >= 1]\n");
    return 2;
  }
  constexpr int blocks = 264, threads = blocks * kBlock;
  float* device_out;
  CHECK(cudaMalloc(&device_out, threads * sizeof(float)));
  std::vector<float> out(threads);

  const Variant variants[] = {
      {"stride 1", stride<1>, 1, 1, 1, false},      {"stride 2", stride<2>, 2, 1, 1, false},
      {"stride 3", stride<3>, 3, 1, 1, false},      {"stride 4", stride<4>, 4, 1, 1, false},
      {"stride 32", stride<32>, 32, 1, 1, false},   {"broadcast", broadcast, 1, 1, 1, true},
      {"column [32]", column<32>, 32, 1, 1, false}, {"column [33]", column<33>, 33, 1, 1, false},
      {"float2", wide<float2>, 2, 2, 2, false},     {"float4", wide<float4>, 4, 4, 4, false},
  };
  std::printf("shared memory banks, %d repeats\n", repeats);
  bool pass = true;
  for (const Variant& v : variants) {
    v.kernel<<<blocks, kBlock>>>(device_out, repeats);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), device_out, threads * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < threads; ++i) {
      const int t = i % kBlock, lane = v.by_warp ? t / 32 : t % 32;
      float want = 0;  // whole numbers below 2^24: exact
      for (int k = 0; k < repeats; ++k)
        for (int w = 0; w < v.width; ++w)
          want += static_cast<float>((lane * v.lane_step + k % 32 * v.repeat_step + w) % 1024);
      wrong += !(out[i] == want);
    }
    std::printf("  %-12s %s\n", v.name, wrong ? "wrong" : "ok");
    pass = pass && wrong == 0;
  }
  std::printf("%s\n", pass ? "PASS" : "FAIL");
  CHECK(cudaFree(device_out));
  return pass ? 0 : 1;
}
