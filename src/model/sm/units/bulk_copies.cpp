#include "model/sm/units/bulk_copies.h"

#include <algorithm>

namespace drywarp::sm {
namespace {

// A request is made up to this much too early instead of at an event of its own.
constexpr Cycles kCopyAhead = 8;

}  // namespace

BulkCopyUnits::BulkCopyUnits(Simulation& simulation, BarrierObjects& objects)
    : s(simulation), objects_(objects), units_(simulation.model.sms) {}

BulkCopyUnits::Groups& BulkCopyUnits::groups_of(uint32_t warp) {
  if (warp >= groups_.size()) groups_.resize(s.warps.size());
  Groups& groups = groups_[warp];
  if (groups.serial != s.warps[warp].serial) groups = {}, groups.serial = s.warps[warp].serial;
  return groups;
}

Effect BulkCopyUnits::submit(uint32_t index, const Decoded& in, Cycles now) {
  Warp& warp = s.warps[index];
  Effect effect;
  effect.result = now + 1;
  const TraceAccess* access = warp.cursor.access();
  Copy copy;
  copy.in = &in;
  copy.objects = warp.cursor.objects();
  if (!access && copy.objects.empty()) return effect;  // its guard let no lane pass
  if (access) copy.lines = warp.cursor.lines(*access);
  copy.warp = index, copy.serial = warp.serial;
  copy.block = warp.block, copy.block_serial = s.blocks[warp.block].serial;
  copy.at = now + in.latency + (in.of_tensor ? s.model.bulk_tensor_cycles : 0);
  if (copy.objects.empty()) {
    Groups& groups = groups_of(index);
    copy.group = groups.gone + groups.all.size() - 1;
    ++groups.all.back().copies;
  }
  const uint32_t sm = s.blocks[warp.block].sm;
  Unit& unit = units_[sm];
  unit.copies.push_back(copy);
  if (unit.copies.size() == 1) plan(sm);
  return effect;
}

Effect BulkCopyUnits::commit(uint32_t index, const Decoded&, Cycles now) {
  groups_of(index).all.emplace_back();
  Effect effect;
  effect.result = now + 1;
  return effect;
}

Cycles BulkCopyUnits::done_at(const Groups& groups, const Decoded& in) {
  Cycles done = 0;
  for (size_t i = 0; i + 1 + in.pending < groups.all.size(); ++i) {
    const Groups::Group& group = groups.all[i];
    if (group.copies != 0) return kNever;
    done = std::max(done, in.until_read ? group.read : group.done);
  }
  return done;
}

Effect BulkCopyUnits::wait(uint32_t index, const Decoded& in, Cycles now) {
  Groups& groups = groups_of(index);
  Effect effect;
  effect.next_reason = Stall::LongScoreboard;
  const Cycles done = done_at(groups, in);
  effect.next = std::max(now + 1, done);
  if (done < kNever) {
    const size_t over = groups.all.size() - std::min<size_t>(groups.all.size(), in.pending + 1u);
    groups.all.erase(groups.all.begin(), groups.all.begin() + static_cast<ptrdiff_t>(over));
    groups.gone += over;
    return effect;
  }
  groups.waits = &in, groups.since = now;
  s.warps[index].waits = true;
  effect.next = now + 1;  // finish() sets the real time
  return effect;
}

void BulkCopyUnits::plan(uint32_t number) {
  const Unit& unit = units_[number];
  const Cycles next = unit.copies.empty() ? kNever : std::max(unit.free, unit.copies.front().at);
  s.events.set(number, s.model.sub_partitions + 1, next);
}

void BulkCopyUnits::run(uint32_t number, Cycles now) {
  Unit& unit = units_[number];
  s.now = std::max(s.now, now);
  while (!unit.copies.empty()) {
    Copy& copy = unit.copies.front();
    const Cycles at = std::max(unit.free, copy.at);
    if (at > now + kCopyAhead) break;
    if (copy.lines.empty()) {  // all is requested, or nothing of it is in global memory
      if (copy.done == 0) copy.read = copy.done = at;
      finish(copy);
      unit.copies.pop_front();
      continue;
    }
    unit.free = request(number, copy, copy.lines.front(), at);
    copy.lines = copy.lines.subspan(1);
  }
  plan(number);
}

// Returns when the unit can make the next one.
Cycles BulkCopyUnits::request(uint32_t number, Copy& copy, const TraceLine& line, Cycles at) {
  const bool loads = !copy.objects.empty();
  const memory::Response response = loads                 ? s.memory.fetch(number, line, at)
                                    : copy.in->adds_bytes ? s.memory.add(number, line, copy.in->atomic, at)
                                                          : s.memory.put(number, line, at);
  copy.read = std::max(copy.read, response.accepted);
  copy.done = std::max(copy.done, response.ready);
  return std::max(at + s.model.bulk_request_interval, response.accepted);
}

void BulkCopyUnits::finish(Copy& copy) {
  s.end = std::max(s.end, copy.done);
  if (s.blocks[copy.block].serial == copy.block_serial)
    for (const ObjectUse& use : copy.objects) objects_.change(copy.block, use, copy.done);
  if (!copy.objects.empty() || s.warps[copy.warp].serial != copy.serial) return;
  Groups& groups = groups_of(copy.warp);
  Groups::Group& group = groups.all[copy.group - groups.gone];
  --group.copies;
  group.read = std::max(group.read, copy.read);
  group.done = std::max(group.done, copy.read + s.model.bulk_store_latency);
  if (!groups.waits) return;
  const Cycles done = done_at(groups, *groups.waits);
  if (done >= kNever) return;
  s.warps[copy.warp].waits = false;
  make_ready(s, copy.warp, std::max(done, groups.since + 1), Stall::LongScoreboard);
  wake(s, s.warps[copy.warp].part);
  groups.waits = nullptr;
}

}  // namespace drywarp::sm
