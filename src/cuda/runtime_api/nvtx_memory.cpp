// NVTX's memory extension: heaps whose regions the program hands out, as drywarp/annotate.h has them. Reaches us
// through our header, or through the function slots that NVIDIA's header passes to the library of
// NVTX_INJECTION64_PATH.
#include <cstdint>
#include <optional>

#include "cuda/c_abi/runtime.h"
#include "nvtx3/nvToolsExtMem.h"

namespace drywarp::cudart::nvtx {
namespace {

// NVTX's functions return nothing: what they cannot do is a finding of memcheck. `done`: whether the call was right.
template <class Body>
void annotate(const char* name, const char* wrong, Body&& done) noexcept {
  query("nvtx", [&](Session& session) {
    if (session.start() != Error::Success || done(session.memory().device())) return Error::Success;
    if (cuda::CallChecks* checks = session.checks().calls()) {
      Finding finding;
      finding.kind = FindingKind::ApiError;
      finding.what = wrong;
      checks->explain(std::move(finding));
      checks->ended(name, Error::Success);
    }
    return Error::Success;
  });
}

// The elements of a batch, which newer versions of the header may make longer.
template <class Element>
const Element& element(const void* first, size_t bytes, size_t index) {
  return *reinterpret_cast<const Element*>(static_cast<const char*>(first) + bytes * index);
}

// Every element is worked on, also behind one that is wrong.
template <class Element, class Visit>
bool for_all(const void* first, size_t bytes, size_t count, Visit visit) {
  bool good = first && bytes >= sizeof(Element);
  for (size_t i = 0; good && i < count; ++i) good = visit(element<Element>(first, bytes, i), i) && good;
  return good;
}

}  // namespace

// Other heaps, and heaps that are a part of an allocation, say nothing that could be checked.
void* heap_register(const nvtxMemHeapDesc_t* desc) {
  if (!desc || desc->type != NVTX_MEM_TYPE_VIRTUAL_ADDRESS || !desc->typeSpecificDesc) return nullptr;
  const auto& range = *static_cast<const nvtxMemVirtualRangeDesc_t*>(desc->typeSpecificDesc);
  if (desc->usage == NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR)
    annotate("nvtxMemHeapRegister", "a heap that is no whole allocation",
             [&](auto& memory) { return memory.make_arena(address(range.ptr), range.size); });
  return const_cast<void*>(range.ptr);
}
void heap_reset(void* heap) {
  annotate("nvtxMemHeapReset", "no heap", [&](auto& memory) { return memory.take_all_back(address(heap)); });
}
void heap_unregister(void* heap) {
  annotate("nvtxMemHeapUnregister", "no heap", [&](auto& memory) { return memory.take_all_back(address(heap)); });
}
void regions_register(const nvtxMemRegionsRegisterBatch_t* desc) {
  if (!desc || desc->regionType != NVTX_MEM_TYPE_VIRTUAL_ADDRESS || !desc->heap) return;
  annotate(
      "nvtxMemRegionsRegister", "a region that is not inside of its heap, or overlaps another one", [&](auto& memory) {
        return for_all<nvtxMemVirtualRangeDesc_t>(
            desc->regionDescElements, desc->regionDescElementSize, desc->regionCount, [&](const auto& range, size_t i) {
              if (desc->regionHandleElementsOut)
                desc->regionHandleElementsOut[i] = static_cast<nvtxMemRegionHandle_t>(const_cast<void*>(range.ptr));
              return memory.hand_out(address(range.ptr), range.size);
            });
      });
}
void regions_resize(const nvtxMemRegionsResizeBatch_t* desc) {
  if (!desc || desc->regionType != NVTX_MEM_TYPE_VIRTUAL_ADDRESS) return;
  annotate("nvtxMemRegionsResize", "no region, or one that would leave its heap or overlap another one",
           [&](auto& memory) {
             return for_all<nvtxMemVirtualRangeDesc_t>(
                 desc->regionDescElements, desc->regionDescElementSize, desc->regionDescCount,
                 [&](const auto& range, size_t) { return memory.resize_part(address(range.ptr), range.size); });
           });
}
// The handle of a region is its address.
void regions_unregister(const nvtxMemRegionsUnregisterBatch_t* desc) {
  if (!desc) return;
  annotate("nvtxMemRegionsUnregister", "no region, or one that has been unregistered before", [&](auto& memory) {
    return for_all<nvtxMemRegionRef_t>(desc->refElements, desc->refElementSize, desc->refCount,
                                       [&](const auto& ref, size_t) { return memory.take_back(address(ref.pointer)); });
  });
}

// As NVIDIA's header calls them.
void* domain_heap_register(nvtxDomainHandle_t, const nvtxMemHeapDesc_t* desc) { return heap_register(desc); }
void domain_heap_unregister(nvtxDomainHandle_t, void* heap) { heap_unregister(heap); }
void domain_heap_reset(nvtxDomainHandle_t, void* heap) { heap_reset(heap); }
void domain_regions_register(nvtxDomainHandle_t, const nvtxMemRegionsRegisterBatch_t* desc) { regions_register(desc); }
void domain_regions_resize(nvtxDomainHandle_t, const nvtxMemRegionsResizeBatch_t* desc) { regions_resize(desc); }
void domain_regions_unregister(nvtxDomainHandle_t, const nvtxMemRegionsUnregisterBatch_t* desc) {
  regions_unregister(desc);
}

}  // namespace drywarp::cudart::nvtx

