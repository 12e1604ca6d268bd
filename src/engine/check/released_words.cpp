#include "engine/check/released_words.h"

#include <algorithm>
#include <deque>

namespace drywarp::check {
namespace {

// What the releasing thread has done itself.
void raise(BlockTimes& times, const WordRelease& r) {
  const uint32_t warp = r.thread / kWarpSize;
  const auto one = [&](uint32_t row, Time time) {
    if (time == 0) return;
    if (times.size() <= row) times.resize(row + 1);
    times[row].raise(1u << r.thread % kWarpSize, time);
  };
  one(warp, r.time);
  one(r.warps + warp, r.waited);
}

}  // namespace

// The releases that one chain of atomics carries, in their order. Readers keep it with its length at that time.
struct ReleasedWords::Seen::Log {
  [[nodiscard]] size_t size() const { return folded + releases.size(); }
  void add(std::vector<WordRelease> more) {
    // What a thread has told there already, a loop that polls by atomics tells again and again.
    for (WordRelease& r : more)
      if (tell(r)) releases.push_back(std::move(r));
    if (folds && releases.size() >= kMostKept) fold();
  }
  void hold(size_t length) {
    if (held.empty() || held.back().length < length) held.push_back({length, 0});
    auto one = held.back().length == length ? std::prev(held.end())
                                            : std::ranges::lower_bound(held, length, {}, &Held::length);
    if (one->length != length) one = held.insert(one, {length, 0});
    ++one->readers;
  }
  void release(size_t length) {
    --(held.front().length == length ? held.begin() : std::ranges::lower_bound(held, length, {}, &Held::length))
          ->readers;
    while (!held.empty() && held.front().readers == 0) held.pop_front();
  }
  // What the wide ones among the first `length` say. Many threads that have read the same ask, in any order.
  const std::shared_ptr<const OtherBlocks>& of_first(size_t length) {
    const auto behind = steps.upper_bound(length);
    const bool near = behind != steps.begin();
    if (near && std::prev(behind)->first == length) return std::prev(behind)->second;
    if (summed > length || (near && std::prev(behind)->first > summed)) {
      summed = near ? std::prev(behind)->first : 0;
      sum = near ? *std::prev(behind)->second : OtherBlocks{};
      last_what = nullptr;
    }
    while (summed < length) {
      add(at(summed++));
      if (summed % kStep == 0) keep_step();
    }
    return keep_step();
  }
  // What the block's own among the first `length` say; null: there are none.
  Known own_of_first(size_t length, uint64_t block) {
    for (; listed < size(); ++listed) own[at(listed).block].at.push_back(listed);
    const auto found = own.find(block);
    return found == own.end() ? nullptr : sum_of(found->second, length);
  }

  explicit Log(uint64_t number) : id(number) {}
  const uint64_t id;
  bool folds = true;  // no reader will ask for fewer than there are when it reads

 private:
  static constexpr size_t kMostKept = 64, kStep = 64, kMostSteps = 64;

