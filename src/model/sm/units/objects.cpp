#include "model/sm/units/objects.h"

#include <algorithm>
#include <utility>

namespace drywarp::sm {

BarrierObjects::Object& BarrierObjects::object(uint32_t block, uint32_t place) {
  auto& objects = s.blocks[block].objects;
  const auto known = std::ranges::find(objects, place, &Object::place);
  if (known != objects.end()) return *known;
  objects.push_back({});
  objects.back().place = place;
  return objects.back();
}

Effect BarrierObjects::use(uint32_t index, const Decoded& in, Cycles now) {
  Warp& warp = s.warps[index];
  Effect effect;
  effect.result = now + in.latency;
  effect.stall_reason = Stall::LongScoreboard;
  for (const ObjectUse& use : warp.cursor.objects()) {
    Object& at = object(warp.block, use.object);
    switch (use.kind) {
      case ObjectUse::Kind::Init:
        at.expected = at.pending = static_cast<int32_t>(use.arrivals);
        at.phase = 0, at.bytes = 0, at.latest = at.completed[0] = at.completed[1] = 0;
        break;
      case ObjectUse::Kind::Change:
        // An arrival on behalf of the warp's asynchronous copies: when they are done.
        change(warp.block, use, std::max(now, in.for_copies ? warp.copies_done : 0));
        break;
      case ObjectUse::Kind::Wait:
        if (at.phase != use.phase) {
          effect.result = std::max(effect.result, at.completed[use.phase] + in.latency);
        } else {
          at.waiting.push_back({index, warp.serial, &in});
          effect.result = kNever;
        }
        break;
    }
  }
  return effect;
}

void BarrierObjects::change(uint32_t block, const ObjectUse& use, Cycles now) {
  Object& at = object(block, use.object);
  at.pending -= static_cast<int32_t>(use.arrivals);
  at.expected -= use.dropped;
  at.bytes += use.bytes;
  at.latest = std::max(at.latest, now);
  if (at.pending <= 0 && at.bytes == 0) complete(at);
}

void BarrierObjects::complete(Object& at) {
  at.completed[at.phase] = std::exchange(at.latest, 0);
  const Cycles done = at.completed[at.phase];
  at.phase ^= 1;
  at.pending = at.expected;
  released_.clear();
  released_.swap(at.waiting);
  for (const Object::Waiter& w : released_) settle(s, w.warp, w.serial, *w.in, done + w.in->latency);
}

void BarrierObjects::release_all() {
  for (ResidentBlock& block : s.blocks)
    for (Object& at : block.objects)
      if (block.warps_left != 0 && !at.waiting.empty()) at.latest = std::max(at.latest, s.now), complete(at);
}

}  // namespace drywarp::sm
