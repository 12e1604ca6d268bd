// Sum of N integers: the order in which threads combine decides the divergence; unrolling then saves instructions.
//
//   reduction [log2 of N = 22] [threads a block = 128, a power of two from 64 to 1024]
//
// Every kernel writes one partial sum a block; the host adds those. N - 1 additions in log2(block) rounds a block.
//
//   neighbored          thread t adds t + s if t % 2s == 0, s = 1, 2, 4 ...: active threads are spread over all warps
//   rearranged          the same pairs for threads 0, 1, 2 ...: active threads are adjacent, addresses are strided
//   interleaved         s = block/2, block/4 ...: only the last five rounds split a warp
//   ... _shared         the same in shared memory; the input is unchanged
//   unroll2, 4, 8       each thread first adds 2, 4, 8 elements one block apart
//   warp_volatile       unroll8; the last warp without loop or barrier, through volatile (old warp-synchronous style)
//   warp_sync           the same with __syncwarp between reads and writes (correct since Volta)
//   complete            the block size is a template argument: no loop remains
//   shuffle             registers instead of shared memory within a warp
#include <cuda_runtime.h>

#include <chrono>
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

// ---- in global memory: the block's part of the input is overwritten

__global__ void neighbored(int* in, int* out) {
  int* data = in + blockIdx.x * blockDim.x;
  unsigned t = threadIdx.x;
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0) data[t] += data[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

__global__ void rearranged(int* in, int* out) {
  int* data = in + blockIdx.x * blockDim.x;
  unsigned t = threadIdx.x;
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    unsigned i = 2 * s * t;
    if (i < blockDim.x) data[i] += data[i + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

__global__ void interleaved(int* in, int* out) {
  int* data = in + blockIdx.x * blockDim.x;
  unsigned t = threadIdx.x;
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) data[t] += data[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

// ---- in shared memory

__global__ void neighbored_shared(int* in, int* out) {
  extern __shared__ int data[];
  unsigned t = threadIdx.x;
  data[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0) data[t] += data[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

__global__ void rearranged_shared(int* in, int* out) {
  extern __shared__ int data[];
  unsigned t = threadIdx.x;
  data[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    unsigned i = 2 * s * t;
    if (i < blockDim.x) data[i] += data[i + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

__global__ void interleaved_shared(int* in, int* out) {
  extern __shared__ int data[];
  unsigned t = threadIdx.x;
  data[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) data[t] += data[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

// ---- unrolled: each thread starts with the sum of `Blocks` elements, one block's width apart

template <int Blocks>
__device__ int load_sum(const int* in) {
  unsigned first = blockIdx.x * blockDim.x * Blocks + threadIdx.x;
  int sum = 0;
#pragma unroll
  for (int b = 0; b < Blocks; ++b) sum += in[first + b * blockDim.x];
  return sum;
}

template <int Blocks>
__global__ void unroll(int* in, int* out) {
  extern __shared__ int data[];
  unsigned t = threadIdx.x;
  data[t] = load_sum<Blocks>(in);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) data[t] += data[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

// The last 64 elements by one warp, in lockstep. Without volatile the compiler may keep values in registers.
__device__ void reduce_warp_volatile(volatile int* data, unsigned t) {
  data[t] += data[t + 32];
  data[t] += data[t + 16];
  data[t] += data[t + 8];
  data[t] += data[t + 4];
  data[t] += data[t + 2];
  data[t] += data[t + 1];
}

__device__ void reduce_warp_sync(int* data, unsigned t) {
  int sum = data[t];
#pragma unroll
  for (int s = 32; s > 0; s /= 2) {
    sum += data[t + s];
    __syncwarp();
    data[t] = sum;
    __syncwarp();
  }
}

__global__ void warp_volatile(int* in, int* out) {
  extern __shared__ int data[];
  unsigned t = threadIdx.x;
  data[t] = load_sum<8>(in);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
    if (t < s) data[t] += data[t + s];
    __syncthreads();
  }
  if (t < 32) reduce_warp_volatile(data, t);
  if (t == 0) out[blockIdx.x] = data[0];
}

__global__ void warp_sync(int* in, int* out) {
  extern __shared__ int data[];
  unsigned t = threadIdx.x;
  data[t] = load_sum<8>(in);
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
    if (t < s) data[t] += data[t + s];
    __syncthreads();
  }
  if (t < 32) reduce_warp_sync(data, t);
  if (t == 0) out[blockIdx.x] = data[0];
}

template <unsigned Block>
__global__ void complete(int* in, int* out) {
  __shared__ int data[Block];
  unsigned t = threadIdx.x;
  data[t] = load_sum<8>(in);
  __syncthreads();
  if (Block >= 1024 && t < 512) data[t] += data[t + 512];
  if (Block >= 1024) __syncthreads();
  if (Block >= 512 && t < 256) data[t] += data[t + 256];
  if (Block >= 512) __syncthreads();
  if (Block >= 256 && t < 128) data[t] += data[t + 128];
  if (Block >= 256) __syncthreads();
  if (Block >= 128 && t < 64) data[t] += data[t + 64];
  if (Block >= 128) __syncthreads();
  if (t < 32) reduce_warp_sync(data, t);
  if (t == 0) out[blockIdx.x] = data[0];
}

__device__ int warp_sum(int value) {
#pragma unroll
  for (int s = 16; s > 0; s /= 2) value += __shfl_down_sync(0xffffffffu, value, s);
  return value;
}

__global__ void shuffle(int* in, int* out) {
  __shared__ int warps[32];
  unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  int sum = warp_sum(load_sum<8>(in));
  if (lane == 0) warps[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = warp_sum(lane < blockDim.x / 32 ? warps[lane] : 0);
    if (lane == 0) out[blockIdx.x] = sum;
  }
}

using Kernel = void (*)(int*, int*);

Kernel complete_for(unsigned block) {
  switch (block) {
    case 64:
      return complete<64>;
    case 128:
      return complete<128>;
    case 256:
      return complete<256>;
    case 512:
      return complete<512>;
    default:
      return complete<1024>;
  }
}

struct Variant {
  const char* name;
  Kernel kernel;
  unsigned elements_a_thread;
  bool dynamic_shared;  // one int a thread
};

int main(int argc, char** argv) {
  const int log2_n = argc > 1 ? std::atoi(argv[1]) : 22;
  const unsigned block = argc > 2 ? std::atoi(argv[2]) : 128;
  if (log2_n < 13 || log2_n > 30 || block < 64 || block > 1024 || (block & (block - 1)) != 0) {
    std::fprintf(stderr, "usage: reduction [log2 of N, 13 to 30] [threads a block, a power of two from 64 to 1024]\n");
    return 2;
  }
  const size_t n = size_t{1} << log2_n, bytes = n * sizeof(int);
  std::vector<int> in(n);
  for (size_t i = 0; i < n; ++i) in[i] = static_cast<int>((i * 2654435761u >> 8) % 7);

  const auto cpu_begin = std::chrono::steady_clock::now();
  int want = 0;
  for (size_t i = 0; i < n; ++i) want += in[i];
  const std::chrono::duration<double, std::milli> cpu_time = std::chrono::steady_clock::now() - cpu_begin;
  std::printf("reduction of 2^%d integers, blocks of %u\n", log2_n, block);
  std::printf("  %-20s %12d %10.3f ms\n", "sequential, CPU", want, cpu_time.count());

  int *device_in, *device_copy, *device_out;
  CHECK(cudaMalloc(&device_in, bytes));
  CHECK(cudaMalloc(&device_copy, bytes));
  CHECK(cudaMalloc(&device_out, n / block * sizeof(int)));
  CHECK(cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));

  const Variant variants[] = {
      {"neighbored", neighbored, 1, false},
      {"rearranged", rearranged, 1, false},
      {"interleaved", interleaved, 1, false},
      {"neighbored_shared", neighbored_shared, 1, true},
      {"rearranged_shared", rearranged_shared, 1, true},
      {"interleaved_shared", interleaved_shared, 1, true},
      {"unroll2", unroll<2>, 2, true},
      {"unroll4", unroll<4>, 4, true},
      {"unroll8", unroll<8>, 8, true},
      {"warp_volatile", warp_volatile, 8, true},
      {"warp_sync", warp_sync, 8, true},
      {"complete", complete_for(block), 8, false},
      {"shuffle", shuffle, 8, false},
  };
  bool pass = true;
  for (const Variant& v : variants) {
    const size_t blocks = n / (block * v.elements_a_thread);
    if (blocks == 0) continue;
    std::vector<int> partial(blocks);
    CHECK(cudaMemcpy(device_copy, device_in, bytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaEventRecord(begin));
    v.kernel<<<static_cast<unsigned>(blocks), block, v.dynamic_shared ? block * sizeof(int) : 0>>>(device_copy,
                                                                                                   device_out);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(cudaMemcpy(partial.data(), device_out, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    int got = 0;
    for (int p : partial) got += p;
    std::printf("  %-20s %12d %10.3f ms   %s\n", v.name, got, milliseconds, got == want ? "ok" : "wrong");
    pass = pass && got == want;
  }
  std::printf("%s\n", pass ? "PASS" : "FAIL");

  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(device_in));
  CHECK(cudaFree(device_copy));
  CHECK(cudaFree(device_out));
  return pass ? 0 : 1;
}
