// Histogram of bytes: contended atomics, and privatisation to avoid them.
//
//   histogram [log2 of N = 22] [distinct values = 256, 1 to 256]
//
//   global_atomics   every element is an atomic on global memory
//   privatised       every block counts in shared memory, then adds each bin to global memory with one atomic
//   coarsened        privatised, with fewer blocks that stride over the whole input: fewer bins to merge
//   aggregated       lanes of a warp that hold the same value elect one of them to add for all
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

constexpr int kBins = 256;
constexpr int kBlock = 256;

__global__ void global_atomics(const unsigned char* in, unsigned* bins, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i]], 1u);
}

// Blocks cover the input once, or stride over it if there are too few.
__device__ void count_privately(const unsigned char* in, unsigned* bins, unsigned n) {
  __shared__ unsigned own[kBins];
  for (unsigned b = threadIdx.x; b < kBins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < kBins; b += blockDim.x)
    if (own[b] != 0) atomicAdd(&bins[b], own[b]);
}

__global__ void privatised(const unsigned char* in, unsigned* bins, unsigned n) { count_privately(in, bins, n); }
__global__ void coarsened(const unsigned char* in, unsigned* bins, unsigned n) { count_privately(in, bins, n); }

__global__ void aggregated(const unsigned char* in, unsigned* bins, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned present = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  unsigned value = in[i], peers = __match_any_sync(present, value);
  if (threadIdx.x % 32 == __ffs(peers) - 1) atomicAdd(&bins[value], static_cast<unsigned>(__popc(peers)));
}

struct Variant {
  const char* name;
  void (*kernel)(const unsigned char*, unsigned*, unsigned);
  unsigned elements_a_thread;
};

int main(int argc, char** argv) {
  const int log2_n = argc > 1 ? std::atoi(argv[1]) : 22;
  const int values = argc > 2 ? std::atoi(argv[2]) : kBins;
  if (log2_n < 8 || log2_n > 30 || values < 1 || values > kBins) {
    std::fprintf(stderr, "usage: histogram [log2 of N, 8 to 30] [distinct values, 1 to 256]\n");
    return 2;
  }
  const unsigned n = 1u << log2_n;
  std::vector<unsigned char> in(n);
  std::vector<unsigned> want(kBins, 0), got(kBins);
  for (unsigned i = 0; i < n; ++i) {
    in[i] = static_cast<unsigned char>((i * 2654435761u >> 13) % values);
    ++want[in[i]];
  }
  unsigned char* device_in;
  unsigned* device_bins;
  CHECK(cudaMalloc(&device_in, n));
  CHECK(cudaMalloc(&device_bins, kBins * sizeof(unsigned)));
  CHECK(cudaMemcpy(device_in, in.data(), n, cudaMemcpyHostToDevice));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));

  const Variant variants[] = {
      {"global_atomics", global_atomics, 1},
      {"privatised", privatised, 1},
      {"coarsened", coarsened, 16},
      {"aggregated", aggregated, 1},
  };
  std::printf("histogram of 2^%d bytes, %d values\n", log2_n, values);
  bool pass = true;
  for (const Variant& v : variants) {
    CHECK(cudaMemset(device_bins, 0, kBins * sizeof(unsigned)));
    const unsigned per_block = kBlock * v.elements_a_thread;
    CHECK(cudaEventRecord(begin));
    v.kernel<<<(n + per_block - 1) / per_block, kBlock>>>(device_in, device_bins, n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(cudaMemcpy(got.data(), device_bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost));
    const bool right = got == want;
    std::printf("  %-16s %10.3f ms   %s\n", v.name, milliseconds, right ? "ok" : "wrong");
    pass = pass && right;
  }
  std::printf("%s\n", pass ? "PASS" : "FAIL");
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(device_in));
  CHECK(cudaFree(device_bins));
  return pass ? 0 : 1;
}
