#include "engine/observe/word_writers.h"

#include <algorithm>
#include <bit>

namespace drywarp::observe {
namespace {

// A word's last values, of which a test may have come out the same: others have overtaken the poll by so many writes.
constexpr size_t kMostOvertaking = 256;

}  // namespace

void WordWriters::write(const WriteId& id, const uint64_t* places, LaneMask lanes, uint32_t bytes,
                        const uint64_t* values) {
  if (lanes == 0) return;
  const std::lock_guard hold(mutex_);
  writes_.push_back(id);
  const auto number = static_cast<uint32_t>(writes_.size());
  uint64_t line = ~uint64_t{0};
  Line* words = nullptr;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const uint64_t begin = places[lane] / kWordBytes, end = (places[lane] + std::max(bytes, 1u) - 1) / kWordBytes + 1;
    for (uint64_t word = begin; word < end; ++word) {
      if (word / kWords != line) line = word / kWords, words = &lines_[line];
      (*words)[word % kWords] = number;
      if (!values && !values_.empty()) values_.erase(word);
    }
    if (values) values_[begin].push_back({number, values[lane]});
  }
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

void WordWriters::find(const uint64_t* places, LaneMask lanes, const TestedLanes* tested,
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
    if (number != 0) found[lane] = writes_[number - 1];
  }
}

}  // namespace drywarp::observe
