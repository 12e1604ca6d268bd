// Device memory and events that several processes use.
#include "cuda/memory/interprocess.h"

#include <cstring>

#include "cuda/c_abi/runtime.h"
#include "drywarp/api/external.h"

using namespace drywarp::cudart;
using drywarp::cuda::Interprocess;
using drywarp::cuda::SharedHandle;

namespace {

template <class Handle>
void put(Handle* out, const SharedHandle& handle) {
  static_assert(sizeof(SharedHandle) <= sizeof(Handle));
  std::memset(out, 0, sizeof(Handle));
  std::memcpy(out, &handle, sizeof(handle));
}

template <class Handle>
SharedHandle take(const Handle& in) {
  SharedHandle handle;
  std::memcpy(&handle, &in, sizeof(handle));
  return handle;
}

}  // namespace

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* out, void* what) {
  DW_CALL({
    if (!out || !what) return Error::InvalidValue;
    session.streams().finish_all();  // the memory's pages are exchanged
    SharedHandle handle;
    DW_TRY(session.interprocess().handle_of(address(what), handle));
    put(out, handle);
    return Error::Success;
  });
}

cudaError_t cudaIpcOpenMemHandle(void** out, cudaIpcMemHandle_t what, unsigned flags) {
  DW_CALL({
    if (!out || (flags & ~unsigned{cudaIpcMemLazyEnablePeerAccess})) return Error::InvalidValue;
    uint64_t opened = 0;
    DW_TRY(session.interprocess().open(take(what), opened));
    *out = pointer(opened);
    return Error::Success;
  });
}

cudaError_t cudaIpcCloseMemHandle(void* what) {
  DW_CALL({
    session.streams().finish_all();
    return session.interprocess().close(address(what));
  });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* out, cudaEvent_t what) {
  DW_CALL({
    if (!out) return Error::InvalidValue;
    const auto* event = session.streams().find_event(what);
    if (!event || !(event->flags & cudaEventInterprocess)) return Error::InvalidResourceHandle;
    put(out, Interprocess::event_handle());
    return Error::Success;
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* out, cudaIpcEventHandle_t what) {
  DW_CALL({
    if (!out) return Error::InvalidValue;
    DW_TRY(Interprocess::check_event(take(what)));
    *out =
        reinterpret_cast<cudaEvent_t>(session.streams().create_event(cudaEventInterprocess | cudaEventDisableTiming));
    return Error::Success;
  });
}

}  // extern "C"
