// NVTX's memory extension: heaps whose regions the program hands out, as drywarp/annotate.h has them, with names and
// permissions. Reaches us through our header, or through the function slots that NVIDIA's header passes to the library
// of NVTX_INJECTION64_PATH.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/c_abi/launch_configuration.h"
#include "cuda/c_abi/runtime.h"
#include "cuda/runtime_api/nvtx_text.h"
#include "nvtx3/nvToolsExtMem.h"

namespace drywarp::cudart::nvtx {
namespace {

using exec::DeviceMemory;

// NVTX's functions return nothing: what they cannot do is a finding of memcheck. `body` says what was wrong; empty:
// nothing.
template <class Body>
void annotate(const char* name, Body&& body) noexcept {
  query("nvtx", [&](Session& session) {
    if (session.start() != Error::Success) return Error::Success;
    const std::string wrong = body(session);
    cuda::CallChecks* checks = session.checks().calls();
    if (wrong.empty() || !checks) return Error::Success;
    Finding finding;
    finding.kind = FindingKind::ApiError;
    finding.what = wrong;
    checks->explain(std::move(finding));
    checks->ended(name, Error::Success);
    return Error::Success;
  });
}

template <class Body>
void annotate(const char* name, const char* wrong, Body&& done) noexcept {
  annotate(name, [&](Session& session) { return done(session.memory().device()) ? std::string() : wrong; });
}

// The elements of a batch, which newer versions of the header may make longer. One that is wrong does not keep the
// others from having their effect.
template <class Element, class Visit>
void each(const char* name, const char* wrong, const void* first, size_t bytes, size_t count, Visit visit) noexcept {
  annotate(name, [&](Session& session) -> std::string {
    if (!first || bytes < sizeof(Element)) return "a batch without elements";
    std::string numbers;
    for (size_t i = 0; i < count; ++i) {
      const auto& e = *reinterpret_cast<const Element*>(static_cast<const char*>(first) + bytes * i);
      if (!visit(session.memory().device(), e, i)) numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", i);
    }
    if (numbers.empty()) return {};
    return count == 1 ? wrong : fmt::format("{}: of {} elements {}", wrong, count, numbers);
  });
}

// Handles of permissions. Those of the process and of the device are what all kernels may do; the others are objects,
// which a thread binds for its own launches.
enum class Permissions : uintptr_t { OfProcess, OfKernels, FirstObject };
nvtxMemPermissionsHandle_t handle(Permissions of) { return reinterpret_cast<nvtxMemPermissionsHandle_t>(of); }
bool is_of_kernels(nvtxMemPermissionsHandle_t of) {
  return of == handle(Permissions::OfProcess) || of == handle(Permissions::OfKernels);
}

// All objects of the process. Until an object is destroyed, what is assigned to it counts at once where it is bound.
class Objects {
 public:
  using Object = std::shared_ptr<exec::Permissions>;
  nvtxMemPermissionsHandle_t add(exec::Permissions permissions) {
    const std::lock_guard hold(mutex_);
    objects_.push_back(std::make_shared<exec::Permissions>(std::move(permissions)));
    return reinterpret_cast<nvtxMemPermissionsHandle_t>(uintptr_t(Permissions::FirstObject) + objects_.size() - 1);
  }
  // `change` gets the object. False: there is none.
  template <class Change>
  bool with(nvtxMemPermissionsHandle_t of, Change change) {
    const std::lock_guard hold(mutex_);
    const size_t number = reinterpret_cast<uintptr_t>(of) - uintptr_t(Permissions::FirstObject);
    if (number >= objects_.size() || !objects_[number]) return false;
    change(objects_[number]);
    return true;
  }
  [[nodiscard]] exec::Permissions content(const Object& object) {
    const std::lock_guard hold(mutex_);
    return *object;
  }

