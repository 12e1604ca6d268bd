// NVTX's memory extension: allocators say which parts of their memory are in use, what they are called and what kernels
// may do with them, so that `drywarp check` finds what does something else. Without drywarp's runtime the calls have no
// effect. Permissions of a thread or a stream (nvtxMemPermissionsBind) have none in any case.
#ifndef DRYWARP_NVTX3_NVTOOLSEXTMEM_H
#define DRYWARP_NVTX3_NVTOOLSEXTMEM_H

#include "nvToolsExt.h"

#define NVTX_EXT_MODULEID_MEM 1
#define NVTX_EXT_COMPATID_MEM 0x0102

#define NVTX_MEM_HEAP_USAGE_UNKNOWN 0x0
#define NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR 0x1
#define NVTX_MEM_HEAP_USAGE_TYPE_LAYOUT 0x2
#define NVTX_MEM_TYPE_UNKNOWN 0x0
#define NVTX_MEM_TYPE_VIRTUAL_ADDRESS 0x1
#define NVTX_MEM_REGION_REF_TYPE_UNKNOWN 0x0
#define NVTX_MEM_REGION_REF_TYPE_POINTER 0x1
#define NVTX_MEM_REGION_REF_TYPE_HANDLE 0x2

#define NVTX_MEM_PERMISSIONS_CREATE_FLAGS_NONE 0x0
#define NVTX_MEM_PERMISSIONS_CREATE_FLAGS_EXCLUDE_GLOBAL_READ 0x1
#define NVTX_MEM_PERMISSIONS_CREATE_FLAGS_EXCLUDE_GLOBAL_WRITE 0x2
#define NVTX_MEM_PERMISSIONS_CREATE_FLAGS_EXCLUDE_GLOBAL_ATOMIC 0x4
#define NVTX_MEM_PERMISSIONS_REGION_FLAGS_NONE 0x0
#define NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ 0x1
#define NVTX_MEM_PERMISSIONS_REGION_FLAGS_WRITE 0x2
#define NVTX_MEM_PERMISSIONS_REGION_FLAGS_ATOMIC 0x4
#define NVTX_MEM_PERMISSIONS_REGION_FLAGS_RESET 0x8
#define NVTX_MEM_PERMISSIONS_BIND_FLAGS_NONE 0x0
#define NVTX_MEM_PERMISSIONS_BIND_FLAGS_STRICT_READ 0x1
#define NVTX_MEM_PERMISSIONS_BIND_FLAGS_STRICT_WRITE 0x2
#define NVTX_MEM_PERMISSIONS_BIND_FLAGS_STRICT_ATOMIC 0x4
#define NVTX_MEM_PERMISSIONS_BIND_SCOPE_UNKNOWN 0x0
#define NVTX_MEM_PERMISSIONS_BIND_SCOPE_CPU_THREAD 0x1
#define NVTX_MEM_PERMISSIONS_BIND_SCOPE_CUDA_STREAM 0x2

// Numbers of the functions.
#define NVTX3EXT_CBID_nvtxMemHeapRegister 0
#define NVTX3EXT_CBID_nvtxMemHeapUnregister 1
#define NVTX3EXT_CBID_nvtxMemHeapReset 2
#define NVTX3EXT_CBID_nvtxMemRegionsRegister 3
#define NVTX3EXT_CBID_nvtxMemRegionsResize 4
#define NVTX3EXT_CBID_nvtxMemRegionsUnregister 5
#define NVTX3EXT_CBID_nvtxMemRegionsName 6
#define NVTX3EXT_CBID_nvtxMemPermissionsAssign 7
#define NVTX3EXT_CBID_nvtxMemPermissionsCreate 8
#define NVTX3EXT_CBID_nvtxMemPermissionsDestroy 9
#define NVTX3EXT_CBID_nvtxMemPermissionsReset 10
#define NVTX3EXT_CBID_nvtxMemPermissionsBind 11
#define NVTX3EXT_CBID_nvtxMemPermissionsUnbind 12
#define NVTX3EXT_CBID_nvtxMemCudaGetProcessWidePermissions 13
#define NVTX3EXT_CBID_nvtxMemCudaGetDeviceWidePermissions 14
#define NVTX3EXT_CBID_nvtxMemCudaSetPeerAccess 15
#define NVTX3EXT_CBID_nvtxMemCudaMarkInitialized 16

typedef struct nvtxMemHeap_v1* nvtxMemHeapHandle_t;
typedef struct nvtxMemRegion_v1* nvtxMemRegionHandle_t;
#define NVTX_MEM_HEAP_HANDLE_NO_TOOL ((nvtxMemHeapHandle_t)(intptr_t)-1)
#define NVTX_MEM_HEAP_HANDLE_PROCESS_WIDE ((nvtxMemHeapHandle_t)0)
#define NVTX_MEM_REGION_HANDLE_NO_TOOL ((nvtxMemRegionHandle_t)(intptr_t)-1)

