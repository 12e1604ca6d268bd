// NVTX's memory calls beyond arenas: heaps that are a part of an allocation, names, permissions, batches with a wrong
// element, and memory that counts as written.
// TOOLS: memcheck,initcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: out-of-bounds @CLOSED
// FINDS: out-of-bounds @PAST
// FINDS: not-permitted @READS
// FINDS: not-permitted @WRITES
// FINDS: not-permitted @ADDS
// FINDS: not-permitted @COUNTS
// SAYS: which may be read and written, but not by atomics
// SAYS: into allocation 'results' of 256 bytes, which may only be read
// FINDS: not-permitted @INSIDE
// FINDS: not-permitted @WHOLE
// FINDS: not-permitted @BOUND_WRITES
// FINDS: not-permitted @BOUND_ADDS
// FINDS: not-permitted @BOUND_REGION
// FINDS: not-permitted @OTHERS
// SAYS: into allocation 'results' of 256 bytes, which may only be read
// FINDS: api-error @BIND
// FINDS: api-error @BATCH
// FINDS: uninitialized @UNMARKED @UNMARKED
#include <nvtx3/nvToolsExtMemCudaRt.h>

#include <cstdio>
#include <initializer_list>
#include <thread>

__global__ void inside(char* p) { p[threadIdx.x] = 1; }
__global__ void closed(char* p) { p[threadIdx.x] = 2; }                              // @CLOSED
__global__ void past(char* p) { p[threadIdx.x] = 3; }                                // @PAST
__global__ void reads(const char* p, char* out) { out[threadIdx.x] = p[threadIdx.x]; }  // @READS
__global__ void writes(char* p) { p[threadIdx.x] = 4; }                              // @WRITES
__global__ void adds(int* p) { atomicAdd(p + threadIdx.x, 1); }                      // @ADDS
__global__ void counts(int* p) { atomicAdd(p + threadIdx.x, 1); }                    // @COUNTS
__global__ void layout(char* p) { p[threadIdx.x] = 5; }                              // @INSIDE
__global__ void whole(char* p) { p[threadIdx.x] = 6; }                               // @WHOLE
__global__ void copies(const char* p, char* out) { out[threadIdx.x] = p[threadIdx.x]; }
__global__ void unmarked(const char* p, char* out) { out[threadIdx.x] = p[threadIdx.x]; }  // @UNMARKED

__global__ void bound_writes(char* p) { p[threadIdx.x] = 7; }                        // @BOUND_WRITES
__global__ void bound_adds(int* p) { atomicAdd(p, 1); }                              // @BOUND_ADDS
__global__ void bound_region(char* p) { p[threadIdx.x] = 8; }                        // @BOUND_REGION
__global__ void others(char* p) { p[threadIdx.x] = 9; }                              // @OTHERS

static nvtxDomainHandle_t domain;

