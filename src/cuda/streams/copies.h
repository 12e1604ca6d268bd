// Copies and fills of every kind (linear, pitched, 3-D, arrays) in one form: boxes of bytes. Checks them with CUDA's
// error codes, and performs them.
#pragma once

#include "cuda/launch/operation.h"
#include "cuda/memory/memory.h"

namespace drywarp::cuda {

enum class CopyKind : int { HostToHost = 0, HostToDevice = 1, DeviceToHost = 2, DeviceToDevice = 3, Default = 4 };

// One end of a copy: linear memory, or an array. `x` in bytes.
struct CopyEnd {
  uint64_t address = 0;
  size_t pitch = 0;  // bytes a row; for linear memory
  size_t rows = 0;   // rows a slice; for linear memory in 3-D copies
  const Array* array = nullptr;
  size_t x = 0, y = 0, z = 0;
};

// `extent`: width in bytes. If a side is 0, there is nothing to copy: Success.
Error make_copy(const Memory& memory, const CopyEnd& to, const CopyEnd& from, const Extent3& extent, CopyKind kind,
                CopyOperation& out);
// The cudaMemcpyToArray family: `count` bytes as one line that wraps at the array's rows. Returns one or more boxes.
Error make_wrapped_copy(const Memory& memory, const CopyEnd& to, const CopyEnd& from, size_t count, CopyKind kind,
                        std::vector<CopyOperation>& out);
// `extent`: width in elements of `element` bytes.
Error make_fill(const Memory& memory, uint64_t address, size_t pitch, size_t rows, uint32_t value, unsigned element,
                const Extent3& extent, FillOperation& out);

void perform(const CopyOperation& copy);
// Saves the source's bytes now, for a copy that is performed later.
void stage(CopyOperation& copy);
void perform(const FillOperation& fill);
[[nodiscard]] uint64_t bytes(const CopyOperation& copy);
[[nodiscard]] uint64_t bytes(const FillOperation& fill);

}  // namespace drywarp::cuda
