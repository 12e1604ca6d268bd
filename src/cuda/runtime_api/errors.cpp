// Errors and versions.
#include "cuda/c_abi/runtime.h"

using namespace drywarp::cudart;

namespace {
// The CUDA version of the headers and the ABI. The driver must not be older than the runtime.
constexpr int kDriverVersion = 13000;
}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
  try {
    return code(runtime().errors().take());
  } catch (...) {
    return cudaErrorUnknown;
  }
}

cudaError_t cudaPeekAtLastError() {
  try {
    return code(runtime().errors().peek());
  } catch (...) {
    return cudaErrorUnknown;
  }
}

const char* cudaGetErrorName(cudaError_t error) { return drywarp::cuda::error_name(static_cast<int>(error)); }
const char* cudaGetErrorString(cudaError_t error) { return drywarp::cuda::error_text(static_cast<int>(error)); }

cudaError_t cudaDriverGetVersion(int* version) {
  DW_QUERY({
    if (!version) return Error::InvalidValue;
    *version = kDriverVersion;
    return Error::Success;
  });
}

}  // extern "C"
