#include "cuda/launch/unwritten_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/support/plural.h"

namespace drywarp::cuda {

std::optional<Finding> unwritten_copy(const check::MemoryMap& memory, uint64_t start, const Box& from, size_t width,
                                      const Extent3& extent) {
  constexpr uint64_t kPaddingBytes = 3;  // before a member of four bytes
  // Where a kernel has stored an unwritten value, that store was a finding.
  const auto is_written = [&](uint64_t at) { return memory.written(at, 1) || memory.unknown_source(at); };
  uint64_t unwritten = 0, first = 0;
  for (size_t z = 0; z < extent.depth; ++z)
    for (size_t y = 0; y < extent.height; ++y) {
      const uint64_t row = from.address + z * from.slice + y * from.pitch, end = row + width;
      if (memory.written(row, width)) continue;
      for (uint64_t at = row; at < end;) {
        const uint64_t begin = at;
        while (at < end && !is_written(at)) ++at;
        const bool between = begin != row && at != end;
        if (at != begin && !(between && at - begin <= kPaddingBytes)) {
          if (unwritten == 0) first = begin;
          unwritten += at - begin;
        }
        while (at < end && is_written(at)) ++at;
      }
    }
  const auto near = unwritten == 0 ? std::nullopt : memory.near(first);
  if (!near) return std::nullopt;
  Finding f;
  f.kind = FindingKind::UnwrittenCopy;
  f.bytes = static_cast<uint32_t>(std::min<uint64_t>(unwritten, std::numeric_limits<uint32_t>::max()));
  f.address = first - start;
  f.allocation = near->allocation;
  f.what =
      fmt::format("{} of {} that it copies were never written, the first {} into {} of {}", plural(unwritten, "byte"),
                  width * extent.height * extent.depth, plural(static_cast<uint64_t>(near->offset), "byte"),
                  near->allocation.what, plural(near->allocation.size, "byte"));
  return f;
}

}  // namespace drywarp::cuda
