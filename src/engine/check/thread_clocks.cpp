#include "engine/check/thread_clocks.h"

#include <algorithm>

namespace drywarp::check {

LaneMask WarpTimes::reached(Time time) const {
  if (least_ >= time) return ~LaneMask{0};
  LaneMask lanes = 0;
  if (each_)
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) lanes |= LaneMask{(*each_)[lane] >= time} << lane;
  return lanes;
}

WarpTimes::Lanes WarpTimes::all() const {
  if (each_) return *each_;
  Lanes lanes;
  lanes.fill(least_);
  return lanes;
}

void WarpTimes::set(const Lanes& lanes) {
  const auto [low, high] = std::ranges::minmax(lanes);
  least_ = low;
  each_ = low == high ? nullptr : std::make_shared<Lanes>(lanes);
}

void WarpTimes::raise(LaneMask lanes, Time time) {
  if (least_ >= time || lanes == 0) return;
  if (lanes == ~LaneMask{0} && !each_) {
    least_ = time;
    return;
  }
  const auto to = [&](Lanes& times) {
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      Time& one = times[static_cast<unsigned>(std::countr_zero(left))];
      one = std::max(one, time);
    }
  };
  if (each_ && each_.use_count() == 1) {
    auto& own = const_cast<Lanes&>(*each_);  // made by set(), and nobody else has it
    to(own);
    const auto [low, high] = std::ranges::minmax(own);
    least_ = low;
    if (low == high) each_ = nullptr;
    return;
  }
  Lanes times = all();
  to(times);
  set(times);
}

void WarpTimes::join(const WarpTimes& o) {
  if (!each_ && !o.each_) {
    least_ = std::max(least_, o.least_);
  } else if (each_ != o.each_) {
    if (each_ && !o.each_ && o.least_ <= least_) return;
    const Lanes before = all(), others = o.all();
    Lanes times;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) times[lane] = std::max(before[lane], others[lane]);
    // One that has the other's times is kept: joined clocks share what they know, and are joined again at once.
    if (times == others)
      *this = o;
    else if (times != before)
      set(times);
  }
}

namespace {

bool share(const BlockTimes& a, const BlockTimes& b) {
  return std::ranges::equal(a, b, [](const WarpTimes& x, const WarpTimes& y) { return x.shares(y); });
}
bool covers(const BlockTimes& a, const BlockTimes& b) {
  for (size_t row = 0; row < b.size(); ++row)
    if (row >= a.size() || !a[row].covers(b[row])) return false;
  return true;
}

}  // namespace

void join(BlockTimes& times, const BlockTimes& more) {
  if (times.size() < more.size()) times.resize(more.size());
  for (size_t row = 0; row < more.size(); ++row) times[row].join(more[row]);
}

namespace {

const OtherBlocks::value_type* find_block(const OtherBlocks& blocks, uint64_t block) {
  const auto found = std::ranges::lower_bound(blocks, block, {}, [](const auto& b) { return b.first; });
  return found == blocks.end() || found->first != block ? nullptr : &*found;
}

// The same pointer where one of both says all.
void join(std::shared_ptr<const BlockTimes>& a, const std::shared_ptr<const BlockTimes>& b) {
  if (a == b) return;
  if (covers(*b, *a)) {
    a = b;
    return;
  }
  if (covers(*a, *b)) return;
  BlockTimes both = *a;
  join(both, *b);
  if (share(both, *b))
    a = b;
  else if (!share(both, *a))
    a = std::make_shared<const BlockTimes>(std::move(both));
}

// Whether they are known to be there.
bool includes(const OtherBlocks& blocks, const OtherBlocks& more) {
  auto a = blocks.begin();
  for (const auto& b : more) {
    while (a != blocks.end() && a->first < b.first) ++a;
    if (a == blocks.end() || a->first != b.first || a->second != b.second) return false;
  }
  return true;
}

}  // namespace

void join(OtherBlocks& blocks, const OtherBlocks& more) {
  // Most have the same blocks.
  const bool same_blocks =
      std::ranges::equal(blocks, more, [](const auto& a, const auto& b) { return a.first == b.first; });
  if (same_blocks) {
    for (size_t i = 0; i < blocks.size(); ++i) join(blocks[i].second, more[i].second);
    return;
  }
  OtherBlocks all;
  all.reserve(std::max(blocks.size(), more.size()));
  auto a = blocks.begin();
  for (const auto& b : more) {
    while (a != blocks.end() && a->first < b.first) all.push_back(std::move(*a++));
    if (a == blocks.end() || a->first != b.first) {
      all.push_back(b);
      continue;
    }
    join(a->second, b.second);
    all.push_back(std::move(*a++));
  }
  all.insert(all.end(), std::make_move_iterator(a), std::make_move_iterator(blocks.end()));
  blocks = std::move(all);
}

