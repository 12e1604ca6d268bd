// Linear, managed and host memory.
#include <algorithm>
#include <cstring>

#include "cuda/runtime_api/memory/memory_facts.h"
#include "cuda/session/misuse.h"

using namespace drywarp::cudart;
using drywarp::cuda::explain_free;
using drywarp::cuda::FreedAs;
using drywarp::cuda::PointerInfo;
using drywarp::cuda::PointerKind;

namespace {

// Runs `make(address)` and stores the address in `out`, null on failure.
template <class Make>
Error store_allocation(void** out, Make&& make) {
  if (!out) return Error::InvalidValue;
  uint64_t made = 0;
  const Error error = make(made);
  if (error == Error::Success) *out = pointer(made);
  return error;
}

}  // namespace

namespace drywarp::cudart {

Error managed_range(Session& session, const void* what, size_t count) {
  const PointerInfo info = session.memory().describe(address(what));
  return info.kind == PointerKind::Managed && count > 0 ? Error::Success : Error::InvalidValue;
}

Error pointer_attributes(Session& session, cudaPointerAttributes* out, const void* what, size_t bytes) {
  if (!out) return Error::InvalidValue;
  const PointerKind kind = session.memory().describe(address(what)).kind;
  cudaPointerAttributes all{};
  all.type = static_cast<cudaMemoryType>(kind);
  all.device = kind == PointerKind::Unregistered ? cudaInvalidDeviceId : 0;
  if (kind != PointerKind::Unregistered) all.devicePointer = const_cast<void*>(what);
  if (kind != PointerKind::Device) all.hostPointer = const_cast<void*>(what);
  std::memcpy(out, &all, bytes);
  return Error::Success;
}

}  // namespace drywarp::cudart

extern "C" {

cudaError_t cudaMalloc(void** out, size_t size) {
  DW_CALL({
    DW_TRY(session.streams().check_unsafe_call());
    return store_allocation(out, [&](uint64_t& made) { return session.memory().allocate(made, size); });
  });
}

cudaError_t cudaMallocManaged(void** out, size_t size, unsigned flags) {
  DW_CALL({
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return Error::InvalidValue;
    return store_allocation(out, [&](uint64_t& made) { return session.memory().allocate_managed(made, size); });
  });
}

cudaError_t cudaMallocPitch(void** out, size_t* pitch, size_t width, size_t height) {
  DW_CALL({
    if (!pitch) return Error::InvalidValue;
    return store_allocation(
        out, [&](uint64_t& made) { return session.memory().allocate_pitched(made, *pitch, width, height); });
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent extent) {
  DW_CALL({
    if (!out) return Error::InvalidValue;
    if (extent.depth != 0 && extent.height > SIZE_MAX / extent.depth) return Error::MemoryAllocation;
    *out = {nullptr, 0, extent.width, extent.height};
    return store_allocation(&out->ptr, [&](uint64_t& made) {
      return session.memory().allocate_pitched(made, out->pitch, extent.width, extent.height * extent.depth);
    });
  });
}

cudaError_t cudaFree(void* what) {
  DW_CALL({
    if (what) session.streams().finish_all();  // no pending work may use it
    if (session.interprocess().is_of_pool(address(what))) return session.interprocess().close(address(what));
    const Error error = session.memory().free(address(what));
    if (error != Error::Success) explain_free(session.checks(), session.memory(), address(what), FreedAs::Device);
    return error;
  });
}

cudaError_t cudaMallocHost(void** out, size_t size) {
  DW_CALL(
      { return store_allocation(out, [&](uint64_t& made) { return session.memory().allocate_host(made, size, 0); }); });
}

cudaError_t cudaHostAlloc(void** out, size_t size, unsigned flags) {
  DW_CALL({
    return store_allocation(out, [&](uint64_t& made) { return session.memory().allocate_host(made, size, flags); });
  });
}

cudaError_t cudaFreeHost(void* what) {
  DW_CALL({
    session.streams().finish_all();
    const Error error = session.memory().free_host(address(what));
    if (error != Error::Success) explain_free(session.checks(), session.memory(), address(what), FreedAs::Host);
    return error;
  });
}

cudaError_t cudaHostRegister(void* what, size_t size, unsigned flags) {
  DW_CALL({ return session.memory().register_host(address(what), size, flags); });
}

cudaError_t cudaHostUnregister(void* what) {
  DW_CALL({
    session.streams().finish_all();
    const Error error = session.memory().unregister_host(address(what));
    if (error != Error::Success) explain_free(session.checks(), session.memory(), address(what), FreedAs::Registered);
    return error;
  });
}

// Host and device share one address space: the device's pointer is the host's.
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  DW_CALL({
    if (!device || flags) return Error::InvalidValue;
    const PointerKind kind = session.memory().describe(address(host)).kind;
    if (kind != PointerKind::Host && kind != PointerKind::Managed) return Error::InvalidValue;
    *device = host;
    return Error::Success;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  DW_CALL({
    const PointerInfo info = session.memory().describe(address(host));
    if (!flags || info.kind != PointerKind::Host) return Error::InvalidValue;
    // Pinned memory is mapped on every device with unified addressing.
    *flags = info.host_flags | cudaHostAllocMapped;
    return Error::Success;
  });
}

cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
  DW_CALL({
    const auto& device = session.memory().device();
    if (available) *available = device.capacity() - std::min(device.capacity(), device.used());
    if (total) *total = device.capacity();
    return Error::Success;
  });
}

// The location, a device's number before CUDA 13, is ignored.
cudaError_t cudaMemAdvise(const void* what, size_t count, enum cudaMemoryAdvise, cudaMemLocation) {
  DW_CALL({ return managed_range(session, what, count); });
}
cudaError_t cudaMemAdvise_v2(const void* what, size_t count, enum cudaMemoryAdvise advice, cudaMemLocation location) {
  return cudaMemAdvise(what, count, advice, location);
}

// No page ever migrates: nothing was prefetched, no location is preferred.
cudaError_t cudaMemRangeGetAttribute(void* data, size_t size, enum cudaMemRangeAttribute attribute, const void* what,
                                     size_t count) {
  DW_CALL({
    const bool managed = session.memory().describe(address(what)).kind == PointerKind::Managed;
    if (!data || size < sizeof(int) || size % sizeof(int) || count == 0 || !managed) return Error::InvalidValue;
    const int nothing = attribute == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
    std::fill_n(static_cast<int*>(data), size / sizeof(int), nothing);
    return Error::Success;
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* sizes, enum cudaMemRangeAttribute* attributes, size_t number,
                                      const void* what, size_t count) {
  if (!data || !sizes || !attributes || number == 0) return cudaErrorInvalidValue;
  for (size_t i = 0; i < number; ++i)
    if (const cudaError_t error = cudaMemRangeGetAttribute(data[i], sizes[i], attributes[i], what, count)) return error;
  return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void* what, size_t, unsigned) {
  DW_CALL({
    DW_STREAM(stream, handle);
    (void)stream;
    return session.memory().describe(address(what)).kind == PointerKind::Managed ? Error::Success : Error::InvalidValue;
  });
}

}  // extern "C"
