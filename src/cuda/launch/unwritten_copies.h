// Copies to the host of memory that nothing has written (initcheck).
#pragma once

#include <optional>

#include "base/events/finding.h"
#include "cuda/launch/operation.h"
#include "engine/check/check.h"

namespace drywarp::cuda {

// Of a copy of a box of `width` bytes: what is to be said of it, without the call. Few bytes between written ones are a
// structure's padding. `start`: of the device's memory.
[[nodiscard]] std::optional<Finding> unwritten_copy(const check::MemoryMap& memory, uint64_t start, const Box& from,
                                                    size_t width, const Extent3& extent);

}  // namespace drywarp::cuda
