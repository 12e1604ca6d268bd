// What a program and its user are told of a launch that failed.
#pragma once

#include <string>

#include "cuda/device/error.h"
#include "engine/exec/blocks/fault.h"

namespace drywarp::cuda {

// What the program sees.
[[nodiscard]] Error error_of(exec::FaultKind kind);

// Several lines, without a final newline:
//   drywarp: illegal memory access in saxpy(int, float, float*, float*)
//     at saxpy.cu:7: st.global.f32 [%rd8], %f4;
//     by thread (31,0,0) of block (2,0,0), at address 0x7f0000001000
//     the address is 12 bytes after an allocation of 4096 bytes
//     the program sees cudaErrorIllegalAddress (700)
[[nodiscard]] std::string describe(const exec::Fault& fault);

}  // namespace drywarp::cuda
