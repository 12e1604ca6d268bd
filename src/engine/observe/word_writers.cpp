#include "engine/observe/word_writers.h"

#include <algorithm>
#include <bit>

namespace drywarp::observe {
namespace {

// A word's last values, of which a test may have come out the same: others have overtaken the poll by so many writes.
constexpr size_t kMostOvertaking = 256;

}  // namespace

uint32_t WordWriters::write(const WriteId& id, const uint64_t* places, LaneMask lanes, uint32_t bytes,
                            const uint64_t* values, const Base& base) {
  if (lanes == 0) return 0;
  const std::lock_guard hold(mutex_);
  writes_.push_back(id), before_.push_back(base.on_write);
  const auto number = static_cast<uint32_t>(writes_.size());
  uint64_t line = ~uint64_t{0};
  Line* words = nullptr;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const uint64_t begin = places[lane] / kWordBytes, end = (places[lane] + std::max(bytes, 1u) - 1) / kWordBytes + 1;
    for (uint64_t word = begin; word < end; ++word) {
      if (word / kWords != line) line = word / kWords, words = &lines_[line];
      uint32_t& last = (*words)[word % kWords];
      if (base.on_word && before_.back() == 0 && last != number) before_.back() = last;
      last = number;
      if (!values && !values_.empty()) values_.erase(word);
    }
    if (values) values_[begin].push_back({number, values[lane]});
  }
  return number;
}

std::vector<BuiltOn> WordWriters::built(std::vector<WriteId> writes) const {
  const std::lock_guard hold(mutex_);
  std::ranges::sort(writes);
  std::vector<bool> wanted(writes_.size());
  for (size_t i = 0; i < writes_.size(); ++i) wanted[i] = std::ranges::binary_search(writes, writes_[i]);
  std::vector<BuiltOn> found;
  // A write builds on earlier ones alone.
  for (size_t i = writes_.size(); i-- > 0;) {
    if (!wanted[i] || before_[i] == 0) continue;
    wanted[before_[i] - 1] = true;
    found.push_back({writes_[i], writes_[before_[i] - 1]});
  }
  std::ranges::sort(found, {}, &BuiltOn::write);
  return found;
}

uint32_t WordWriters::first_with_answer(uint64_t word, const TestedLanes& tested, uint32_t lane) const {
  const auto known = values_.find(word);
  if (known == values_.end() || known->second.empty()) return 0;
  const std::vector<Value>& had = known->second;
  const uint64_t answer = tested.answer(had.back().value, lane);
  size_t first = had.size() - 1;
  const size_t least = had.size() > kMostOvertaking ? had.size() - kMostOvertaking : 0;
  while (first > least && tested.answer(had[first - 1].value, lane) == answer) --first;
  return had[first].write;
}

void WordWriters::find(const WriteId& reader, const uint64_t* places, LaneMask lanes, const TestedLanes* tested,
                       std::optional<WriteId>* found) const {
  const std::lock_guard hold(mutex_);
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t word = places[lane] / kWordBytes;
    found[lane].reset();
    const auto line = lines_.find(word / kWords);
    if (line == lines_.end()) continue;
    uint32_t number = tested ? first_with_answer(word, *tested, lane) : 0;
    if (number == 0) number = line->second[word % kWords];
    const auto own = [&](const WriteId& w) { return w.block == reader.block && w.warp == reader.warp; };
    while (number != 0 && own(writes_[number - 1])) number = before_[number - 1];
    if (number != 0) found[lane] = writes_[number - 1];
  }
}

}  // namespace drywarp::observe
