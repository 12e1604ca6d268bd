// Driver API: initialisation and the device.
#include <algorithm>
#include <cstring>
#include <utility>

#include "cuda/c_abi/driver.h"

using namespace drywarp::cudart;

namespace {

// Attributes that only the driver has: features of this library for every GPU. They equal an H200's, except for
// features that need another process, a network card or another GPU, bulk copies, and memory of host NUMA nodes.
constexpr std::pair<CUdevice_attribute, int> kOfTheDriver[] = {
    {CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1, 0},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1, 0},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1, 0},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH, 0},
    {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 1},
    {CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS, 1},
    {CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK, 0},
    {CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH, 0},
    {CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED, 0},
};

CUresult properties_of(CUdevice device, cudaDeviceProp& out) {
  return driver_call([&] { return cudaGetDeviceProperties_v2(&out, device); });
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned flags) {
  int count = 0;
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  DW_AS(cudaGetDeviceCount(&count));
}

CUresult cuDriverGetVersion(int* version) { DW_AS(cudaDriverGetVersion(version)); }
CUresult cuDeviceGetCount(int* count) { DW_AS(cudaGetDeviceCount(count)); }

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (!name || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  cudaDeviceProp properties;
  if (const CUresult error = properties_of(device, properties)) return error;
  const size_t size = std::min<size_t>(size_t(length) - 1, std::strlen(properties.name));
  std::memcpy(name, properties.name, size);
  name[size] = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  if (!uuid) return CUDA_ERROR_INVALID_VALUE;
  cudaDeviceProp properties;
  if (const CUresult error = properties_of(device, properties)) return error;
  std::memcpy(uuid, &properties.uuid, sizeof *uuid);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid(uuid, device); }

// Only Windows has these identifiers.
CUresult cuDeviceGetLuid(char* luid, unsigned* mask, CUdevice device) {
  if (!luid || !mask) return CUDA_ERROR_INVALID_VALUE;
  return device == 0 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  cudaDeviceProp properties;
  if (const CUresult error = properties_of(device, properties)) return error;
  *bytes = properties.totalGlobalMem;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  const auto* ours = std::ranges::find(kOfTheDriver, attribute, &std::pair<CUdevice_attribute, int>::first);
  if (ours != std::end(kOfTheDriver)) {
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    *value = ours->second;
    return CUDA_SUCCESS;
  }
  DW_AS(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}

CUresult cuDeviceGetProperties(CUdevprop* out, CUdevice device) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  cudaDeviceProp p;
  if (const CUresult error = properties_of(device, p)) return error;
  *out = {p.maxThreadsPerBlock,
          {p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]},
          {p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]},
          int(p.sharedMemPerBlock),
          int(p.totalConstMem),
          p.warpSize,
          int(p.memPitch),
          p.regsPerBlock,
          p.clockRate,
          int(p.textureAlignment)};
  return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  if (const CUresult error = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    return error;
  return cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  DW_AS(cudaDeviceGetPCIBusId(id, length, device));
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) { DW_AS(cudaDeviceGetByPCIBusId(device, id)); }
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  DW_AS(cudaDeviceCanAccessPeer(can, device, peer));
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to) {
  DW_AS(cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), from, to));
}
CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType, CUdevice device) {
  if (!supported) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *supported = 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *context = only_context();
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  DW_AS(cudaDeviceReset());
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  DW_AS(cudaSetDeviceFlags(flags));
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *active = 1;
  DW_AS(cudaGetDeviceFlags(flags));
}

}  // extern "C"
