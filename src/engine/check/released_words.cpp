#include "engine/check/released_words.h"

#include <algorithm>
#include <set>

namespace drywarp::check {
namespace {

std::shared_ptr<const BlockTimes> own_of(const Known& known) { return {known, &known->own}; }

}  // namespace

// The releases that one chain of atomics carries, in their order. Readers keep it with its length at that time.
struct ReleasedWords::Seen::Log {
  std::vector<WordRelease> releases;
  std::set<std::pair<const Clock*, bool>> told;  // of them: what, and whether to all
  // What a thread has told there already, a loop that polls by atomics tells again and again.
  void add(std::vector<WordRelease> more) {
    for (WordRelease& r : more)
      if (told.emplace(r.what.get(), r.wide).second) releases.push_back(std::move(r));
  }
  // What the wide ones among so many first ones say: the last number that was asked for, and some on the way. Threads
  // that have read the word at different times may acquire in any order.
  static constexpr size_t kStep = 64, kMostSteps = 64;
  OtherBlocks sum;
  size_t summed = 0;
  std::map<size_t, OtherBlocks> steps;
  // By block: where the releases of its own are, and what each says together with those before it. Chains grow as long
  // as a lock is taken.
  std::map<uint64_t, std::vector<std::pair<size_t, Known>>> own;
  size_t added = 0;  // to `own`

  static void add(OtherBlocks& blocks, const WordRelease& r) {
    if (!r.wide) return;
    if (r.what->others) join(blocks, *r.what->others);
    join(blocks, OtherBlocks{{r.block, own_of(r.what)}});
  }
  const OtherBlocks& of_first(size_t length) {
    const auto behind = steps.upper_bound(length);
    const bool near = behind != steps.begin();
    if (summed > length || (near && std::prev(behind)->first > summed)) {
      summed = near ? std::prev(behind)->first : 0;
      sum = near ? std::prev(behind)->second : OtherBlocks{};
    }
    while (summed < length) {
      add(sum, releases[summed++]);
      if (summed % kStep != 0) continue;
      steps.try_emplace(summed, sum);
      if (steps.size() > kMostSteps) steps.erase(steps.begin());
    }
    return sum;
  }
  // What the block's own among the first `length` say; null: there are none.
  Known own_of_first(size_t length, uint64_t block) {
    for (; added < length; ++added) {
      const WordRelease& r = releases[added];
      auto& sums = own[r.block];
      if (sums.empty()) {
        sums.emplace_back(added, r.what);
        continue;
      }
      auto sum = std::make_shared<Clock>(*sums.back().second);
      join(*sum, *r.what);
      sums.emplace_back(added, std::move(sum));
    }
    const auto found = own.find(block);
    if (found == own.end()) return nullptr;
    const auto behind = std::ranges::lower_bound(found->second, length, {}, [](const auto& s) { return s.first; });
    return behind == found->second.begin() ? nullptr : std::prev(behind)->second;
  }
};

Clock ReleasedWords::Seen::learned(uint64_t block, bool wide) const {
  Clock clock;
  if (const Known own = log_->own_of_first(length_, block)) clock = *own;
  if (!wide || !wide_) return clock;
  auto others = std::make_shared<OtherBlocks>(log_->of_first(length_));
  const auto own = std::ranges::lower_bound(*others, block, {}, [](const auto& b) { return b.first; });
  if (own != others->end() && own->first == block) join(clock.own, *own->second);
  if (others->empty()) return clock;
  if (clock.others) join(*others, *clock.others);
  clock.others = std::move(others);
  return clock;
}

ReleasedWords::Seen ReleasedWords::read(uint64_t word, uint64_t block, bool wide) const {
  Seen seen;
  const auto found = words_.find(word);
  if (found == words_.end()) return seen;
  seen.log_ = found->second;
  seen.length_ = found->second->releases.size();
  seen.wide_ = wide;
  if (barrier_blocks_ != 0 && word == barrier_word_)
    if (const auto own = arrived_.find(block);
        own != arrived_.end() && arrivals_.size() >= own->second * barrier_blocks_)
      seen.length_ = arrivals_[own->second * barrier_blocks_ - 1];
  return seen;
}

void ReleasedWords::complete(uint64_t word, uint64_t block, uint32_t thread, std::vector<WordRelease>& releases) {
  const bool operates = std::ranges::any_of(releases, &WordRelease::operation);
  if (!operates && operations_.empty()) return;
  std::vector<WordRelease>& earlier = operations_[{word, block, thread}];
  const size_t own = releases.size();
  for (const WordRelease& r : earlier) releases.push_back(r);
  for (size_t i = 0; i < own; ++i) {
    if (!releases[i].operation) continue;
    // A wide one says all that earlier ones say.
    std::erase_if(earlier, [&](const WordRelease& r) { return releases[i].wide || !r.wide; });
    earlier.push_back(releases[i]);
  }
}

void ReleasedWords::store(uint64_t word, uint64_t block, uint32_t thread, std::vector<WordRelease> releases) {
  complete(word, block, thread, releases);
  if (releases.empty()) {
    words_.erase(word);
    return;
  }
  auto log = std::make_shared<Seen::Log>();
  log->add(std::move(releases));
  words_[word] = std::move(log);
}

void ReleasedWords::update(uint64_t word, uint64_t block, uint32_t thread, std::vector<WordRelease> releases) {
  complete(word, block, thread, releases);
  const bool arrives = barrier_blocks_ != 0 && word == barrier_word_;
  if (releases.empty() && !arrives) return;
  std::shared_ptr<Seen::Log>& log = words_[word];
  if (!log) log = std::make_shared<Seen::Log>();
  log->add(std::move(releases));
  if (arrives) arrivals_.push_back(log->releases.size()), ++arrived_[block];
}

}  // namespace drywarp::check
