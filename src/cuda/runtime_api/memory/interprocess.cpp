// Device memory and events that several processes use.
#include "cuda/memory/interprocess.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "cuda/c_abi/runtime.h"
#include "drywarp/api/external.h"

using namespace drywarp::cudart;
using drywarp::cuda::Interprocess;
using drywarp::cuda::Pool;
using drywarp::cuda::SharedHandle;

namespace {

constexpr const char* kPoolFile = "drywarp memory pool";

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

// A pool's memory is shared allocation by allocation; the file descriptor that stands for the pool says only that.
cudaError_t cudaMemPoolExportToShareableHandle(void* out, cudaMemPool_t which, enum cudaMemAllocationHandleType kind,
                                               unsigned flags) {
  DW_CALL({
    Pool* const pool = reinterpret_cast<Pool*>(which);
    if (!out || flags || !session.memory().is_live(pool) || pool->imported || !(pool->handle_types & kind))
      return Error::InvalidValue;
    if (kind != cudaMemHandleTypePosixFileDescriptor) return Error::NotSupported;
    const int file = memfd_create(kPoolFile, MFD_CLOEXEC);
    if (file < 0) return Error::OperatingSystem;
    std::memcpy(out, &file, sizeof file);
    return Error::Success;
  });
}
// The descriptor itself is passed in place of a pointer.
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* out, void* file, enum cudaMemAllocationHandleType kind,
                                                 unsigned flags) {
  DW_CALL({
    if (!out || flags || kind != cudaMemHandleTypePosixFileDescriptor) return Error::InvalidValue;
    char name[64] = {};
    const std::string link = fmt::format("/proc/self/fd/{}", int(address(file)));
    if (readlink(link.c_str(), name, sizeof name - 1) < 0 || !std::strstr(name, kPoolFile)) return Error::InvalidValue;
    Pool* const made = session.memory().create_pool();
    made->imported = true;
    *out = reinterpret_cast<cudaMemPool_t>(made);
    return Error::Success;
  });
}
cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* out, void* what) {
  DW_CALL({
    const Pool* const from = session.memory().describe(address(what)).pool;
    if (!out || !from || !from->handle_types) return Error::InvalidValue;
    session.streams().finish_all();  // the memory's pages are exchanged
    SharedHandle handle;
    DW_TRY(session.interprocess().handle_of(address(what), handle));
    put(out, handle);
    return Error::Success;
  });
}
cudaError_t cudaMemPoolImportPointer(void** out, cudaMemPool_t which, cudaMemPoolPtrExportData* data) {
  DW_CALL({
    Pool* const pool = reinterpret_cast<Pool*>(which);
    if (!out || !data || !session.memory().is_live(pool) || !pool->imported) return Error::InvalidValue;
    uint64_t opened = 0;
    DW_TRY(session.interprocess().open(take(*data), opened, true));
    *out = pointer(opened);
    return Error::Success;
  });
}

}  // extern "C"