namespace nvtx = drywarp::cudart::nvtx;

extern "C" {
void* __drywarp_nvtx_heap_register(const void* desc) {
  return nvtx::heap_register(static_cast<const nvtxMemHeapDesc_t*>(desc));
}
void __drywarp_nvtx_heap_unregister(void* heap) { nvtx::heap_unregister(heap); }
void __drywarp_nvtx_heap_reset(void* heap) { nvtx::heap_reset(heap); }
void __drywarp_nvtx_regions_register(const void* desc) {
  nvtx::regions_register(static_cast<const nvtxMemRegionsRegisterBatch_t*>(desc));
}
void __drywarp_nvtx_regions_resize(const void* desc) {
  nvtx::regions_resize(static_cast<const nvtxMemRegionsResizeBatch_t*>(desc));
}
void __drywarp_nvtx_regions_unregister(const void* desc) {
  nvtx::regions_unregister(static_cast<const nvtxMemRegionsUnregisterBatch_t*>(desc));
}
}  // extern "C"

// The numbers and structures are those of NVTX 3's extensions (nvtxExtTypes.h, nvToolsExtMem.h).
namespace {

struct Segment {
  size_t id, count;
  intptr_t* slots;
};
struct ModuleInfo {
  uint16_t version, bytes, module, compatibility;
  size_t segment_count;
  Segment* segments;
};

template <class F>
intptr_t slot(F* function) {
  return reinterpret_cast<intptr_t>(function);
}

}  // namespace

extern "C" int InitializeInjectionNvtxExtension(void* info) {
  const auto* module = static_cast<const ModuleInfo*>(info);
  if (!module || module->module != NVTX_EXT_MODULEID_MEM || module->segment_count == 0) return 0;
  const std::pair<size_t, intptr_t> functions[] = {
      {1, slot(nvtx::domain_heap_register)},  {2, slot(nvtx::domain_heap_unregister)},
      {3, slot(nvtx::domain_heap_reset)},     {4, slot(nvtx::domain_regions_register)},
      {5, slot(nvtx::domain_regions_resize)}, {6, slot(nvtx::domain_regions_unregister)},
  };
  const Segment& segment = module->segments[0];
  for (const auto& [number, function] : functions)
    if (number < segment.count) segment.slots[number] = function;
  return 1;
}
