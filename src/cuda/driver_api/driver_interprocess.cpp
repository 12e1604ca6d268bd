// Driver API: device memory and events that several processes use.
#include <cstring>

#include "cuda/c_abi/driver.h"

using namespace drywarp::cudart;

namespace {

// The driver's and the runtime's handles are the same bytes.
template <class To, class From>
To same_bytes(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

}  // namespace

extern "C" {

CUresult cuIpcGetMemHandle(CUipcMemHandle* out, CUdeviceptr what) {
  DW_AS(cudaIpcGetMemHandle(reinterpret_cast<cudaIpcMemHandle_t*>(out), device_pointer(what)));
}
CUresult cuIpcOpenMemHandle(CUdeviceptr* out, CUipcMemHandle what, unsigned flags) {
  return store_address(
      out, [&](void** opened) { return cudaIpcOpenMemHandle(opened, same_bytes<cudaIpcMemHandle_t>(what), flags); });
}
CUresult cuIpcCloseMemHandle(CUdeviceptr what) { DW_AS(cudaIpcCloseMemHandle(device_pointer(what))); }
CUresult cuIpcGetEventHandle(CUipcEventHandle* out, CUevent event) {
  DW_AS(cudaIpcGetEventHandle(reinterpret_cast<cudaIpcEventHandle_t*>(out), event));
}
CUresult cuIpcOpenEventHandle(CUevent* out, CUipcEventHandle what) {
  DW_AS(cudaIpcOpenEventHandle(out, same_bytes<cudaIpcEventHandle_t>(what)));
}

}  // extern "C"
