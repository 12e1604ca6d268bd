// Errors and versions.
#include "cuda/c_abi/runtime.h"

using namespace drywarp::cudart;

namespace {
// The CUDA version of the headers and the ABI. The driver must not be older than the runtime.
constexpr int kDriverVersion = 13000;

// The last error, as `read` takes or peeks at it.
template <class Read>
cudaError_t last_error(const char* name, Read read) noexcept {
  try {
    Session& session = runtime();
    const auto hold = session.lock();
    const Error error = read(session.errors());
    if (session.is_up())
      if (drywarp::cuda::CallChecks* checks = session.checks().calls()) checks->gave(name, error);
    return code(error);
  } catch (...) {
    return cudaErrorUnknown;
  }
}
}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
  return last_error("cudaGetLastError", [](auto& errors) { return errors.take(); });
}

cudaError_t cudaPeekAtLastError() {
  return last_error("cudaPeekAtLastError", [](auto& errors) { return errors.peek(); });
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
