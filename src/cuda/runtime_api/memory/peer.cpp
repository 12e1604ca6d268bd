// Access to other devices: there are none, and every call answers as CUDA does on such a machine.
#include <algorithm>

#include "cuda/c_abi/runtime.h"
#include "drywarp/api/external.h"

using namespace drywarp::cudart;

extern "C" {

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  DW_CALL({
    if (!can) return Error::InvalidValue;
    *can = 0;
    return device == 0 && peer == 0 ? Error::Success : Error::InvalidDevice;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned flags) {
  DW_CALL({ return flags ? Error::InvalidValue : Error::InvalidDevice; });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  DW_CALL({ return peer == 0 ? Error::PeerAccessNotEnabled : Error::InvalidDevice; });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, enum cudaDeviceP2PAttr, int, int) {
  DW_CALL({ return value ? Error::InvalidDevice : Error::InvalidValue; });
}

// As on an H200: no native atomics between host and device, and no second device.
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned* capabilities, const cudaAtomicOperation* operations,
                                                unsigned count, int device) {
  DW_CALL({
    if (device != 0) return Error::InvalidDevice;
    if (!capabilities || !operations || count == 0) return Error::InvalidValue;
    std::fill_n(capabilities, count, 0u);
    return Error::Success;
  });
}
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned* capabilities, const cudaAtomicOperation* operations,
                                               unsigned count, int, int) {
  DW_CALL({ return capabilities && operations && count ? Error::InvalidDevice : Error::InvalidValue; });
}

}  // extern "C"
