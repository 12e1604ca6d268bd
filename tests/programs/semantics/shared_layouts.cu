// Shared memory: static and dynamic together, several types in one dynamic array, alignment, more than 48 KB, structs.
#include "check.h"

template <typename T>
__global__ void dynamic(T* out, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* s = reinterpret_cast<T*>(raw);
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = static_cast<T>(i * 3 + blockIdx.x);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = s[n - 1 - i];
}

__global__ void mixed(double* out, size_t* misaligned) {
  __shared__ char small[3];
  __shared__ double fixed[32];
  __shared__ short shorts[5];
  extern __shared__ double tail[];
  float* floats = reinterpret_cast<float*>(tail + 32);
  int t = threadIdx.x;
  if (t < 3) small[t] = t + 1;
  if (t < 5) shorts[t] = t * 100;
  fixed[t] = t * 0.5;
  tail[t] = t * 0.25;
  floats[t] = t * 2.f;
  __syncthreads();
  out[t] = small[t % 3] + fixed[31 - t] + shorts[t % 5] + tail[(t + 1) % 32] + floats[(t + 2) % 32];
  if (t == 0) *misaligned = reinterpret_cast<size_t>(fixed) % 8 + reinterpret_cast<size_t>(tail) % 8 + reinterpret_cast<size_t>(shorts) % 2;
}

// Two kernels see different static layouts; blocks never see each other's.
__global__ void isolated(int* out) {
  __shared__ int value;
  if (threadIdx.x == 0) value = blockIdx.x;
  __syncthreads();
  for (int k = 0; k < 20; ++k) {
    if (threadIdx.x == k) value += k;
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

struct Pair {
  char key;
  double value;
};
__global__ void structs(double* out) {
  __shared__ Pair pairs[64];
  __shared__ int grid[4][5][6];
  int t = threadIdx.x;
  pairs[t] = {static_cast<char>(t), t * 1.5};
  for (int i = t; i < 120; i += 64) grid[i / 30][i / 6 % 5][i % 6] = i;
  __syncthreads();
  Pair p = pairs[63 - t];
  out[t] = p.key + p.value + grid[t % 4][t % 5][t % 6];
}

// A pointer to shared memory handed to a function, and converted to an address and back.
__device__ __noinline__ void bump(int* p) { *p += 7; }
__global__ void pointers(int* out) {
  __shared__ int v[32];
  int t = threadIdx.x;
  v[t] = t;
  __syncthreads();
  bump(&v[31 - t]);
  __syncthreads();
  unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&v[t]));
  int through;
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(through) : "r"(address));
  out[t] = through + (__isShared(&v[t]) ? 1000 : 0) + (__isGlobal(out) ? 10000 : 0);
}

int main() {
  for (int n : {1, 100, 6000}) {
    Buffer<float> out(3 * n);
    dynamic<float><<<3, 96, n * sizeof(float)>>>(out.data(), n);
    CK_LAUNCH();
    std::vector<float> want(3 * n);
    for (int i = 0; i < 3 * n; ++i) want[i] = (n - 1 - i % n) * 3 + i / n;
    expect_same("dynamic float", out.get(), want);
    Buffer<double> out_double(3 * n);
    dynamic<double><<<3, 96, n * sizeof(double)>>>(out_double.data(), n);
    CK_LAUNCH();
    expect_same("dynamic double", out_double.get(), std::vector<double>(want.begin(), want.end()));
  }
  {
    Buffer<double> out(32);
    Buffer<size_t> misaligned(1);
    mixed<<<1, 32, 32 * 12>>>(out, misaligned);
    CK_LAUNCH();
    std::vector<double> want(32);
    for (int t = 0; t < 32; ++t) want[t] = t % 3 + 1 + (31 - t) * 0.5 + t % 5 * 100 + (t + 1) % 32 * 0.25 + (t + 2) % 32 * 2.f;
    expect_same("mixed", out.get(), want);
    expect_same("misaligned", misaligned.get(), std::vector<size_t>{0});
  }
  {
    Buffer<int> out(500);
    isolated<<<500, 64>>>(out);
    CK_LAUNCH();
    std::vector<int> want(500);
    for (int b = 0; b < 500; ++b) want[b] = b + 190;
    expect_same("isolated", out.get(), want);
  }
  {
    Buffer<double> out(64);
    structs<<<2, 64>>>(out);
    CK_LAUNCH();
    std::vector<double> want(64);
    for (int t = 0; t < 64; ++t) want[t] = (63 - t) * 2.5 + t % 4 * 30 + t % 5 * 6 + t % 6;
    expect_same("structs", out.get(), want);
  }
  {
    Buffer<int> out(32);
    pointers<<<1, 32>>>(out);
    CK_LAUNCH();
    std::vector<int> want(32);
    for (int t = 0; t < 32; ++t) want[t] = t + 7 + 11000;
    expect_same("pointers", out.get(), want);
  }
  // Beyond 48 KB a kernel must opt in.
  {
    const int n = 20000;
    Buffer<float> out(n);
    dynamic<float><<<1, 128, n * sizeof(float)>>>(out.data(), n);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    CK(cudaFuncSetAttribute(dynamic<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(float)));
    dynamic<float><<<1, 128, n * sizeof(float)>>>(out.data(), n);
    CK_LAUNCH();
    std::vector<float> want(n);
    for (int i = 0; i < n; ++i) want[i] = (n - 1 - i) * 3;
    expect_same("opt-in", out.get(), want);
    int limit = 0;
    CK(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(limit > 48 * 1024);
    EXPECT(cudaFuncSetAttribute(dynamic<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, limit + 1) == cudaErrorInvalidValue);
    cudaGetLastError();
  }
  return finish();
}