static nvtxMemHeapHandle_t heap_of(const void* start, size_t bytes, uint32_t usage) {
  nvtxMemVirtualRangeDesc_t range = {};
  range.size = bytes, range.ptr = start;
  nvtxMemHeapDesc_t heap = {};
  heap.extCompatID = NVTX_EXT_COMPATID_MEM, heap.structSize = sizeof heap;
  heap.usage = usage, heap.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  heap.typeSpecificDescSize = sizeof range, heap.typeSpecificDesc = &range;
  heap.messageType = NVTX_MESSAGE_TYPE_ASCII, heap.message.ascii = "the arena";
  return nvtxMemHeapRegister(domain, &heap);
}
static void add(nvtxMemHeapHandle_t heap, std::initializer_list<nvtxMemVirtualRangeDesc_t> ranges) {
  nvtxMemRegionsRegisterBatch_t batch = {};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM, batch.structSize = sizeof batch;
  batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS, batch.heap = heap;
  batch.regionCount = ranges.size(), batch.regionDescElementSize = sizeof *ranges.begin();
  batch.regionDescElements = ranges.begin();
  nvtxMemRegionsRegister(domain, &batch);  // @BATCH
}
static void name(const void* region, const char* text) {
  nvtxMemRegionNameDesc_t named = {};
  named.regionRefType = NVTX_MEM_REGION_REF_TYPE_POINTER, named.region.pointer = region;
  named.nameType = NVTX_MESSAGE_TYPE_ASCII, named.name.ascii = text;
  nvtxMemRegionsNameBatch_t batch = {};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM, batch.structSize = sizeof batch;
  batch.regionCount = 1, batch.regionElementSize = sizeof named, batch.regionElements = &named;
  nvtxMemRegionsName(domain, &batch);
}
static void permit(nvtxMemPermissionsHandle_t permissions, const void* region, uint32_t flags) {
  nvtxMemPermissionsAssignRegionDesc_t assigned = {};
  assigned.flags = flags, assigned.regionRefType = NVTX_MEM_REGION_REF_TYPE_POINTER, assigned.region.pointer = region;
  nvtxMemPermissionsAssignBatch_t batch = {};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM, batch.structSize = sizeof batch, batch.permissions = permissions;
  batch.regionCount = 1, batch.regionElementSize = sizeof assigned, batch.regionElements = &assigned;
  nvtxMemPermissionsAssign(domain, &batch);
}
static void mark(const void* start, size_t bytes) {
  nvtxMemVirtualRangeDesc_t range = {};
  range.size = bytes, range.ptr = start;
  nvtxMemMarkInitializedBatch_t batch = {};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM, batch.structSize = sizeof batch;
  batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS, batch.regionDescCount = 1;
  batch.regionDescElementSize = sizeof range, batch.regionDescElements = &range;
  nvtxMemCudaMarkInitialized(domain, nullptr, 0, &batch);
}