typedef struct nvtxMemPermissions_v1* nvtxMemPermissionsHandle_t;
#define NVTX_MEM_PERMISSIONS_HANDLE_NO_TOOL ((nvtxMemPermissionsHandle_t)(intptr_t)-1)
#define NVTX_MEM_PERMISSIONS_HANDLE_PROCESS_WIDE ((nvtxMemPermissionsHandle_t)0)

typedef union nvtxMemRegionRef_t {
  void const* pointer;
  nvtxMemRegionHandle_t handle;
} nvtxMemRegionRef_t;
typedef struct nvtxMemVirtualRangeDesc_v1 {
  size_t size;
  void const* ptr;
} nvtxMemVirtualRangeDesc_v1;
typedef nvtxMemVirtualRangeDesc_v1 nvtxMemVirtualRangeDesc_t;
// typeSpecificDesc: with NVTX_MEM_TYPE_VIRTUAL_ADDRESS an nvtxMemVirtualRangeDesc_t.
typedef struct nvtxMemHeapDesc_v1 {
  uint16_t extCompatID;
  uint16_t structSize;
  uint32_t reserved0;
  uint32_t usage;
  uint32_t type;
  size_t typeSpecificDescSize;
  void const* typeSpecificDesc;
  uint32_t category;
  uint32_t messageType;
  nvtxMessageValue_t message;
} nvtxMemHeapDesc_v1;
typedef nvtxMemHeapDesc_v1 nvtxMemHeapDesc_t;
typedef struct nvtxMemRegionsRegisterBatch_v1 {
  uint16_t extCompatID;
  uint16_t structSize;
  uint32_t regionType;
  nvtxMemHeapHandle_t heap;
  size_t regionCount;
  size_t regionDescElementSize;
  void const* regionDescElements;
  nvtxMemRegionHandle_t* regionHandleElementsOut;
} nvtxMemRegionsRegisterBatch_v1;
typedef nvtxMemRegionsRegisterBatch_v1 nvtxMemRegionsRegisterBatch_t;
typedef struct nvtxMemRegionsResizeBatch_v1 {
  uint16_t extCompatID;
  uint16_t structSize;
  uint32_t regionType;
  size_t regionDescCount;
  size_t regionDescElementSize;
  void const* regionDescElements;
} nvtxMemRegionsResizeBatch_v1;
typedef nvtxMemRegionsResizeBatch_v1 nvtxMemRegionsResizeBatch_t;
typedef struct nvtxMemRegionsUnregisterBatch_v1 {
  uint16_t extCompatID;
  uint16_t structSize;
  uint32_t refType;
  size_t refCount;
  size_t refElementSize;
  nvtxMemRegionRef_t const* refElements;
} nvtxMemRegionsUnregisterBatch_v1;
typedef nvtxMemRegionsUnregisterBatch_v1 nvtxMemRegionsUnregisterBatch_t;
typedef struct nvtxMemRegionNameDesc_v1 {
  uint32_t regionRefType;
  uint32_t nameType;
  nvtxMemRegionRef_t region;
  nvtxMessageValue_t name;
  uint32_t category;
  uint32_t reserved0;
} nvtxMemRegionNameDesc_v1;
typedef nvtxMemRegionNameDesc_v1 nvtxMemRegionNameDesc_t;
typedef struct nvtxMemRegionsNameBatch_v1 {
  uint16_t extCompatID;
  uint16_t structSize;
  uint32_t reserved0;
  size_t regionCount;
  size_t regionElementSize;
  nvtxMemRegionNameDesc_t const* regionElements;
  size_t reserved1;
} nvtxMemRegionsNameBatch_v1;
typedef nvtxMemRegionsNameBatch_v1 nvtxMemRegionsNameBatch_t;

typedef struct nvtxMemPermissionsAssignRegionDesc_v1 {
  uint32_t flags;
  uint32_t regionRefType;
  nvtxMemRegionRef_t region;
} nvtxMemPermissionsAssignRegionDesc_v1;
typedef nvtxMemPermissionsAssignRegionDesc_v1 nvtxMemPermissionsAssignRegionDesc_t;
typedef struct nvtxMemPermissionsAssignBatch_v1 {
  uint16_t extCompatID;
  uint16_t structSize;
  uint32_t reserved0;
  nvtxMemPermissionsHandle_t permissions;
  size_t regionCount;
  size_t regionElementSize;
  nvtxMemPermissionsAssignRegionDesc_t const* regionElements;
  size_t reserved1;
} nvtxMemPermissionsAssignBatch_v1;
typedef nvtxMemPermissionsAssignBatch_v1 nvtxMemPermissionsAssignBatch_t;

// Of nvToolsExtMemCudaRt.h.
typedef struct nvtxMemMarkInitializedBatch_v1 {
  uint16_t extCompatID;
  uint16_t structSize;
  uint32_t regionType;
  size_t regionDescCount;
  size_t regionDescElementSize;
  void const* regionDescElements;
} nvtxMemMarkInitializedBatch_v1;
typedef nvtxMemMarkInitializedBatch_v1 nvtxMemMarkInitializedBatch_t;

