#include "engine/check/handed_order.h"

#include <algorithm>

namespace drywarp::check {

bool covers(const WordsSeen& all, const WordsSeen& some) {
  size_t next = 0;  // most often in the same order
  for (const auto& [word, seen] : some) {
    const auto says = [&](const auto& one) { return one.first == word && one.second.says_all_of(seen); };
    if (next >= all.size() || !says(all[next]))
      next = static_cast<size_t>(std::ranges::find_if(all, says) - all.begin());
    if (next++ == all.size()) return false;
  }
  return true;
}

void HandedOrder::add(const Handed& more) {
  if (more.fences) {
    fences_grow_ |= only_.fences && only_.fences != more.fences;
    only_.fences = more.fences;
    fences_.join(more.fences);
  }
  if (more.reads && more.reads != last_reads_) {
    reads_grow_ |= only_.reads != nullptr;
    last_reads_ = only_.reads = more.reads;
    for (const auto& [word, seen] : *more.reads) add_read(word, seen);
  }
}

void HandedOrder::add_fence(const Known& known, uint32_t row, LaneMask lane, Time time) {
  fences_grow_ = true;
  fences_.join(known);
  fences_.raise(row, lane, time);
}

void HandedOrder::add_reads(const WordsSeen& reads) {
  for (const auto& [word, seen] : reads) add_read(word, seen);
  reads_grow_ |= !reads.empty();
}

void HandedOrder::add_read(uint64_t word, const ReleasedWords::Seen& seen) {
  if (next_read_ >= reads_.size()) next_read_ = 0;
  if (next_read_ < reads_.size() && reads_[next_read_].first == word && reads_[next_read_].second.says_all_of(seen)) {
    ++next_read_;
    return;
  }
  for (size_t at = 0; at < reads_.size(); ++at) {
    auto& [known_word, known] = reads_[at];
    if (known_word != word) continue;
    next_read_ = at + 1;
    if (known.says_all_of(seen)) return;
    if (!seen.says_all_of(known)) continue;
    known = seen;
    return;
  }
  if (reads_.size() < kMostReads) reads_.emplace_back(word, seen);
}

Handed HandedOrder::result() {
  Handed all = only_;
  if (fences_grow_) all.fences = fences_.known();
  if (reads_grow_) all.reads = std::make_shared<const WordsSeen>(reads_);
  return all;
}

}  // namespace drywarp::check
