#include "engine/observe/word_writers.h"

#include <algorithm>
#include <bit>

namespace drywarp::observe {

void WordWriters::write(const WriteId& id, const uint64_t* places, LaneMask lanes, uint32_t bytes) {
  if (lanes == 0) return;
  const std::lock_guard hold(mutex_);
  writes_.push_back(id);
  const auto number = static_cast<uint32_t>(writes_.size());
  uint64_t line = ~uint64_t{0};
  Line* words = nullptr;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const uint64_t begin = places[std::countr_zero(left)], end = begin + std::max(bytes, 1u);
    for (uint64_t at = begin / kWordBytes * kWordBytes; at < end; at += kWordBytes) {
      if (at / kLineBytes != line) line = at / kLineBytes, words = &lines_[line];
      (*words)[at % kLineBytes / kWordBytes] = number;
    }
  }
}

void WordWriters::find(const uint64_t* places, LaneMask lanes, std::optional<WriteId>* found) const {
  const std::lock_guard hold(mutex_);
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    found[lane].reset();
    const auto line = lines_.find(places[lane] / kLineBytes);
    if (line == lines_.end()) continue;
    const uint32_t number = line->second[places[lane] % kLineBytes / kWordBytes];
    if (number != 0) found[lane] = writes_[number - 1];
  }
}

}  // namespace drywarp::observe
