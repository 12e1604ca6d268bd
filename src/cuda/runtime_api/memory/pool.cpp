// Memory pools and stream-ordered allocation.
#include <cstring>

#include "cuda/c_abi/runtime.h"
#include "cuda/session/misuse.h"

using namespace drywarp::cudart;
using drywarp::cuda::AllocateOperation;
using drywarp::cuda::FreeOperation;
using drywarp::cuda::Memory;
using drywarp::cuda::Pool;
using drywarp::cuda::Stream;

namespace {

Pool* pool(cudaMemPool_t handle) { return reinterpret_cast<Pool*>(handle); }
cudaMemPool_t handle(Pool& pool) { return reinterpret_cast<cudaMemPool_t>(&pool); }

// The address is assigned now, even if a capture turns the call into a graph node.
Error allocate(Session& session, void** out, size_t size, Pool& from, cudaStream_t of) {
  DW_STREAM(stream, of);
  if (!out) return Error::InvalidValue;
  uint64_t made = 0;
  if (stream.capture) {
    DW_TRY(stream.capture->target().choose_address(made, size, stream.frontier));
    DW_TRY(session.streams().issue(stream, AllocateOperation{made, size}));
  } else {
    const auto moment = session.streams().next_moment(stream);
    DW_TRY(session.memory().allocate_from(from, made, size));
    if (moment) session.checks().operations()->allocated(*moment, made);
  }
  *out = pointer(made);
  return Error::Success;
}

Error has_pools(const void* out, const cudaMemLocation* place, cudaMemAllocationType type) {
  if (!out || !place) return Error::InvalidValue;
  const bool device = place->type == cudaMemLocationTypeDevice && type == cudaMemAllocationTypePinned;
  if (device && place->id != 0) return Error::InvalidDevice;
  return device ? Error::Success : Error::NotSupported;
}

// Attributes by number: three switches (int) and 64-bit counters. High-water marks can be reset to zero.
struct Attribute {
  cudaMemPoolAttr number;
  int Pool::* toggle;
  uint64_t (*counter)(const Pool&);
  void (*set)(Pool&, uint64_t);
};

const Attribute kAttributes[] = {
    {cudaMemPoolReuseFollowEventDependencies, &Pool::follow_event_dependencies, nullptr, nullptr},
    {cudaMemPoolReuseAllowOpportunistic, &Pool::allow_opportunistic, nullptr, nullptr},
    {cudaMemPoolReuseAllowInternalDependencies, &Pool::allow_internal_dependencies, nullptr, nullptr},
    {cudaMemPoolAttrReleaseThreshold, nullptr, [](const Pool& p) { return p.release_threshold; },
     [](Pool& p, uint64_t value) { p.release_threshold = value; }},
    {cudaMemPoolAttrReservedMemCurrent, nullptr, [](const Pool& p) { return p.reserved(); }, nullptr},
    {cudaMemPoolAttrReservedMemHigh, nullptr, [](const Pool& p) { return p.reserved_high; },
     [](Pool& p, uint64_t) { p.reserved_high = p.reserved(); }},
    {cudaMemPoolAttrUsedMemCurrent, nullptr, [](const Pool& p) { return p.used; }, nullptr},
    {cudaMemPoolAttrUsedMemHigh, nullptr, [](const Pool& p) { return p.used_high; },
     [](Pool& p, uint64_t) { p.used_high = p.used; }},
};

const Attribute* find(cudaMemPoolAttr number) {
  for (const Attribute& attribute : kAttributes)
    if (attribute.number == number) return &attribute;
  return nullptr;
}

}  // namespace

