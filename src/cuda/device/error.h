// The CUDA runtime's error codes, as the session returns them. The numbers are CUDA's, so the C ABI only casts.
#pragma once

namespace drywarp::cuda {

enum class Error : int {
#define DW_ERROR(name, code, text) name = code,
#include "cuda/device/errors.def"
};

// Names and texts word for word as CUDA's cudaGetErrorName and cudaGetErrorString give them; "unrecognized error code"
// for a number that is no error.
[[nodiscard]] const char* error_name(int code);
[[nodiscard]] const char* error_text(int code);

// Errors after which the context is lost: every later call that needs the device returns the same code.
[[nodiscard]] bool is_sticky(Error error);

}  // namespace drywarp::cuda
