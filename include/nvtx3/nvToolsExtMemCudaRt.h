// The part of NVTX's memory extension that is about CUDA: what kernels may do, and memory that counts as written.
#ifndef DRYWARP_NVTX3_NVTOOLSEXTMEMCUDART_H
#define DRYWARP_NVTX3_NVTOOLSEXTMEMCUDART_H

#include "cuda_runtime_api.h"
#include "nvtx3/nvToolsExtMem.h"

#define NVTX_MEM_TYPE_CUDA_ARRAY 0x11
#define NVTX_MEM_TYPE_CU_ARRAY 0x12
#define NVTX_MEM_CUDA_PEER_ALL_DEVICES -1

NVTX_INLINE_STATIC nvtxMemPermissionsHandle_t nvtxMemCudaGetProcessWidePermissions(nvtxDomainHandle_t domain) {
  return __drywarp_nvtx_memory ? __DRYWARP_NVTX_MEMORY(nvtxMemPermissionsHandle_t, nvtxMemCudaGetProcessWidePermissions,
                                                       (nvtxDomainHandle_t))(domain)
                               : NVTX_MEM_PERMISSIONS_HANDLE_NO_TOOL;
}
NVTX_INLINE_STATIC nvtxMemPermissionsHandle_t nvtxMemCudaGetDeviceWidePermissions(nvtxDomainHandle_t domain,
                                                                                  int device) {
  return __drywarp_nvtx_memory ? __DRYWARP_NVTX_MEMORY(nvtxMemPermissionsHandle_t, nvtxMemCudaGetDeviceWidePermissions,
                                                       (nvtxDomainHandle_t, int))(domain, device)
                               : NVTX_MEM_PERMISSIONS_HANDLE_NO_TOOL;
}
__DRYWARP_NVTX_MEMORY_CALL(nvtxMemCudaSetPeerAccess,
                           (nvtxDomainHandle_t domain, nvtxMemPermissionsHandle_t permissions, int devicePeer,
                            uint32_t flags),
                           (nvtxDomainHandle_t, nvtxMemPermissionsHandle_t, int, uint32_t),
                           (domain, permissions, devicePeer, flags))
__DRYWARP_NVTX_MEMORY_CALL(nvtxMemCudaMarkInitialized,
                           (nvtxDomainHandle_t domain, cudaStream_t stream, uint8_t isPerThreadStream,
                            nvtxMemMarkInitializedBatch_t const* desc),
                           (nvtxDomainHandle_t, cudaStream_t, uint8_t, nvtxMemMarkInitializedBatch_t const*),
                           (domain, stream, isPerThreadStream, desc))

#endif
