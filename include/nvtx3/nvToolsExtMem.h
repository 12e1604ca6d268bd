// NVTX's memory extension: allocators say which parts of their memory are in use, so that `drywarp check` finds what
// leaves them. Without drywarp's runtime the calls have no effect. Permissions have none in any case.
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

typedef struct nvtxMemHeap_v1* nvtxMemHeapHandle_t;
typedef struct nvtxMemRegion_v1* nvtxMemRegionHandle_t;
#define NVTX_MEM_HEAP_HANDLE_NO_TOOL ((nvtxMemHeapHandle_t)(intptr_t)-1)
#define NVTX_MEM_HEAP_HANDLE_PROCESS_WIDE ((nvtxMemHeapHandle_t)0)
#define NVTX_MEM_REGION_HANDLE_NO_TOOL ((nvtxMemRegionHandle_t)(intptr_t)-1)

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

#if defined(__cplusplus)
extern "C" {
#endif
// The runtime's functions.
void* __drywarp_nvtx_heap_register(const void* desc) __attribute__((weak));
void __drywarp_nvtx_heap_unregister(void* heap) __attribute__((weak));
void __drywarp_nvtx_heap_reset(void* heap) __attribute__((weak));
void __drywarp_nvtx_regions_register(const void* desc) __attribute__((weak));
void __drywarp_nvtx_regions_resize(const void* desc) __attribute__((weak));
void __drywarp_nvtx_regions_unregister(const void* desc) __attribute__((weak));
#if defined(__cplusplus)
}
#endif

NVTX_INLINE_STATIC nvtxMemHeapHandle_t nvtxMemHeapRegister(nvtxDomainHandle_t domain, nvtxMemHeapDesc_t const* desc) {
  (void)domain;
  return __drywarp_nvtx_heap_register ? (nvtxMemHeapHandle_t)__drywarp_nvtx_heap_register(desc)
                                      : NVTX_MEM_HEAP_HANDLE_NO_TOOL;
}
NVTX_INLINE_STATIC void nvtxMemHeapUnregister(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap) {
  (void)domain;
  if (__drywarp_nvtx_heap_unregister) __drywarp_nvtx_heap_unregister(heap);
}
NVTX_INLINE_STATIC void nvtxMemHeapReset(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap) {
  (void)domain;
  if (__drywarp_nvtx_heap_reset) __drywarp_nvtx_heap_reset(heap);
}
NVTX_INLINE_STATIC void nvtxMemRegionsRegister(nvtxDomainHandle_t domain, nvtxMemRegionsRegisterBatch_t const* desc) {
  (void)domain;
  if (__drywarp_nvtx_regions_register) __drywarp_nvtx_regions_register(desc);
}
NVTX_INLINE_STATIC void nvtxMemRegionsResize(nvtxDomainHandle_t domain, nvtxMemRegionsResizeBatch_t const* desc) {
  (void)domain;
  if (__drywarp_nvtx_regions_resize) __drywarp_nvtx_regions_resize(desc);
}
NVTX_INLINE_STATIC void nvtxMemRegionsUnregister(nvtxDomainHandle_t domain,
                                                 nvtxMemRegionsUnregisterBatch_t const* desc) {
  (void)domain;
  if (__drywarp_nvtx_regions_unregister) __drywarp_nvtx_regions_unregister(desc);
}
// Reports know allocations by their numbers and the lines that made them.
NVTX_INLINE_STATIC void nvtxMemRegionsName(nvtxDomainHandle_t domain, nvtxMemRegionsNameBatch_t const* desc) {
  (void)domain;
  (void)desc;
}

#endif