int main() {
  char *p, *out, *fresh;
  cudaMalloc(&p, 8192);
  cudaMalloc(&out, 256);
  cudaMalloc(&fresh, 64);
  cudaMemset(p, 0, 8192);
  cudaMemset(out, 0, 256);
  domain = nvtxDomainCreateA("arena");

  // The heap is the second quarter of the allocation; the rest stays open.
  const nvtxMemHeapHandle_t heap = heap_of(p + 2048, 2048, NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR);
  inside<<<1, 32>>>(p);
  inside<<<1, 32>>>(p + 4096);
  closed<<<1, 32>>>(p + 2048);
  // The second element leaves the heap; the third one counts.
  add(heap, {{64, p + 2048}, {64, p + 4080}, {64, p + 3072}});
  cudaMemset(p + 2048, 0, 2048);
  inside<<<1, 64>>>(p + 2048);
  inside<<<1, 64>>>(p + 3072);
  name(p + 2048, "weights");
  past<<<1, 65>>>(p + 2048);

  const nvtxMemPermissionsHandle_t kernels = nvtxMemCudaGetProcessWidePermissions(domain);
  permit(kernels, p + 2048, NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ);
  copies<<<1, 32>>>(p + 2048, out);
  writes<<<1, 32>>>(p + 2048);
  adds<<<1, 8>>>(reinterpret_cast<int*>(p + 2048));
  permit(kernels, p + 2048, NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ | NVTX_MEM_PERMISSIONS_REGION_FLAGS_WRITE);
  inside<<<1, 64>>>(p + 2048);
  counts<<<1, 8>>>(reinterpret_cast<int*>(p + 2048));
  permit(kernels, p + 2048, NVTX_MEM_PERMISSIONS_REGION_FLAGS_NONE);
  reads<<<1, 32>>>(p + 2048, out);
  permit(kernels, p + 2048, NVTX_MEM_PERMISSIONS_REGION_FLAGS_RESET);
  inside<<<1, 64>>>(p + 2048);
  nvtxMemHeapUnregister(domain, heap);
  inside<<<1, 64>>>(p + 2100);

  // A layout closes nothing; its regions may restrict.
  const nvtxMemHeapHandle_t parts = heap_of(p + 4096, 4096, NVTX_MEM_HEAP_USAGE_TYPE_LAYOUT);
  inside<<<1, 64>>>(p + 4096);
  add(parts, {{128, p + 4096}, {128, p + 6144}});
  permit(kernels, p + 6144, NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ);
  inside<<<1, 128>>>(p + 4160);
  inside<<<1, 64>>>(p + 6272);
  layout<<<1, 64>>>(p + 6208);
  nvtxMemHeapUnregister(domain, parts);
  inside<<<1, 64>>>(p + 6208);

  permit(kernels, out, NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ);
  name(out, "results");  // of an allocation: no wrong call
  whole<<<1, 32>>>(out + 32);
  nvtxMemPermissionsReset(domain, kernels);
  inside<<<1, 32>>>(out + 32);

  // Permissions that a thread binds for its own launches: over those of all, and as they are at each launch.
  const nvtxMemPermissionsHandle_t own = nvtxMemPermissionsCreate(domain, NVTX_MEM_PERMISSIONS_CREATE_FLAGS_NONE);
  const auto bind = [&](uint32_t scope, uint32_t flags) { nvtxMemPermissionsBind(domain, own, scope, flags); };  // @BIND
  permit(own, out, NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ);
  inside<<<1, 32>>>(out);
  bind(NVTX_MEM_PERMISSIONS_BIND_SCOPE_CUDA_STREAM, NVTX_MEM_PERMISSIONS_BIND_FLAGS_NONE);
  copies<<<1, 32>>>(out, p);
  bound_writes<<<1, 32>>>(out);
  bound_adds<<<1, 1>>>(reinterpret_cast<int*>(out));
  cudaMemset(out, 0, 32);  // kernels alone
  std::thread([&] { inside<<<1, 32>>>(out); }).join();
  permit(own, out, NVTX_MEM_PERMISSIONS_REGION_FLAGS_RESET);
  inside<<<1, 32>>>(out);
  permit(kernels, p, NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ);
  permit(own, p, NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ | NVTX_MEM_PERMISSIONS_REGION_FLAGS_WRITE);
  inside<<<1, 32>>>(p);
  permit(kernels, p, NVTX_MEM_PERMISSIONS_REGION_FLAGS_RESET);
  // A region; beside it, the allocation as for all.
  const nvtxMemHeapHandle_t again = heap_of(p + 4096, 4096, NVTX_MEM_HEAP_USAGE_TYPE_LAYOUT);
  add(again, {{128, p + 4096}});
  permit(own, p + 4096, NVTX_MEM_PERMISSIONS_REGION_FLAGS_READ);
  inside<<<1, 64>>>(p + 4224);
  bound_region<<<1, 32>>>(p + 4096);
  nvtxMemHeapUnregister(domain, again);
  // What it does not name may not be written.
  bind(NVTX_MEM_PERMISSIONS_BIND_SCOPE_CUDA_STREAM, NVTX_MEM_PERMISSIONS_BIND_FLAGS_STRICT_WRITE);
  inside<<<1, 32>>>(p);
  others<<<1, 32>>>(out);
  nvtxMemPermissionsDestroy(domain, own);
  bind(NVTX_MEM_PERMISSIONS_BIND_SCOPE_CPU_THREAD, NVTX_MEM_PERMISSIONS_BIND_FLAGS_NONE);
  nvtxMemPermissionsUnbind(domain, NVTX_MEM_PERMISSIONS_BIND_SCOPE_CUDA_STREAM);
  inside<<<1, 32>>>(out);

  mark(fresh, 32);
  copies<<<1, 32>>>(fresh, out);
  unmarked<<<1, 32>>>(fresh + 32, out);
  cudaFree(fresh);
  cudaFree(out);
  cudaFree(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
