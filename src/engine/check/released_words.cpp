#include "engine/check/released_words.h"

#include <algorithm>

namespace drywarp::check {
namespace {

std::shared_ptr<const BlockTimes> own_of(const Known& known) { return {known, &known->own}; }

}  // namespace

// The releases that one chain of atomics carries, in their order. Readers keep it with its length at that time.
struct ReleasedWords::Seen::Log {
  std::vector<WordRelease> releases;
  OtherBlocks all;  // what the wide ones among the first `joined` say
  size_t joined = 0;

  static void add(OtherBlocks& blocks, const WordRelease& r) {
    if (!r.wide) return;
    if (r.what->others) join(blocks, *r.what->others);
    join(blocks, OtherBlocks{{r.block, own_of(r.what)}});
  }
  OtherBlocks of_first(size_t length) {
    if (joined > length) {
      OtherBlocks blocks;
      for (size_t i = 0; i < length; ++i) add(blocks, releases[i]);
      return blocks;
    }
    for (; joined < length; ++joined) add(all, releases[joined]);
    return all;
  }
};

Clock ReleasedWords::Seen::learned(uint64_t block, bool wide) const {
  Clock clock;
  for (size_t i = 0; i < length_; ++i) {
    const WordRelease& r = log_->releases[i];
    if (r.block == block) join(clock, *r.what);
  }
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
  log->releases = std::move(releases);
  words_[word] = std::move(log);
}

void ReleasedWords::update(uint64_t word, uint64_t block, uint32_t thread, std::vector<WordRelease> releases) {
  complete(word, block, thread, releases);
  const bool arrives = barrier_blocks_ != 0 && word == barrier_word_;
  if (releases.empty() && !arrives) return;
  std::shared_ptr<Seen::Log>& log = words_[word];
  if (!log) log = std::make_shared<Seen::Log>();
  for (WordRelease& r : releases) log->releases.push_back(std::move(r));
  if (arrives) arrivals_.push_back(log->releases.size()), ++arrived_[block];
}

}  // namespace drywarp::check
