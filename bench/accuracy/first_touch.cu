// Times of kernels that are the first to touch managed memory: transposes of doubles in device memory, in managed
// memory that the host wrote last, and in mapped host memory. Run it on a GPU:
//
//     nvcc -O3 -arch=native bench/accuracy/first_touch.cu -o first_touch && ./first_touch
//
// data/h200-first-touch.csv has the output of an H200 (CUDA 13.0, driver 580).
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                          \
  do {                                                                                       \
    const cudaError_t result = (call);                                                       \
    if (result != cudaSuccess) {                                                             \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(result));   \
      std::exit(1);                                                                          \
    }                                                                                        \
  } while (0)

constexpr int kTile = 32;

__global__ void naive(double* out, const double* in, int n) {
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  out[size_t(y) * n + x] = in[size_t(x) * n + y];
}

template <int Padding>
__global__ void tiled(double* out, const double* in, int n) {
  __shared__ double tile[kTile][kTile + Padding];
  const int column = blockIdx.x * kTile, row = blockIdx.y * kTile;
  tile[threadIdx.y][threadIdx.x] = in[size_t(row + threadIdx.y) * n + column + threadIdx.x];
  __syncthreads();
  out[size_t(column + threadIdx.y) * n + row + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

using Kernel = void (*)(double*, const double*, int);

float milliseconds(Kernel kernel, double* out, const double* in, int n) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  kernel<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(out, in, n);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return ms;
}

cudaError_t on_device(double** p, size_t bytes) { return cudaMalloc(p, bytes); }
cudaError_t managed(double** p, size_t bytes) { return cudaMallocManaged(p, bytes); }
cudaError_t mapped(double** p, size_t bytes) { return cudaHostAlloc(p, bytes, cudaHostAllocMapped); }

int main() {
  const struct {
    const char* name;
    cudaError_t (*allocate)(double**, size_t);
    bool of_host;
  } kinds[] = {{"device", on_device, false}, {"managed", managed, true}, {"mapped", mapped, true}};
  // The first launch of each kernel loads it.
  double *warm_in, *warm_out;
  CHECK(cudaMalloc(&warm_in, kTile * kTile * sizeof(double)));
  CHECK(cudaMalloc(&warm_out, kTile * kTile * sizeof(double)));
  for (Kernel kernel : {naive, tiled<0>, tiled<1>}) milliseconds(kernel, warm_out, warm_in, kTile);
  std::printf("size,memory,naive first ms,shared ms,padded ms,naive again ms\n");
  for (const int n : {2048, 4096, 8192})
    for (const auto& kind : kinds) {
      const size_t elements = size_t(n) * n;
      double *in, *out;
      CHECK(kind.allocate(&in, elements * sizeof(double)));
      CHECK(kind.allocate(&out, elements * sizeof(double)));
      if (kind.of_host)
        for (size_t i = 0; i < elements; ++i) in[i] = double(i), out[i] = 0;
      const float first = milliseconds(naive, out, in, n), shared = milliseconds(tiled<0>, out, in, n),
                  padded = milliseconds(tiled<1>, out, in, n), again = milliseconds(naive, out, in, n);
      std::printf("%d,%s,%.3f,%.3f,%.3f,%.3f\n", n, kind.name, first, shared, padded, again);
      const bool mapped_memory = kind.allocate == mapped;
      CHECK(mapped_memory ? cudaFreeHost(in) : cudaFree(in));
      CHECK(mapped_memory ? cudaFreeHost(out) : cudaFree(out));
    }
}
