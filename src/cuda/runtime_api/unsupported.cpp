// Unsupported functions return cudaErrorNotSupported (or CUDA_ERROR_NOT_SUPPORTED, the same number): if they were
// missing, a program could not start. The definitions have no parameters; the calling convention lets the caller clean
// them up.
#include <string_view>

#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {
namespace {

int not_supported(const char* name) {
  const Error error = report_unsupported(name, "drywarp does not have this function");
  // Driver errors do not set the runtime's last error.
  if (!std::string_view(name).starts_with("cuda")) return static_cast<int>(error);
  return query(name, [&](auto&) { return error; });
}

}  // namespace
}  // namespace drywarp::cudart

// Headers declare some of these with parameters; here only the symbol matters.
#define DW_NOT_SUPPORTED(name)                       \
  int drywarp_not_supported_##name() __asm__(#name); \
  int drywarp_not_supported_##name() { return ::drywarp::cudart::not_supported(#name); }

extern "C" {
#include "cuda/runtime_api/unsupported.def"
}