extern "C" {

cudaError_t cudaMallocAsync(void** out, size_t size, cudaStream_t stream) {
  DW_CALL({ return allocate(session, out, size, session.memory().current_pool(), stream); });
}

cudaError_t cudaMallocFromPoolAsync(void** out, size_t size, cudaMemPool_t from, cudaStream_t stream) {
  DW_CALL({
    if (!session.memory().is_live(pool(from)) || pool(from)->imported) return Error::InvalidValue;
    return allocate(session, out, size, *pool(from), stream);
  });
}

cudaError_t cudaFreeAsync(void* what, cudaStream_t of) {
  DW_CALL({
    DW_STREAM(stream, of);
    if (!what) return Error::Success;
    if (session.interprocess().is_of_pool(address(what))) {
      session.streams().finish_all();
      return session.interprocess().close(address(what));
    }
    const Error error = session.streams().issue(stream, FreeOperation{address(what)});
    if (error != Error::Success)
      drywarp::cuda::explain_free(session.checks(), session.memory(), address(what), drywarp::cuda::FreedAs::Device);
    return error;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* out, int device) {
  DW_CALL({
    if (!out) return Error::InvalidValue;
    if (device != 0) return Error::InvalidDevice;
    *out = handle(session.memory().default_pool());
    return Error::Success;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* out, int device) {
  DW_CALL({
    if (!out) return Error::InvalidValue;
    if (device != 0) return Error::InvalidDevice;
    *out = handle(session.memory().current_pool());
    return Error::Success;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t which) {
  DW_CALL({ return device == 0 ? session.memory().set_current_pool(pool(which)) : Error::InvalidDevice; });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* out, const cudaMemPoolProps* properties) {
  DW_CALL({
    if (!out || !properties || properties->allocType != cudaMemAllocationTypePinned) return Error::InvalidValue;
    if (properties->location.type != cudaMemLocationTypeDevice || properties->location.id != 0)
      return Error::InvalidValue;
    // Kinds of shareable handles on Linux. Exporting one of the second fails.
    constexpr int kKinds = cudaMemHandleTypePosixFileDescriptor | cudaMemHandleTypeFabric;
    if (properties->handleTypes & ~kKinds) return Error::InvalidValue;
    Pool* made = session.memory().create_pool();
    made->max_size = properties->maxSize;
    made->handle_types = properties->handleTypes;
    *out = handle(*made);
    return Error::Success;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t which) {
  DW_CALL({ return session.memory().destroy(pool(which)); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t which, size_t bytes) {
  DW_CALL({
    if (!session.memory().is_live(pool(which))) return Error::InvalidValue;
    pool(which)->trim_to(bytes);
    return Error::Success;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t which, enum cudaMemPoolAttr number, void* out) {
  DW_CALL({
    const Attribute* attribute = find(number);
    if (!attribute || !out || !session.memory().is_live(pool(which))) return Error::InvalidValue;
    if (attribute->toggle) {
      *static_cast<int*>(out) = pool(which)->*attribute->toggle;
    } else {
      const uint64_t value = attribute->counter(*pool(which));
      std::memcpy(out, &value, sizeof value);
    }
    return Error::Success;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t which, enum cudaMemPoolAttr number, void* in) {
  DW_CALL({
    const Attribute* attribute = find(number);
    if (!attribute || !in || !session.memory().is_live(pool(which))) return Error::InvalidValue;
    if (attribute->toggle) {
      pool(which)->*attribute->toggle = *static_cast<int*>(in);
      return Error::Success;
    }
    uint64_t value = 0;
    std::memcpy(&value, in, sizeof value);
    const bool only_zero = number != cudaMemPoolAttrReleaseThreshold;
    if (!attribute->set || (only_zero && value != 0)) return Error::InvalidValue;
    attribute->set(*pool(which), value);
    return Error::Success;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t which, const cudaMemAccessDesc* list, size_t count) {
  DW_CALL({
    if (!session.memory().is_live(pool(which)) || (count && !list)) return Error::InvalidValue;
    for (size_t i = 0; i < count; ++i)
      if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0) return Error::InvalidDevice;
    return Error::Success;
  });
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags* flags, cudaMemPool_t which, cudaMemLocation* location) {
  DW_CALL({
    if (!flags || !location || !session.memory().is_live(pool(which))) return Error::InvalidValue;
    const bool here = location->type == cudaMemLocationTypeDevice && location->id == 0;
    *flags = here ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return Error::Success;
  });
}

// Only pools of device memory exist.
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* out, cudaMemLocation* place, enum cudaMemAllocationType type) {
  DW_CALL({
    DW_TRY(has_pools(out, place, type));
    *out = handle(session.memory().default_pool());
    return Error::Success;
  });
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t* out, cudaMemLocation* place, enum cudaMemAllocationType type) {
  DW_CALL({
    DW_TRY(has_pools(out, place, type));
    *out = handle(session.memory().current_pool());
    return Error::Success;
  });
}
cudaError_t cudaMemSetMemPool(cudaMemLocation* place, enum cudaMemAllocationType type, cudaMemPool_t to) {
  DW_CALL({
    DW_TRY(has_pools(&to, place, type));
    return session.memory().set_current_pool(pool(to));
  });
}

}  // extern "C"
