// More occupancy is not always more speed: the same work with few resident warps and with many.
//
//   one_load, full and quarter    each thread waits for one load; shared memory that nobody uses leaves a quarter of
//   the warps resident four_loads, full and quarter  each thread has four loads in flight: a quarter of the warps does
//   what all did sums                          each thread keeps 40 sums in registers; a cap on registers makes room
//   for more warps and spills the sums
//
// usage: occupancy [log2 of the number of elements, 16 to 28]
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t status = call;                                                       \
    if (status != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

constexpr int kBlock = 256, kSums = 40, kRounds = 32;

__global__ void one_load(float* out, const float* in) {
  const size_t i = size_t(blockIdx.x) * kBlock + threadIdx.x;
  out[i] = in[i] + 1;
}

__global__ void four_loads(float* out, const float* in) {
  const size_t i = size_t(blockIdx.x) * 4 * kBlock + threadIdx.x;
  float value[4];
  for (int k = 0; k < 4; ++k) value[k] = in[i + k * kBlock];
  for (int k = 0; k < 4; ++k) out[i + k * kBlock] = value[k] + 1;
}

__global__ void sums(float* out, const float* in) {
  const size_t i = size_t(blockIdx.x) * kBlock + threadIdx.x;
  const float x = in[i], y = in[threadIdx.x];
  float sum[kSums], all = 0;
  for (int k = 0; k < kSums; ++k) sum[k] = x + k;
  for (int round = 0; round < kRounds; ++round)
    for (int k = 0; k < kSums; ++k) sum[k] = sum[k] * y + x;
  for (int k = 0; k < kSums; ++k) all += sum[k];
  out[i] = all;
}

struct Variant {
  const char* name;
  void (*kernel)(float*, const float*);
  int elements_a_thread;
  size_t unused_shared;  // bytes a block
};

int main(int argc, char** argv) {
  const int log2_n = argc > 1 ? std::atoi(argv[1]) : 22;
  if (log2_n < 16 || log2_n > 28) {
    std::fprintf(stderr, "usage: occupancy [log2 of the number of elements, 16 to 28]\n");
    return 2;
  }
  const size_t n = size_t{1} << log2_n, bytes = n * sizeof(float);
  std::vector<float> host(n);
  for (size_t i = 0; i < n; ++i) host[i] = float(i % 8) / 16;
  float *in, *out;
  CHECK(cudaMalloc(&in, bytes));
  CHECK(cudaMalloc(&out, bytes));
  CHECK(cudaMemcpy(in, host.data(), bytes, cudaMemcpyHostToDevice));

  // Two blocks of 256 threads in the place of eight.
  int most_shared = 0;
  CHECK(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
  const size_t half = size_t(most_shared) / 2 - 4096;
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  const Variant variants[] = {{"one_load, full", one_load, 1, 0},
                              {"one_load, quarter", one_load, 1, half},
                              {"four_loads, full", four_loads, 4, 0},
                              {"four_loads, quarter", four_loads, 4, half},
                              {"sums", sums, 1, 0}};
  bool pass = true;
  std::printf("%zu elements, blocks of %d threads\n", n, kBlock);
  for (const Variant& v : variants) {
    CHECK(cudaMemset(out, 0, bytes));
    CHECK(cudaFuncSetAttribute(v.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(v.unused_shared)));
    CHECK(cudaEventRecord(begin));
    v.kernel<<<unsigned(n / (kBlock * v.elements_a_thread)), kBlock, v.unused_shared>>>(out, in);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    std::vector<float> got(n);
    CHECK(cudaMemcpy(got.data(), out, bytes, cudaMemcpyDeviceToHost));
    bool right = true;
    for (size_t i = 0; i < n && v.kernel != sums; ++i) right = right && got[i] == host[i] + 1;
    for (size_t i = 0; i < n && v.kernel == sums; i += n / 64) {
      float want = 0;
      for (int k = 0; k < kSums; ++k) {
        float sum = host[i] + k;
        for (int round = 0; round < kRounds; ++round) sum = sum * host[i % kBlock] + host[i];
        want += sum;
      }
      right = right && got[i] > want - 1e-3f && got[i] < want + 1e-3f;
    }
    std::printf("  %-20s %10.3f ms   %s\n", v.name, milliseconds, right ? "ok" : "wrong");
    pass = pass && right;
  }
  std::printf("%s\n", pass ? "PASS" : "FAIL");
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return pass ? 0 : 1;
}
