#include "model/sm/units/polls.h"

#include <algorithm>

namespace drywarp::sm {
namespace {

// Then the awaited write waits for something that is not modelled (bar.arrive), and polls end at once.
constexpr uint64_t kMostInVain = uint64_t{1} << 23;

}  // namespace

PollUnits::PollUnits(Simulation& simulation) : s(simulation) {
  const uint64_t simulated = std::min<uint64_t>(s.launch.simulated, s.trace.blocks.size());
  std::vector<uint64_t> lines;
  for (uint64_t b = 0; b < simulated; ++b)
    for (const WarpTrace& warp : s.trace.blocks[b].warps)
      for (const AwaitedWrite& awaited : warp.awaited) {
        if (awaited.write.block >= simulated) continue;
        writes_.push_back({awaited.write});
        const TraceAccess& poll = warp.accesses[awaited.access];
        for (uint32_t i = 0; i < poll.line_count; ++i) lines.push_back(warp.lines[poll.first_line + i].number());
      }
  s.memory.poll(lines);
  if (!writes_.empty())
    for (const BuiltOn& built : s.trace.built)
      for (const WriteId& id : {built.write, built.before})
        if (id.block < simulated) writes_.push_back({id});
  std::ranges::sort(writes_, {}, &Write::id);
  const auto rest = std::ranges::unique(writes_, {}, &Write::id);
  writes_.erase(rest.begin(), rest.end());
  const auto number_of = [&](const WriteId& id) {
    return static_cast<uint32_t>(std::ranges::lower_bound(writes_, id, {}, &Write::id) - writes_.begin());
  };
  for (const BuiltOn& built : s.trace.built)
    if (!writes_.empty() && std::max(built.write.block, built.before.block) < simulated)
      writes_[number_of(built.write)].before = number_of(built.before);
}

void PollUnits::start(uint32_t index, const BlockTrace& block, uint32_t warp) {
  started_ = std::max(started_, block.block + 1);
  if (writes_.empty()) return;
  if (warps_.size() <= index) warps_.resize(index + 1);
  const auto from = [&](uint32_t number) {
    return static_cast<uint32_t>(std::ranges::lower_bound(writes_, WriteId{block.block, number, 0}, {}, &Write::id) -
                                 writes_.begin());
  };
  warps_[index] = {.trace = &block.warps[warp], .next_write = from(warp), .end_writes = from(warp + 1)};
}

// The warp's accesses are served in order: what comes before this one in its trace has happened, too.
void PollUnits::done(WarpPolls& warp, uint32_t access, Cycles at) {
  for (; warp.next_write != warp.end_writes && writes_[warp.next_write].id.access <= access; ++warp.next_write)
    writes_[warp.next_write].at = at, in_vain_ = 0;
}

uint32_t PollUnits::number_of(const WarpPolls& warp, const TraceAccess& access) {
  const TraceAccess* const first = warp.trace->accesses.data();
  if (&access < first || &access >= first + warp.trace->accesses.size()) return kNone;  // a spill
  return static_cast<uint32_t>(&access - first);
}

void PollUnits::issues(uint32_t index, const TraceAccess& access) {
  if (index >= warps_.size() || !warps_[index].trace || warps_[index].trace->awaited.empty()) return;
  WarpPolls& warp = warps_[index];
  const uint32_t number = number_of(warp, access);
  if (number == kNone) return;
  const auto& awaited = warp.trace->awaited;
  while (warp.next_poll < awaited.size() && awaited[warp.next_poll].access < number) ++warp.next_poll;
  if (warp.next_poll < awaited.size() && awaited[warp.next_poll].access == number)
    warp.poll = number, warp.polled = kNever;
}

void PollUnits::served(uint32_t index, const TraceAccess& access, bool writes, Cycles at_l2) {
  if (index >= warps_.size() || !warps_[index].trace) return;
  WarpPolls& warp = warps_[index];
  const uint32_t number = number_of(warp, access);
  if (number == kNone) return;
  if (writes || number != 0) done(warp, writes ? number : number - 1, at_l2);
  if (warp.poll == number) warp.polled = at_l2;
}

bool PollUnits::is_simulated(const WriteId& write) const {
  return write.block < s.launch.simulated && write.block < started_;
}

Cycles PollUnits::complete(Write& write) {
  if (write.complete < kNever) return write.complete;
  if (write.missing != kNone && !has_come(writes_[write.missing])) return kNever;
  Cycles latest = 0;
  for (const Write* one = &write;; one = &writes_[one->before]) {
    if (!has_come(*one)) {
      write.missing = static_cast<uint32_t>(one - writes_.data());
      return kNever;
    }
    if (one->complete < kNever) {
      latest = std::max(latest, one->complete);
      break;
    }
    if (one->at < kNever) latest = std::max(latest, one->at);
    if (one->before == kNone) break;
  }
  return write.complete = latest;
}

bool PollUnits::has_happened(const WriteId& write, Cycles at) {
  if (!is_simulated(write)) return true;
  const auto known = std::ranges::lower_bound(writes_, write, {}, &Write::id);
  return known == writes_.end() || known->id != write || complete(*known) <= at;
}

bool PollUnits::repeats(uint32_t index) {
  if (index >= warps_.size() || warps_[index].poll == kNone) return false;
  WarpPolls& warp = warps_[index];
  const auto& awaited = warp.trace->awaited;
  // What nothing in the block waits for need not be there yet.
  const bool looks = warp.polled < kNever && in_vain_ < kMostInVain;
  for (uint32_t i = warp.next_poll; looks && i < awaited.size() && awaited[i].access == warp.poll; ++i)
    if (!has_happened(awaited[i].write, warp.polled)) return ++in_vain_, true;
  warp.poll = kNone;
  return false;
}

void PollUnits::end(uint32_t index, Cycles now) {
  if (index >= warps_.size() || !warps_[index].trace) return;
  done(warps_[index], kNone, now);
  warps_[index].trace = nullptr;
}

}  // namespace drywarp::sm
