#include "engine/exec/memory/stored_unknowns.h"

#include <bit>
#include <mutex>

namespace drywarp::exec {

void StoredUnknowns::keep(uint64_t address, uint32_t bytes, uint16_t source) {
  const std::lock_guard hold(mutex_);
  any_ = true;
  for (uint32_t left = bytes; left != 0; left &= left - 1) {
    const uint64_t at = address + static_cast<uint32_t>(std::countr_zero(left));
    Line& line = lines_[at / kLineBytes];
    line.bytes |= uint64_t{1} << at % kLineBytes;
    line.sources[at % kLineBytes / kWordBytes] = source;
  }
}

void StoredUnknowns::forget(uint64_t address, uint64_t bytes) {
  if (!any_) return;
  const std::lock_guard hold(mutex_);
  const uint64_t end = address + bytes;
  for (auto line = lines_.lower_bound(address / kLineBytes); line != lines_.end() && line->first * kLineBytes < end;) {
    const uint64_t base = line->first * kLineBytes;
    uint64_t gone = ~uint64_t{0};
    if (base < address) gone &= ~uint64_t{0} << (address - base);
    if (end - base < kLineBytes) gone &= (uint64_t{1} << (end - base)) - 1;
    line->second.bytes &= ~gone;
    line = line->second.bytes == 0 ? lines_.erase(line) : std::next(line);
  }
  any_ = !lines_.empty();
}

void StoredUnknowns::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  if (!any_) return;
  std::map<uint64_t, uint16_t> found;
  {
    const std::shared_lock hold(mutex_);
    for (auto line = lines_.lower_bound(from / kLineBytes);
         line != lines_.end() && line->first * kLineBytes < from + bytes; ++line)
      for (uint64_t left = line->second.bytes; left != 0; left &= left - 1) {
        const auto in_line = static_cast<uint64_t>(std::countr_zero(left));
        const uint64_t at = line->first * kLineBytes + in_line;
        if (at >= from && at < from + bytes) found[at] = line->second.sources[in_line / kWordBytes];
      }
  }
  forget(to, bytes);
  for (const auto& [at, source] : found) keep(to + (at - from), 1, source);
}

std::optional<uint16_t> StoredUnknowns::source(uint64_t address) const {
  if (!any_) return std::nullopt;
  const std::shared_lock hold(mutex_);
  const auto line = lines_.find(address / kLineBytes);
  if (line == lines_.end() || (line->second.bytes >> address % kLineBytes & 1) == 0) return std::nullopt;
  return line->second.sources[address % kLineBytes / kWordBytes];
}

}  // namespace drywarp::exec