OtherBlocks& GrowingBlocks::mine() {
  if (!grown_) grown_ = known_ ? std::make_shared<OtherBlocks>(*known_) : std::make_shared<OtherBlocks>();
  return *grown_;
}

void GrowingBlocks::join(const std::shared_ptr<const OtherBlocks>& more) {
  if (!more || more->empty() || more == last_ || more == known_) return;
  last_ = more;
  if (!now())
    known_ = more;
  else if (!includes(*now(), *more))
    check::join(mine(), *more);
}

std::shared_ptr<const BlockTimes> GrowingBlocks::take(uint64_t block) {
  const OtherBlocks* const blocks = now();
  if (!blocks) return nullptr;
  const auto* const found = find_block(*blocks, block);
  if (!found) return nullptr;
  std::shared_ptr<const BlockTimes> taken = found->second;
  const auto place = found - blocks->data();
  mine().erase(mine().begin() + place);
  return taken;
}

std::shared_ptr<const OtherBlocks> GrowingBlocks::result() {
  if (!grown_) return known_;
  const bool same = known_ ? *grown_ == *known_ : grown_->empty();
  return same ? known_ : grown_;
}

const BlockTimes* times_of(const Clock& known, uint64_t block, uint64_t own) {
  if (block == own) return &known.own;
  const auto* const found = known.others ? find_block(*known.others, block) : nullptr;
  return found ? found->second.get() : nullptr;
}

void join(Clock& clock, const Clock& more) {
  join(clock.own, more.own);
  if (!more.others || clock.others == more.others) return;
  if (!clock.others) {
    clock.others = more.others;
    return;
  }
  OtherBlocks all = *clock.others;
  join(all, *more.others);
  if (all == *more.others)
    clock.others = more.others;
  else if (all != *clock.others)
    clock.others = std::make_shared<const OtherBlocks>(std::move(all));
}

void Moment::join(const Known& known) {
  if (known == last_) return;
  last_ = known;
  if (!any_)
    clock_ = *known;
  else
    check::join(clock_, *known);
  any_ = true;
}

void Moment::join(const Moment& more) {
  if (more.empty()) return;
  check::join(clock_, more.clock_);
  any_ = true;
}

void Moment::raise(uint32_t row, LaneMask lanes, Time time) {
  if (clock_.own.size() <= row) clock_.own.resize(row + 1);
  clock_.own[row].raise(lanes, time);
  any_ = true;
}

void ThreadClocks::begin(uint32_t warps, LaneMask absent) {
  auto nothing = std::make_shared<Clock>();
  nothing->own.resize(warps);
  warps_.clear();
  warps_.resize(warps);
  for (Warp& w : warps_) w.common = nothing;
  warps_.back().absent = absent;
}

void ThreadClocks::collect(Moment& moment, uint32_t warp, LaneMask lanes) const {
  const Warp& w = warps_[warp];
  for_knowing(warp, lanes, [&](const Known& known, LaneMask) { moment.join(known); });
  // Of a whole warp, one number.
  moment.raise(warp, (lanes | w.absent) == ~LaneMask{0} ? ~LaneMask{0} : lanes, w.now);
}

void ThreadClocks::learn(uint32_t warp, LaneMask lanes, const Known& known) {
  Warp& w = warps_[warp];
  if ((lanes | w.absent) == ~LaneMask{0}) {
    w.common = known;
    w.each = nullptr;
    return;
  }
  if (!w.each) {
    w.each = std::make_unique<std::array<Known, kWarpSize>>();
    w.each->fill(w.common);
  }
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    (*w.each)[static_cast<unsigned>(std::countr_zero(left))] = known;
}

void ThreadClocks::learn_more(uint32_t warp, LaneMask lanes, const Clock& clock) {
  std::vector<std::pair<LaneMask, Known>> learned;
  for_knowing(warp, lanes, [&](const Known& known, LaneMask same) {
    auto all = std::make_shared<Clock>(*known);
    join(*all, clock);
    learned.emplace_back(same, std::move(all));
  });
  for (const auto& [same, known] : learned) learn(warp, same, known);
}

}  // namespace drywarp::check
