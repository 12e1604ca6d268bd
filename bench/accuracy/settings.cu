// Kernels in several settings: block sizes and shared memory carve-outs here, register caps by compiling with -maxrregcount. Each launch
// is one row of h200-settings.csv; the first launch of a kernel is the one that drywarp what-if is asked about.
#include <cstdio>

#define OK(call)                                                                        \
  do {                                                                                  \
    if (cudaError_t e = call; e != cudaSuccess) {                                       \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                   \
      return 1;                                                                         \
    }                                                                                   \
  } while (0)

constexpr int kThreads = 1 << 20;

// ---- the same work in blocks of any size

__global__ void axpy(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i] + y[i];
}

__global__ void gather(float* y, const float* x, const int* index, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[index[i]];
}

__global__ void stencil(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 8 || i >= n - 8) return;
  float sum = 0;
#pragma unroll
  for (int k = -8; k <= 8; ++k) sum += x[i + k];
  y[i] = sum;
}

// Threads of a warp do different amounts of work; a block's slots are free when its last warp has ended.
__global__ void uneven(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  const int rounds = (i / 32) % 16 == 0 ? 2048 : 128;
  for (int r = 0; r < rounds; ++r) v = v * 0.999f + 0.5f;
  y[i] = v;
}

// A chain of dependent arithmetic: few warps hide little of it.
__global__ void chain(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int r = 0; r < 256; ++r) v = v * 0.999f + 0.5f;
  y[i] = v;
}

// ---- registers

// Many independent loads in flight, each value used twice.
template <int kValues>
__device__ float wide_sum(const float* x, int i, int n) {
  float v[kValues], sum = 0;
#pragma unroll
  for (int k = 0; k < kValues; ++k) v[k] = x[(i + k * 4099) & (n - 1)];
#pragma unroll
  for (int k = 0; k < kValues; ++k) sum = sum * 0.5f + v[k] * v[kValues - 1 - k];
  return sum;
}
__global__ void values_24(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = wide_sum<24>(x, i, n);
}
__global__ void values_64(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = wide_sum<64>(x, i, n);
}

// Sums that live through a loop.
template <int kSums>
__device__ float many_sums(float a, float b) {
  float sum[kSums];
#pragma unroll
  for (int k = 0; k < kSums; ++k) sum[k] = a + k;
  for (int r = 0; r < 64; ++r) {
#pragma unroll
    for (int k = 0; k < kSums; ++k) sum[k] = sum[k] * b + a;
  }
  float all = 0;
#pragma unroll
  for (int k = 0; k < kSums; ++k) all += sum[k];
  return all;
}
__global__ void sums_32(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = many_sums<32>(x[i], x[n - 1 - i]);
}
__global__ void sums_80(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = many_sums<80>(x[i], x[n - 1 - i]);
}

// Dependent look-ups of many values each: occupancy hides their latency.
__global__ void lookups(float* y, const float* x, const int* index, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = i;
  float v[20];
#pragma unroll
  for (int k = 0; k < 20; ++k) v[k] = x[(i + k * 37) & (n - 1)];
#pragma unroll 1
  for (int r = 0; r < 6; ++r) {
    at = index[at];
#pragma unroll
    for (int k = 0; k < 20; ++k) v[k] = v[k] * 0.5f + x[(at + k) & (n - 1)];
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 20; ++k) sum += v[k];
  y[i] = sum;
}

// ---- carve-outs

// A block walks its own 12 KB again and again: what L1 holds of all resident blocks decides.
__global__ void own_table(float* y, const float* x, int n) {
  const float* table = x + blockIdx.x * 3072 % (n - 3072);
  float sum = 0;
  for (int r = 0; r < 16; ++r)
    for (int k = threadIdx.x; k < 3072; k += blockDim.x) sum += table[k] * r;
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Shared memory that limits how many blocks fit; dependent look-ups.
__global__ void with_shared(float* y, const float* x, const int* index, int n) {
  extern __shared__ float tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  int at = i;
  float sum = tile[threadIdx.x ^ 1];
  for (int r = 0; r < 8; ++r) {
    at = index[at];
    sum += x[at];
  }
  y[i] = sum;
}

__global__ void fill(float* x, int* index, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = float(i % 97);
  index[i] = int((unsigned(i) * 1664525u + 1013904223u) & unsigned(n - 1));
}

int main() {
  const int n = kThreads;
  float *x, *y;
  int* index;
  OK(cudaMalloc(&x, n * sizeof(float)));
  OK(cudaMalloc(&y, n * sizeof(float)));
  OK(cudaMalloc(&index, n * sizeof(int)));
  fill<<<n / 256, 256>>>(x, index, n);
  for (const int block : {256, 32, 64, 128, 512, 1024}) axpy<<<n / block, block>>>(y, x, n);
  for (const int block : {32, 64, 128, 256, 512, 1024}) gather<<<n / block, block>>>(y, x, index, n);
  for (const int block : {1024, 32, 64, 128, 256, 512}) stencil<<<n / block, block>>>(y, x, n);
  for (const int block : {512, 32, 64, 128, 256, 1024}) uneven<<<n / block, block>>>(y, x, n);
  for (const int block : {32, 64, 128, 256, 512, 1024}) chain<<<n / block, block>>>(y, x, n);
  values_24<<<n / 256, 256>>>(y, x, n);
  values_64<<<n / 256, 256>>>(y, x, n);
  sums_32<<<n / 256, 256>>>(y, x, n);
  sums_80<<<n / 256, 256>>>(y, x, n);
  lookups<<<n / 256, 256>>>(y, x, index, n);
  for (const int carveout : {-1, 0, 25, 50, 100}) {
    OK(cudaFuncSetAttribute(own_table, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    own_table<<<2048, 256>>>(y, x, n);
  }
  for (const int carveout : {25, 10, 50, 100}) {
    OK(cudaFuncSetAttribute(with_shared, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    with_shared<<<n / 256, 256, 12 << 10>>>(y, x, index, n);
  }
  OK(cudaDeviceSynchronize());
}