  // What they say, and to whom.
  static bool say_the_same(const WordRelease& a, const WordRelease& b) {
    return a.what == b.what && a.block == b.block && a.thread == b.thread && a.time == b.time && a.waited == b.waited &&
           a.wide == b.wide;
  }
  // The place in `told` of one that says the same, or an empty one.
  [[nodiscard]] size_t place_of(const WordRelease& r) const {
    const uint64_t hash =
        (reinterpret_cast<uintptr_t>(r.what.get()) ^ (uint64_t{r.time} << 32 | r.thread << 1 | uint64_t{r.wide})) *
        0x9e3779b97f4a7c15;
    size_t place = hash >> 32 & (told.size() - 1);
    while (told[place] != 0 && !say_the_same(releases[told[place] - 1], r)) place = (place + 1) & (told.size() - 1);
    return place;
  }
  // Before it is added: whether none of `releases` says the same.
  bool tell(const WordRelease& r) {
    if (told.size() < 2 * releases.size() + 2) tell_all(std::max<size_t>(16, 2 * told.size()));
    const size_t place = place_of(r);
    if (told[place] != 0) return false;
    told[place] = static_cast<uint32_t>(releases.size() + 1);
    return true;
  }
  void tell_all(size_t places) {
    told.assign(places, 0);
    for (size_t i = 0; i < releases.size(); ++i) told[place_of(releases[i])] = static_cast<uint32_t>(i + 1);
  }
  // To `sum`. Lanes that fence together know the same.
  void add(const WordRelease& r) {
    if (!r.wide) return;
    const bool again = r.what == last_what && r.block == last_block;
    if (!again && r.what->others) join(sum, *r.what->others);
    auto own_times = std::ranges::lower_bound(sum, r.block, {}, [](const auto& b) { return b.first; });
    if (own_times == sum.end() || own_times->first != r.block)
      own_times = sum.emplace(own_times, r.block, std::make_shared<const BlockTimes>());
    if (own_times->second.use_count() != 1) own_times->second = std::make_shared<const BlockTimes>(*own_times->second);
    auto& times = const_cast<BlockTimes&>(*own_times->second);  // nobody else has it
    if (!again) join(times, r.what->own);
    raise(times, r);
    last_what = r.what, last_block = r.block;
  }
  // What has been added so far.
  const std::shared_ptr<const OtherBlocks>& keep_step() {
    const auto kept = steps.try_emplace(summed, std::make_shared<const OtherBlocks>(sum)).first;
    // The first one stands for what has been folded.
    if (steps.size() > kMostSteps) {
      auto oldest = folded == 0 ? steps.begin() : std::next(steps.begin());
      if (oldest == kept) ++oldest;
      steps.erase(oldest);
    }
    return kept->second;
  }
  [[nodiscard]] const WordRelease& at(size_t number) const { return releases[number - folded]; }
  // Of one block: where its releases are, and what the first ones say, at some lengths that have been asked for.
  struct Own {
    std::deque<size_t> at;
    std::map<size_t, Known> sums;
  };
  Known sum_of(Own& o, size_t length) {
    const auto behind = o.sums.upper_bound(length);
    const bool near = behind != o.sums.begin();
    const Known known = near ? std::prev(behind)->second : nullptr;
    const auto first = std::ranges::lower_bound(o.at, near ? std::prev(behind)->first : 0),
               end = std::ranges::lower_bound(o.at, length);
    if (first == end) return known;
    auto all = std::make_shared<Clock>(known ? *known : *at(*first).what);
    const Clock* joined = known ? nullptr : at(*first).what.get();
    std::for_each(first, end, [&](size_t number) {
      const WordRelease& r = at(number);
      if (r.what.get() != joined) join(*all, *r.what);
      raise(all->own, r);
      joined = r.what.get();
    });
    o.sums.emplace(length, all);
    // The first one stands for what has been folded.
    if (o.sums.size() > kMostSteps) o.sums.erase(folded == 0 ? o.sums.begin() : std::next(o.sums.begin()));
    return all;
  }
  // Chains grow as long as a lock is taken. What no reader can tell apart is kept as its sums.
  void fold() {
    const size_t length = held.empty() ? size() : held.front().length;
    if (length < folded + kMostKept / 2) return;
    const std::shared_ptr<const OtherBlocks> folded_sum = of_first(length);
    steps.insert_or_assign(length, folded_sum);
    steps.erase(steps.begin(), steps.find(length));
    (void)own_of_first(length, 0);
    for (auto& [block, o] : own) {
      Known sum = sum_of(o, length);
      o.sums.erase(o.sums.begin(), o.sums.upper_bound(length));
      if (sum) o.sums.emplace(length, std::move(sum));
      o.at.erase(o.at.begin(), std::ranges::lower_bound(o.at, length));
    }
    const auto end = releases.begin() + static_cast<std::ptrdiff_t>(length - folded);
    releases.erase(releases.begin(), end);
    tell_all(told.size());
    folded = length;
  }

