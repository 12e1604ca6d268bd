// Device properties, function attributes and the occupancy calculator: consistent with each other and with the kernels.
#include "check.h"

__global__ void plain(float* out) { out[threadIdx.x] = 1; }
__global__ void shared_8k(float* out) {
  __shared__ float s[2048];
  s[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void __launch_bounds__(128, 4) bounded(float* out) { out[threadIdx.x] = 2; }
__global__ void local_array(int* out, int n) {
  int v[100];
  for (int k = 0; k < 100; ++k) v[k] = k * n;
  out[threadIdx.x] = v[(n + threadIdx.x) % 100];
}
__constant__ int table[256];
__global__ void constant(int* out) { out[threadIdx.x] = table[threadIdx.x]; }

int main() {
  int count = 0, device = -1;
  CK(cudaGetDeviceCount(&count));
  EXPECT(count >= 1);
  CK(cudaSetDevice(0));
  CK(cudaGetDevice(&device));
  EXPECT(device == 0);
  EXPECT(cudaSetDevice(count) == cudaErrorInvalidDevice);
  cudaGetLastError();

  cudaDeviceProp p;
  CK(cudaGetDeviceProperties(&p, 0));
  EXPECT(std::strlen(p.name) > 0);
  EXPECT(p.warpSize == 32 && p.maxThreadsPerBlock == 1024);
  EXPECT(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024 && p.maxThreadsDim[2] == 64);
  EXPECT(p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535 && p.maxGridSize[2] == 65535);
  EXPECT(p.major >= 5 && p.multiProcessorCount > 0 && p.totalGlobalMem > 0 && p.totalConstMem == 65536);
  EXPECT(p.sharedMemPerBlock == 48 * 1024 && p.sharedMemPerMultiprocessor >= p.sharedMemPerBlock);
  const struct {
    cudaDeviceAttr which;
    int want;
  } attributes[] = {
      {cudaDevAttrWarpSize, p.warpSize},
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      {cudaDevAttrComputeCapabilityMajor, p.major},
      {cudaDevAttrComputeCapabilityMinor, p.minor},
      {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(p.sharedMemPerBlock)},
      {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
      {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
      {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
      {cudaDevAttrL2CacheSize, p.l2CacheSize},
  };
  for (const auto& a : attributes) {
    int value = -1;
    CK(cudaDeviceGetAttribute(&value, a.which, 0));
    EXPECT(value == a.want);
  }
  int runtime = 0, driver = 0;
  CK(cudaRuntimeGetVersion(&runtime));
  CK(cudaDriverGetVersion(&driver));
  EXPECT(runtime >= 11000 && driver >= runtime);

  cudaFuncAttributes f;
  CK(cudaFuncGetAttributes(&f, plain));
  EXPECT(f.sharedSizeBytes == 0 && f.maxThreadsPerBlock == 1024 && f.numRegs > 0 && f.numRegs <= 255);
  CK(cudaFuncGetAttributes(&f, shared_8k));
  EXPECT(f.sharedSizeBytes == 8192);
  CK(cudaFuncGetAttributes(&f, bounded));
  EXPECT(f.maxThreadsPerBlock == 128);
  CK(cudaFuncGetAttributes(&f, local_array));
  EXPECT(f.localSizeBytes >= 400);
  CK(cudaFuncGetAttributes(&f, constant));
  EXPECT(f.constSizeBytes >= 1024);

  // Few registers and no shared memory: threads and blocks limit.
  int blocks = 0;
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0));
  EXPECT(blocks == p.maxThreadsPerMultiProcessor / 1024);
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0));
  EXPECT(blocks == p.maxThreadsPerMultiProcessor / 256);
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 32, 0));
  EXPECT(blocks == p.maxBlocksPerMultiProcessor);
  // 40,000 bytes each, plus the bytes that the system reserves.
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 128, 40000));
  EXPECT(blocks >= 1 && blocks <= static_cast<int>(p.sharedMemPerMultiprocessor / 40000));
  CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 2048, 0));
  EXPECT(blocks == 0);
  int grid = 0, block = 0;
  CK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 0));
  EXPECT(block >= 32 && block <= 1024 && block % 32 == 0 && grid >= p.multiProcessorCount);
  CK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0));
  EXPECT(block <= 128);
  CK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, plain, [](int b) { return b * sizeof(float); }));
  EXPECT(block >= 32);

  CK(cudaFuncSetCacheConfig(plain, cudaFuncCachePreferShared));
  CK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  int peer = 7;
  CK(cudaDeviceCanAccessPeer(&peer, 0, 0));
  EXPECT(peer == 0);
  return finish();
}
