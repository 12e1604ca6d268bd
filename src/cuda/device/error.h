// The CUDA runtime's error codes, as the session returns them. The numbers are CUDA's, so the C ABI only casts.
#pragma once

namespace drywarp::cuda {

enum class Error : int {
#define DW_ERROR(name, code, text) name = code,
#include "cuda/device/errors.def"
};

// The exact strings of cudaGetErrorName and cudaGetErrorString; "unrecognized error code" for a number that is no
// error.
[[nodiscard]] const char* error_name(int code);
[[nodiscard]] const char* error_text(int code);

// Sticky errors destroy the context: every later call that needs the device returns the same code.
[[nodiscard]] bool is_sticky(Error error);

}  // namespace drywarp::cuda
