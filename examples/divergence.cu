// Control divergence: if the threads of a warp take different paths, the warp executes each of these paths.
//
//   divergence [warps = 4096]
//
//   odd_even        neighbours differ: every warp takes both paths
//   by_warp         whole warps differ: no warp diverges
//   trips           6, 7 or 8 trips a thread: the warp makes 8, the 7th and the 8th with some of its threads
//   guard           if (i < n): only the warp at the end diverges:
//                   1 of 4 for n = 100, 1 of 32 for n = 1000,
//                   1 of 313 for n = 10000
#include <cuda_runtime.h>

#include <cmath>
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

constexpr int kSteps = 64;

// Two different recurrences, exact in integers, long enough that the compiler keeps the branch.
__host__ __device__ unsigned path_a(unsigned v) {
#pragma unroll 1
  for (int k = 0; k < kSteps; ++k) v = v * 1664525u + 1013904223u;
  return v;
}
__host__ __device__ unsigned path_b(unsigned v) {
#pragma unroll 1
  for (int k = 0; k < kSteps; ++k) v = (v ^ (v >> 7)) * 2654435761u;
  return v;
}

__global__ void odd_even(unsigned* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 0)
    out[i] = path_a(i);
  else
    out[i] = path_b(i);
}

__global__ void by_warp(unsigned* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i / 32 % 2 == 0)
    out[i] = path_a(i);
  else
    out[i] = path_b(i);
}

// One load a trip: the number of load requests is the number of trips that warps make.
__global__ void trips(unsigned* out, const unsigned* in, const int* count, unsigned threads) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int n = count[i];
  unsigned sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += in[k * threads + i];
  out[i] = sum;
}

__global__ void guard(unsigned* out, const unsigned* in, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * in[i] + 1;
}

int main(int argc, char** argv) {
  const int warps = argc > 1 ? std::atoi(argv[1]) : 4096;
  if (warps < 4 || warps % 4 != 0) {
    std::fprintf(stderr, "usage: divergence [warps, a multiple of 4]\n");
    return 2;
  }
  const unsigned threads = warps * 32, block = 128, grid = threads / block;
  const unsigned guarded[] = {100, 1000, 10000};
  const size_t elements = threads > 10000 ? threads : 10000;

  std::vector<unsigned> in(8 * elements), out(elements);
  std::vector<int> count(threads);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned>(i * 2654435761u);
  for (unsigned i = 0; i < threads; ++i) count[i] = 6 + static_cast<int>(i % 3);

  unsigned *device_in, *device_out;
  int* device_count;
  CHECK(cudaMalloc(&device_in, in.size() * sizeof(unsigned)));
  CHECK(cudaMalloc(&device_out, elements * sizeof(unsigned)));
  CHECK(cudaMalloc(&device_count, threads * sizeof(int)));
  CHECK(cudaMemcpy(device_in, in.data(), in.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_count, count.data(), threads * sizeof(int), cudaMemcpyHostToDevice));

  bool pass = true;
  const auto check = [&](const char* name, unsigned elements_written, auto want) {
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), device_out, elements * sizeof(unsigned), cudaMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned i = 0; i < elements_written; ++i) wrong += out[i] != want(i);
    std::printf("  %-10s %8u threads   %s\n", name, elements_written, wrong ? "wrong" : "ok");
    pass = pass && wrong == 0;
  };

  std::printf("divergence, %d warps\n", warps);
  odd_even<<<grid, block>>>(device_out);
  check("odd_even", threads, [](unsigned i) { return i % 2 == 0 ? path_a(i) : path_b(i); });
  by_warp<<<grid, block>>>(device_out);
  check("by_warp", threads, [](unsigned i) { return i / 32 % 2 == 0 ? path_a(i) : path_b(i); });
  trips<<<grid, block>>>(device_out, device_in, device_count, threads);
  check("trips", threads, [&](unsigned i) {
    unsigned sum = 0;
    for (int k = 0; k < count[i]; ++k) sum += in[k * threads + i];
    return sum;
  });
  for (unsigned n : guarded) {
    guard<<<(n + block - 1) / block, block>>>(device_out, device_in, n);
    check("guard", n, [&](unsigned i) { return 3 * in[i] + 1; });
  }
  std::printf("%s\n", pass ? "PASS" : "FAIL");

  CHECK(cudaFree(device_in));
  CHECK(cudaFree(device_out));
  CHECK(cudaFree(device_count));
  return pass ? 0 : 1;
}
