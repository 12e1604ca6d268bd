// Driver API: allocations, pools and pointer queries.
#include <cstring>

#include "cuda/c_abi/driver.h"

using namespace drywarp::cudart;
using drywarp::cuda::PointerInfo;
using drywarp::cuda::PointerKind;

extern "C" {

CUresult cuMemGetInfo(size_t* available, size_t* total) { DW_AS(cudaMemGetInfo(available, total)); }

CUresult cuMemAlloc(CUdeviceptr* out, size_t bytes) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return store_address(out, [&](void** made) { return cudaMalloc(made, bytes); });
}
CUresult cuMemAllocPitch(CUdeviceptr* out, size_t* pitch, size_t width, size_t height, unsigned element) {
  if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
  return store_address(out, [&](void** made) { return cudaMallocPitch(made, pitch, width, height); });
}
CUresult cuMemAllocManaged(CUdeviceptr* out, size_t bytes, unsigned flags) {
  return store_address(out, [&](void** made) { return cudaMallocManaged(made, bytes, flags); });
}
CUresult cuMemAllocHost(void** out, size_t bytes) { DW_AS(cudaMallocHost(out, bytes)); }
CUresult cuMemFree(CUdeviceptr what) { DW_AS(cudaFree(device_pointer(what))); }
CUresult cuMemFreeHost(void* what) { DW_AS(cudaFreeHost(what)); }
CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned flags) { DW_AS(cudaHostAlloc(out, bytes, flags)); }
CUresult cuMemHostRegister(void* what, size_t bytes, unsigned flags) { DW_AS(cudaHostRegister(what, bytes, flags)); }
CUresult cuMemHostUnregister(void* what) { DW_AS(cudaHostUnregister(what)); }
CUresult cuMemHostGetDevicePointer(CUdeviceptr* out, void* host, unsigned flags) {
  return store_address(out, [&](void** device) { return cudaHostGetDevicePointer(device, host, flags); });
}
CUresult cuMemHostGetFlags(unsigned* flags, void* host) { DW_AS(cudaHostGetFlags(flags, host)); }

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* size, CUdeviceptr of) {
  DW_DRIVER({
    const PointerInfo info = session.memory().describe(of);
    if (info.kind == PointerKind::Unregistered) return Error::SymbolNotFound;  // CUDA_ERROR_NOT_FOUND
    if (base) *base = info.base;
    if (size) *size = info.size;
    return Error::Success;
  });
}

// CUDA 11 and 12 take a device, CUDA 13 a location.
CUresult cuMemAdvise(CUdeviceptr what, size_t bytes, CUmem_advise advice, CUdevice device) {
  const cudaMemLocation place{device == CU_DEVICE_CPU ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device};
  DW_AS(cudaMemAdvise(device_pointer(what), bytes, static_cast<cudaMemoryAdvise>(advice), place));
}
CUresult cuMemAdvise_v2(CUdeviceptr what, size_t bytes, CUmem_advise advice, CUmemLocation place) {
  return cuMemAdvise(what, bytes, advice, place.type == CU_MEM_LOCATION_TYPE_DEVICE ? place.id : CU_DEVICE_CPU);
}
CUresult cuMemPrefetchAsync(CUdeviceptr what, size_t bytes, CUdevice, CUstream stream) {
  DW_AS(cudaMemPrefetchAsync(device_pointer(what), bytes, {}, 0, stream));
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr what, size_t bytes, CUmemLocation, unsigned, CUstream stream) {
  return cuMemPrefetchAsync(what, bytes, 0, stream);
}

CUresult cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream stream) {
  return store_address(out, [&](void** made) { return cudaMallocAsync(made, bytes, stream); });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* out, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return store_address(out, [&](void** made) { return cudaMallocFromPoolAsync(made, bytes, pool, stream); });
}
CUresult cuMemFreeAsync(CUdeviceptr what, CUstream stream) { DW_AS(cudaFreeAsync(device_pointer(what), stream)); }

// Pools use the runtime's structures.
CUresult cuMemPoolCreate(CUmemoryPool* out, const CUmemPoolProps* properties) {
  static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps));
  DW_AS(cudaMemPoolCreate(out, reinterpret_cast<const cudaMemPoolProps*>(properties)));
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) { DW_AS(cudaMemPoolDestroy(pool)); }
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) { DW_AS(cudaMemPoolTrimTo(pool, bytes)); }
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  DW_AS(cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value));
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  DW_AS(cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value));
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* place) {
  DW_AS(cudaMemPoolGetAccess(reinterpret_cast<cudaMemAccessFlags*>(flags), pool,
                             reinterpret_cast<cudaMemLocation*>(place)));
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* list, size_t count) {
  static_assert(sizeof(CUmemAccessDesc) == sizeof(cudaMemAccessDesc));
  DW_AS(cudaMemPoolSetAccess(pool, reinterpret_cast<const cudaMemAccessDesc*>(list), count));
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* out, CUdevice device) {
  DW_AS(cudaDeviceGetDefaultMemPool(out, device));
}
CUresult cuDeviceGetMemPool(CUmemoryPool* out, CUdevice device) { DW_AS(cudaDeviceGetMemPool(out, device)); }
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) { DW_AS(cudaDeviceSetMemPool(device, pool)); }

CUresult cuMemGetDefaultMemPool(CUmemoryPool* out, CUmemLocation* place, CUmemAllocationType type) {
  DW_AS(cudaMemGetDefaultMemPool(out, reinterpret_cast<cudaMemLocation*>(place),
                                 static_cast<cudaMemAllocationType>(type)));
}
CUresult cuMemGetMemPool(CUmemoryPool* out, CUmemLocation* place, CUmemAllocationType type) {
  DW_AS(cudaMemGetMemPool(out, reinterpret_cast<cudaMemLocation*>(place), static_cast<cudaMemAllocationType>(type)));
}
CUresult cuMemSetMemPool(CUmemLocation* place, CUmemAllocationType type, CUmemoryPool pool) {
  DW_AS(cudaMemSetMemPool(reinterpret_cast<cudaMemLocation*>(place), static_cast<cudaMemAllocationType>(type), pool));
}
CUresult cuMemRangeGetAttribute(void* data, size_t size, CUmem_range_attribute attribute, CUdeviceptr what,
                                size_t count) {
  DW_AS(
      cudaMemRangeGetAttribute(data, size, static_cast<cudaMemRangeAttribute>(attribute), device_pointer(what), count));
}
CUresult cuMemRangeGetAttributes(void** data, size_t* sizes, CUmem_range_attribute* attributes, size_t number,
                                 CUdeviceptr what, size_t count) {
  DW_AS(cudaMemRangeGetAttributes(data, sizes, reinterpret_cast<cudaMemRangeAttribute*>(attributes), number,
                                  device_pointer(what), count));
}

}  // extern "C"
