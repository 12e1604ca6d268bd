// An arena that says through NVTX which of its memory is in use.
// TOOLS: memcheck,initcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: out-of-bounds @NOTHING
// FINDS: out-of-bounds @PAST
// FINDS: out-of-bounds @SHRUNK
// FINDS: use-after-free @UNREGISTERED @TWICE
// FINDS: use-after-free @RESET @RESETS
// FINDS: uninitialized @NEW @NEW
// FINDS: api-error @OUTSIDE
// FINDS: api-error @TWICE
#include <nvtx3/nvToolsExtMem.h>

#include <cstdio>

__global__ void nothing(char* p) { p[threadIdx.x] = 1; }  // @NOTHING
__global__ void inside(char* p) { p[threadIdx.x] = 1; }
__global__ void past(char* p) { p[threadIdx.x] = 2; }  // @PAST
__global__ void grown(char* p) { p[threadIdx.x] = 3; }
__global__ void shrunk(char* p) { p[threadIdx.x] = 4; }        // @SHRUNK
__global__ void unregistered(char* p) { p[threadIdx.x] = 5; }  // @UNREGISTERED
__global__ void after_reset(char* p) { p[threadIdx.x] = 6; }   // @RESET
__global__ void fresh(const char* p, char* out) { out[threadIdx.x] = p[threadIdx.x]; }  // @NEW

static nvtxDomainHandle_t domain;

static nvtxMemHeapHandle_t heap_of(void* start, size_t bytes) {
  nvtxMemVirtualRangeDesc_t range = {};
  range.size = bytes, range.ptr = start;
  nvtxMemHeapDesc_t heap = {};
  heap.extCompatID = NVTX_EXT_COMPATID_MEM, heap.structSize = sizeof heap;
  heap.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR, heap.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  heap.typeSpecificDescSize = sizeof range, heap.typeSpecificDesc = &range;
  return nvtxMemHeapRegister(domain, &heap);
}
static void add(nvtxMemHeapHandle_t heap, void* first, void* second, size_t bytes) {
  nvtxMemVirtualRangeDesc_t ranges[2] = {};
  ranges[0].size = ranges[1].size = bytes, ranges[0].ptr = first, ranges[1].ptr = second;
  nvtxMemRegionsRegisterBatch_t batch = {};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM, batch.structSize = sizeof batch;
  batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS, batch.heap = heap;
  batch.regionCount = second ? 2 : 1, batch.regionDescElementSize = sizeof *ranges, batch.regionDescElements = ranges;
  nvtxMemRegionsRegister(domain, &batch);  // @OUTSIDE
}
static void resize(void* start, size_t bytes) {
  nvtxMemVirtualRangeDesc_t range = {};
  range.size = bytes, range.ptr = start;
  nvtxMemRegionsResizeBatch_t batch = {};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM, batch.structSize = sizeof batch;
  batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS, batch.regionDescCount = 1;
  batch.regionDescElementSize = sizeof range, batch.regionDescElements = &range;
  nvtxMemRegionsResize(domain, &batch);
}
static void take_out(void* start) {
  nvtxMemRegionRef_t region;
  region.pointer = start;
  nvtxMemRegionsUnregisterBatch_t batch = {};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM, batch.structSize = sizeof batch;
  batch.refType = NVTX_MEM_REGION_REF_TYPE_POINTER, batch.refCount = 1;
  batch.refElementSize = sizeof region, batch.refElements = &region;
  nvtxMemRegionsUnregister(domain, &batch);  // @TWICE
}

int main() {
  char *p, *out;
  cudaMalloc(&p, 4096);
  cudaMalloc(&out, 64);
  cudaMemset(p, 0, 4096);
  domain = nvtxDomainCreateA("arena");
  inside<<<1, 32>>>(p);  // no heap yet
  const nvtxMemHeapHandle_t heap = heap_of(p, 4096);
  nothing<<<1, 32>>>(p);
  add(heap, p, p + 1024, 32);
  inside<<<1, 32>>>(p);
  inside<<<1, 32>>>(p + 1024);
  past<<<1, 33>>>(p);
  resize(p, 64);
  grown<<<1, 64>>>(p);
  resize(p, 16);
  shrunk<<<1, 17>>>(p);
  fresh<<<1, 32>>>(p + 1024, out);  // written above
  take_out(p + 1024);
  unregistered<<<1, 32>>>(p + 1024);
  take_out(p + 1024);
  add(heap, p + 1024, nullptr, 32);
  fresh<<<1, 32>>>(p + 1024, out);
  add(heap, p + 4090, nullptr, 32);
  nvtxMemHeapReset(domain, heap);  // @RESETS
  after_reset<<<1, 8>>>(p);
  add(heap, p, nullptr, 64);
  inside<<<1, 64>>>(p);
  nvtxMemHeapUnregister(domain, heap);
  cudaFree(p);
  cudaFree(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