// The runtime's functions, by number.
#if defined(__cplusplus)
extern "C"
#endif
    const intptr_t* __drywarp_nvtx_memory(void) __attribute__((weak));

// The function NAME of the runtime as a pointer, without the arguments' names: to be called if __drywarp_nvtx_memory.
#define __DRYWARP_NVTX_MEMORY(RESULT, NAME, TYPES) \
  ((RESULT(*) TYPES)__drywarp_nvtx_memory()[NVTX3EXT_CBID_##NAME])
// void NAME(DECLARED), with the types TYPES and the arguments PASSED.
#define __DRYWARP_NVTX_MEMORY_CALL(NAME, DECLARED, TYPES, PASSED)                   \
  NVTX_INLINE_STATIC void NAME DECLARED {                                           \
    if (__drywarp_nvtx_memory) __DRYWARP_NVTX_MEMORY(void, NAME, TYPES) PASSED;     \
  }
#define __DRYWARP_NVTX_MEMORY_BATCH(NAME, TYPE)                                                          \
  __DRYWARP_NVTX_MEMORY_CALL(NAME, (nvtxDomainHandle_t domain, TYPE const* desc),                        \
                             (nvtxDomainHandle_t, TYPE const*), (domain, desc))

NVTX_INLINE_STATIC nvtxMemHeapHandle_t nvtxMemHeapRegister(nvtxDomainHandle_t domain, nvtxMemHeapDesc_t const* desc) {
  return __drywarp_nvtx_memory ? __DRYWARP_NVTX_MEMORY(nvtxMemHeapHandle_t, nvtxMemHeapRegister,
                                                       (nvtxDomainHandle_t, nvtxMemHeapDesc_t const*))(domain, desc)
                               : NVTX_MEM_HEAP_HANDLE_NO_TOOL;
}
NVTX_INLINE_STATIC nvtxMemPermissionsHandle_t nvtxMemPermissionsCreate(nvtxDomainHandle_t domain,
                                                                       int32_t creationflags) {
  return __drywarp_nvtx_memory ? __DRYWARP_NVTX_MEMORY(nvtxMemPermissionsHandle_t, nvtxMemPermissionsCreate,
                                                       (nvtxDomainHandle_t, int32_t))(domain, creationflags)
                               : NVTX_MEM_PERMISSIONS_HANDLE_NO_TOOL;
}
__DRYWARP_NVTX_MEMORY_CALL(nvtxMemHeapUnregister, (nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap),
                           (nvtxDomainHandle_t, nvtxMemHeapHandle_t), (domain, heap))
__DRYWARP_NVTX_MEMORY_CALL(nvtxMemHeapReset, (nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap),
                           (nvtxDomainHandle_t, nvtxMemHeapHandle_t), (domain, heap))
__DRYWARP_NVTX_MEMORY_BATCH(nvtxMemRegionsRegister, nvtxMemRegionsRegisterBatch_t)
__DRYWARP_NVTX_MEMORY_BATCH(nvtxMemRegionsResize, nvtxMemRegionsResizeBatch_t)
__DRYWARP_NVTX_MEMORY_BATCH(nvtxMemRegionsUnregister, nvtxMemRegionsUnregisterBatch_t)
__DRYWARP_NVTX_MEMORY_BATCH(nvtxMemRegionsName, nvtxMemRegionsNameBatch_t)
__DRYWARP_NVTX_MEMORY_BATCH(nvtxMemPermissionsAssign, nvtxMemPermissionsAssignBatch_t)
__DRYWARP_NVTX_MEMORY_CALL(nvtxMemPermissionsDestroy,
                           (nvtxDomainHandle_t domain, nvtxMemPermissionsHandle_t permissions),
                           (nvtxDomainHandle_t, nvtxMemPermissionsHandle_t), (domain, permissions))
__DRYWARP_NVTX_MEMORY_CALL(nvtxMemPermissionsReset,
                           (nvtxDomainHandle_t domain, nvtxMemPermissionsHandle_t permissions),
                           (nvtxDomainHandle_t, nvtxMemPermissionsHandle_t), (domain, permissions))
__DRYWARP_NVTX_MEMORY_CALL(nvtxMemPermissionsBind,
                           (nvtxDomainHandle_t domain, nvtxMemPermissionsHandle_t permissions, uint32_t bindScope,
                            uint32_t bindFlags),
                           (nvtxDomainHandle_t, nvtxMemPermissionsHandle_t, uint32_t, uint32_t),
                           (domain, permissions, bindScope, bindFlags))
__DRYWARP_NVTX_MEMORY_CALL(nvtxMemPermissionsUnbind, (nvtxDomainHandle_t domain, uint32_t bindScope),
                           (nvtxDomainHandle_t, uint32_t), (domain, bindScope))

#endif
