// Each function that this library has no answer for says so (cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED: the same
// number) instead of being missing, which would keep a program from starting. The parameters are not looked at, and the
// calling convention lets the caller clean them up.
#include <string_view>

#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {
namespace {

int not_supported(const char* name) {
  const Error error = not_here(name, "drywarp does not have this function");
  // The driver's errors are not the runtime's last error.
  if (!std::string_view(name).starts_with("cuda")) return static_cast<int>(error);
  return query(name, [&](auto&) { return error; });
}

}  // namespace
}  // namespace drywarp::cudart

// Declared with parameters where a header declares them; here only the symbol counts.
#define DW_NOT_SUPPORTED(name)                       \
  int drywarp_not_supported_##name() __asm__(#name); \
  int drywarp_not_supported_##name() { return ::drywarp::cudart::not_supported(#name); }

extern "C" {
#include "cuda/runtime_api/unsupported.def"
}