  size_t folded = 0;                  // so many at the front are in the sums alone
  std::vector<WordRelease> releases;  // the others
  std::vector<uint32_t> told;         // their numbers, from 1, by a hash of what they say; 0: none
  struct Held {
    size_t length;
    uint32_t readers;
  };
  std::deque<Held> held;  // lengths that readers keep, ascending; the first one has some
  // The last sum that was asked for, and some on the way. Threads that have read the word at different times may
  // acquire in any order.
  OtherBlocks sum;
  size_t summed = 0;
  Known last_what;  // and block: the last one in `sum`; null: not known
  uint64_t last_block = 0;
  std::map<size_t, std::shared_ptr<const OtherBlocks>> steps;
  std::map<uint64_t, Own> own;  // by block
  size_t listed = 0;            // of the releases, in `own`
};

ReleasedWords::Seen::Seen(std::shared_ptr<Log> log, size_t length, bool wide)
    : log_(std::move(log)), length_(length), wide_(wide) {
  log_->hold(length_);
}
ReleasedWords::Seen::Seen(const Seen& o) : log_(o.log_), length_(o.length_), wide_(o.wide_) {
  if (log_) log_->hold(length_);
}
ReleasedWords::Seen::Seen(Seen&& o) noexcept : log_(std::move(o.log_)), length_(o.length_), wide_(o.wide_) {}
ReleasedWords::Seen& ReleasedWords::Seen::operator=(Seen o) noexcept {
  std::swap(log_, o.log_);
  std::swap(length_, o.length_);
  std::swap(wide_, o.wide_);
  return *this;
}
ReleasedWords::Seen::~Seen() {
  if (log_) log_->release(length_);
}

ReleasedWords::Seen::Seen(const Sight& sight) : Seen(*sight.log_, sight.length_, sight.wide_) {}

ReleasedWords::Seen::Mark ReleasedWords::Seen::mark() const { return {log_->id, length_, wide_}; }
bool ReleasedWords::Sight::is_new(const Seen::Mark& learned) const {
  return learned.log != (*log_)->id || learned.length < length_ || (wide_ && !learned.wide);
}

void ReleasedWords::Seen::add_to(BlockTimes& own, GrowingBlocks& others, uint64_t block, bool wide) const {
  if (const Known of_block = log_->own_of_first(length_, block)) {
    join(own, of_block->own);
    others.join(of_block->others);
  }
  if (wide && wide_) others.join(log_->of_first(length_));
}

// In one clock: a thread may have read many words before it fences.
Known ReleasedWords::learned(const Known& known, std::span<const Seen* const> seen, uint64_t block, bool wide) {
  auto all = std::make_shared<Clock>(*known);
  GrowingBlocks others(known->others);
  for (const Seen* one : seen) one->add_to(all->own, others, block, wide);
  if (const auto own = others.take(block)) join(all->own, *own);
  all->others = others.result();
  return all;
}

ReleasedWords::Sight ReleasedWords::read(uint64_t word, uint64_t block, bool wide) const {
  const auto found = words_.find(word);
  if (found == words_.end()) return {};
  size_t length = found->second->size();
  if (barrier_blocks_ != 0 && word == barrier_word_)
    if (const auto own = arrived_.find(block);
        own != arrived_.end() && arrivals_.size() >= own->second * barrier_blocks_)
      length = arrivals_[own->second * barrier_blocks_ - 1];
  return {found->second, length, wide};
}

void ReleasedWords::overwrite(uint64_t first, uint64_t last) {
  for (uint64_t word = first; word <= last; ++word) words_.erase(word);
  if (histories_.empty()) return;
  for (uint64_t word = first; word <= last; ++word) {
    const auto found = histories_.find(word);
    if (found == histories_.end()) continue;
    writes_ -= found->second.writes.size();
    found->second.clear();
  }
}

void ReleasedWords::History::add(Write write) {
  const uint32_t warp = write.thread / kWarpSize;
  if (runs.empty() || runs.back().block != write.block || runs.back().warp != warp)
    runs.push_back({end(), write.block, warp, write.time});
  if (!writes.empty()) {
    const Write& last = writes.back();
    if (last.address != write.address || last.bytes != write.bytes || last.known != write.known) alike = end();
  }
  writes.push_back(std::move(write));
}
void ReleasedWords::History::drop_first() {
  writes.pop_front(), ++first;
  if (runs.size() > 1 && runs[1].first == first) runs.pop_front();
}
void ReleasedWords::History::clear() {
  alike = first = end();
  writes.clear(), runs.clear();
}

void ReleasedWords::wrote(uint64_t word, Write write) {
  if (barrier_blocks_ != 0 && word == barrier_word_) return;  // arrivals_
  if (const auto log = words_.find(word); log != words_.end())
    write.released = {log->second, log->second->size(), false};
  History& h = histories_[word];
  if (!h.writes.empty()) {
    // It changes nothing and tells nothing: a loop that polls by atomics.
    const Write& last = h.writes.back();
    if (write.block == last.block && write.thread == last.thread && write.known && last.known &&
        write.value == last.value && write.address == last.address && write.bytes == last.bytes &&
        write.released.log_ == last.released.log_ && write.released.length_ == last.released.length_)
      return;
  }
  h.add(std::move(write));
  ++writes_;
  while (h.writes.size() > most_writes_ || (writes_ > kMostWrites && h.writes.size() > 1)) h.drop_first(), --writes_;
}

void ReleasedWords::complete(uint64_t word, uint64_t block, uint32_t thread, std::vector<WordRelease>& releases,
                             bool wide) {
  const bool operates = std::ranges::any_of(releases, &WordRelease::operation);
  if (!operates && operations_.empty()) return;
  std::vector<WordRelease>& earlier = operations_[{word, block, thread}];
  const size_t own = releases.size();
  for (const WordRelease& r : earlier) releases.push_back(r), releases.back().wide &= wide;
  for (size_t i = 0; i < own; ++i) {
    if (!releases[i].operation) continue;
    // A wide one says all that earlier ones say.
    std::erase_if(earlier, [&](const WordRelease& r) { return releases[i].wide || !r.wide; });
    earlier.push_back(releases[i]);
  }
}

void ReleasedWords::store(uint64_t word, uint64_t block, uint32_t thread, std::vector<WordRelease> releases,
                          bool wide) {
  complete(word, block, thread, releases, wide);
  if (releases.empty()) {
    words_.erase(word);
    return;
  }
  auto log = std::make_shared<Seen::Log>(++logs_);
  log->add(std::move(releases));
  words_[word] = std::move(log);
}

void ReleasedWords::update(uint64_t word, uint64_t block, uint32_t thread, std::vector<WordRelease> releases,
                           bool wide) {
  complete(word, block, thread, releases, wide);
  const bool arrives = barrier_blocks_ != 0 && word == barrier_word_;
  if (releases.empty() && !arrives) return;
  std::shared_ptr<Seen::Log>& log = words_[word];
  if (!log) log = std::make_shared<Seen::Log>(++logs_);
  log->folds &= !arrives;
  log->add(std::move(releases));
  if (arrives) arrivals_.push_back(log->size()), ++arrived_[block];
}

}  // namespace drywarp::check