 private:
  std::mutex mutex_;
  std::vector<Object> objects_;  // null: destroyed
};
Objects& objects() {
  static Objects all;
  return all;
}

// What the thread has bound.
struct Binding {
  Objects::Object object;
  uint8_t others = exec::kMayAll;  // by flags of the call
};
thread_local Binding binding;

// As NVIDIA's header calls them. Handles of heaps and regions are their addresses.
nvtxMemHeapHandle_t heap_register(nvtxDomainHandle_t, const nvtxMemHeapDesc_t* desc) {
  if (!desc || desc->type != NVTX_MEM_TYPE_VIRTUAL_ADDRESS || !desc->typeSpecificDesc) return nullptr;
  const auto& range = *static_cast<const nvtxMemVirtualRangeDesc_t*>(desc->typeSpecificDesc);
  const std::string name = message_text(desc->messageType, desc->message);
  const bool closed = desc->usage == NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR;
  annotate("nvtxMemHeapRegister", "a heap that is not inside of one allocation, or overlaps another one",
           [&](DeviceMemory& memory) {
             return memory.make_heap(address(range.ptr), range.size, closed,
                                     name.empty() ? "" : fmt::format("a part of '{}'", name));
           });
  return static_cast<nvtxMemHeapHandle_t>(const_cast<void*>(range.ptr));
}
void heap_unregister(nvtxDomainHandle_t, nvtxMemHeapHandle_t heap) {
  annotate("nvtxMemHeapUnregister", "no heap", [&](DeviceMemory& memory) { return memory.remove_heap(address(heap)); });
}
void heap_reset(nvtxDomainHandle_t, nvtxMemHeapHandle_t heap) {
  annotate("nvtxMemHeapReset", "no heap", [&](DeviceMemory& memory) { return memory.reset_heap(address(heap)); });
}
void regions_register(nvtxDomainHandle_t, const nvtxMemRegionsRegisterBatch_t* desc) {
  if (!desc || desc->regionType != NVTX_MEM_TYPE_VIRTUAL_ADDRESS) return;
  each<nvtxMemVirtualRangeDesc_t>(
      "nvtxMemRegionsRegister", "a region that is not inside of its heap, or overlaps another one",
      desc->regionDescElements, desc->regionDescElementSize, desc->regionCount,
      [&](DeviceMemory& memory, const nvtxMemVirtualRangeDesc_t& range, size_t i) {
        if (desc->regionHandleElementsOut)
          desc->regionHandleElementsOut[i] = static_cast<nvtxMemRegionHandle_t>(const_cast<void*>(range.ptr));
        return memory.add_region(address(range.ptr), range.size);
      });
}
void regions_resize(nvtxDomainHandle_t, const nvtxMemRegionsResizeBatch_t* desc) {
  if (!desc || desc->regionType != NVTX_MEM_TYPE_VIRTUAL_ADDRESS) return;
  each<nvtxMemVirtualRangeDesc_t>("nvtxMemRegionsResize",
                                  "no region, or one that would leave its heap or overlap another one",
                                  desc->regionDescElements, desc->regionDescElementSize, desc->regionDescCount,
                                  [](DeviceMemory& memory, const nvtxMemVirtualRangeDesc_t& range, size_t) {
                                    return memory.resize_part(address(range.ptr), range.size);
                                  });
}
void regions_unregister(nvtxDomainHandle_t, const nvtxMemRegionsUnregisterBatch_t* desc) {
  if (!desc) return;
  each<nvtxMemRegionRef_t>("nvtxMemRegionsUnregister", "no region, or one that has been unregistered before",
                           desc->refElements, desc->refElementSize, desc->refCount,
                           [](DeviceMemory& memory, const nvtxMemRegionRef_t& ref, size_t) {
                             return memory.take_back(address(ref.pointer));
                           });
}
void regions_name(nvtxDomainHandle_t, const nvtxMemRegionsNameBatch_t* desc) {
  if (!desc) return;
  each<nvtxMemRegionNameDesc_t>(
      "nvtxMemRegionsName", "neither a region nor an allocation", desc->regionElements, desc->regionElementSize,
      desc->regionCount, [](DeviceMemory& memory, const nvtxMemRegionNameDesc_t& named, size_t) {
        return memory.label(address(named.region.pointer), message_text(named.nameType, named.name));
      });
}
void permissions_assign(nvtxDomainHandle_t, const nvtxMemPermissionsAssignBatch_t* desc) {
  if (!desc) return;
  const bool of_kernels = is_of_kernels(desc->permissions);
  each<nvtxMemPermissionsAssignRegionDesc_t>(
      "nvtxMemPermissionsAssign", "no permissions, or neither a region nor an allocation", desc->regionElements,
      desc->regionElementSize, desc->regionCount,
      [&](DeviceMemory& memory, const nvtxMemPermissionsAssignRegionDesc_t& assigned, size_t) {
        const bool reset = (assigned.flags & NVTX_MEM_PERMISSIONS_REGION_FLAGS_RESET) != 0;
        const auto may = reset ? uint8_t{exec::kMayAll} : static_cast<uint8_t>(assigned.flags & exec::kMayAll);
        const uint64_t base = address(assigned.region.pointer);
        if (of_kernels) return memory.permit(base, may);
        return memory.begins_at(base) && objects().with(desc->permissions, [&](const Objects::Object& object) {
          if (reset)
            object->of.erase(base);
          else
            object->of[base] = may;
        });
      });
}
void permissions_reset(nvtxDomainHandle_t, nvtxMemPermissionsHandle_t permissions) {
  annotate("nvtxMemPermissionsReset", "no permissions", [&](DeviceMemory& memory) {
    if (is_of_kernels(permissions)) return memory.permit_all(), true;
    return objects().with(permissions, [](const Objects::Object& object) { object->of.clear(); });
  });
}
nvtxMemPermissionsHandle_t permissions_create(nvtxDomainHandle_t, int32_t flags) {
  exec::Permissions permissions;
  permissions.others = static_cast<uint8_t>(exec::kMayAll & ~flags);
  return objects().add(std::move(permissions));
}
void permissions_destroy(nvtxDomainHandle_t, nvtxMemPermissionsHandle_t permissions) {
  annotate("nvtxMemPermissionsDestroy", "no permissions", [&](DeviceMemory&) {
    return objects().with(permissions, [](Objects::Object& object) {
      *object = {};  // where it is bound, too
      object.reset();
    });
  });
}
void permissions_bind(nvtxDomainHandle_t, nvtxMemPermissionsHandle_t permissions, uint32_t scope, uint32_t flags) {
  annotate("nvtxMemPermissionsBind", [&](Session&) -> std::string {
    if (scope == NVTX_MEM_PERMISSIONS_BIND_SCOPE_CPU_THREAD)
      return "accesses of the host's threads are not checked: only the scope of streams has an effect";
    if (scope != NVTX_MEM_PERMISSIONS_BIND_SCOPE_CUDA_STREAM) return "no scope";
    if (is_of_kernels(permissions)) return "";  // all launches have them
    const bool found = objects().with(permissions, [&](const Objects::Object& object) {
      binding = {object, static_cast<uint8_t>(exec::kMayAll & ~flags)};
    });
    return found ? "" : "no permissions";
  });
}
void permissions_unbind(nvtxDomainHandle_t, uint32_t scope) {
  if (scope == NVTX_MEM_PERMISSIONS_BIND_SCOPE_CUDA_STREAM) binding = {};
}
nvtxMemPermissionsHandle_t permissions_of_process(nvtxDomainHandle_t) { return handle(Permissions::OfKernels); }
nvtxMemPermissionsHandle_t permissions_of_device(nvtxDomainHandle_t, int) { return handle(Permissions::OfKernels); }
void set_peer_access(nvtxDomainHandle_t, nvtxMemPermissionsHandle_t, int, uint32_t) {}
void mark_initialized(nvtxDomainHandle_t, cudaStream_t, uint8_t, const nvtxMemMarkInitializedBatch_t* desc) {
  if (!desc || desc->regionType != NVTX_MEM_TYPE_VIRTUAL_ADDRESS || !desc->regionDescElements) return;
  const auto* first = static_cast<const char*>(desc->regionDescElements);
  query("nvtx", [&](Session& session) {
    if (session.start() != Error::Success) return Error::Success;
    for (size_t i = 0; i < desc->regionDescCount; ++i) {
      const auto& range = *reinterpret_cast<const nvtxMemVirtualRangeDesc_t*>(first + desc->regionDescElementSize * i);
      session.checks().wrote({address(range.ptr)}, nullptr, range.size, {range.size, 1, 1});
    }
    return Error::Success;
  });
}

template <class F>
intptr_t slot(F* function) {
  return reinterpret_cast<intptr_t>(function);
}

// By NVTX's numbers of the functions.
struct Slots {
  intptr_t functions[NVTX3EXT_CBID_nvtxMemCudaMarkInitialized + 1] = {};
  Slots() {
    functions[NVTX3EXT_CBID_nvtxMemHeapRegister] = slot(heap_register);
    functions[NVTX3EXT_CBID_nvtxMemHeapUnregister] = slot(heap_unregister);
    functions[NVTX3EXT_CBID_nvtxMemHeapReset] = slot(heap_reset);
    functions[NVTX3EXT_CBID_nvtxMemRegionsRegister] = slot(regions_register);
    functions[NVTX3EXT_CBID_nvtxMemRegionsResize] = slot(regions_resize);
    functions[NVTX3EXT_CBID_nvtxMemRegionsUnregister] = slot(regions_unregister);
    functions[NVTX3EXT_CBID_nvtxMemRegionsName] = slot(regions_name);
    functions[NVTX3EXT_CBID_nvtxMemPermissionsAssign] = slot(permissions_assign);
    functions[NVTX3EXT_CBID_nvtxMemPermissionsCreate] = slot(permissions_create);
    functions[NVTX3EXT_CBID_nvtxMemPermissionsDestroy] = slot(permissions_destroy);
    functions[NVTX3EXT_CBID_nvtxMemPermissionsReset] = slot(permissions_reset);
    functions[NVTX3EXT_CBID_nvtxMemPermissionsBind] = slot(permissions_bind);
    functions[NVTX3EXT_CBID_nvtxMemPermissionsUnbind] = slot(permissions_unbind);
    functions[NVTX3EXT_CBID_nvtxMemCudaGetProcessWidePermissions] = slot(permissions_of_process);
    functions[NVTX3EXT_CBID_nvtxMemCudaGetDeviceWidePermissions] = slot(permissions_of_device);
    functions[NVTX3EXT_CBID_nvtxMemCudaSetPeerAccess] = slot(set_peer_access);
    functions[NVTX3EXT_CBID_nvtxMemCudaMarkInitialized] = slot(mark_initialized);
  }
};

const Slots& slots() {
  static const Slots all;
  return all;
}

}  // namespace

std::shared_ptr<const exec::Permissions> bound_permissions() {
  if (!binding.object) return nullptr;
  auto all = std::make_shared<exec::Permissions>(objects().content(binding.object));
  all->others &= binding.others;
  return all;
}

}  // namespace drywarp::cudart::nvtx

extern "C" const intptr_t* __drywarp_nvtx_memory() { return drywarp::cudart::nvtx::slots().functions; }

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

}  // namespace

extern "C" int InitializeInjectionNvtxExtension(void* info) {
  const auto* module = static_cast<const ModuleInfo*>(info);
  if (!module || module->module != NVTX_EXT_MODULEID_MEM || module->segment_count == 0) return 0;
  const auto& functions = drywarp::cudart::nvtx::slots().functions;
  const Segment& segment = module->segments[0];
  std::copy_n(functions, std::min(std::size(functions), segment.count), segment.slots);
  return 1;
}
