// A whole machine's warps, and what they have recorded, do not fit into the host's caches, and nearly every event is
// another warp's: nearly all that it looks at would have to be waited for. But it is known some events ahead what they
// need.
#include "timing/simulator.h"

namespace drywarp::timing {
namespace {

// Brings an object's cache lines.
template <typename T>
void prefetch(const T* object, size_t bytes = sizeof(T)) {
  const char* at = reinterpret_cast<const char*>(object);
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(at + i);
}

// So many events ahead: each step needs what the one before has brought.
constexpr size_t kWarp = 12, kAccess = 9, kLines = 6, kL1 = 3, kL2 = 1;

}  // namespace

// The lines of global memory that the warp's next instruction touches, if it touches any.
std::span<const TraceLine> Simulator::global_lines(uint32_t warp) const {
  const WarpCursor& cursor = warps_[warp].cursor;
  const Decoded* in = cursor.current();
  if (!in || in->queue != Queue::Memory) return {};
  const TraceAccess* access = cursor.access();
  if (!access || access->space != TraceSpace::Global) return {};
  return cursor.lines(*access);
}

void Simulator::prefetch_warp(uint32_t warp) const {
  prefetch(&warps_[warp]);
  prefetch(registers_of(warp), code_.scoreboard_lines * sizeof(RegisterLine));
}

void Simulator::look_ahead() const {
  const std::span<const EventQueue::Event> events = events_.known();
  const auto unit_at = [&](size_t count) { return events[events.size() - 1 - count].unit; };
  // The sub-partition whose event is so many behind the first; nullptr: another's, or not known.
  const auto ahead = [&](size_t count) -> const Chosen* {
    if (count >= events.size()) return nullptr;
    const uint16_t unit = unit_at(count);
    return unit != kLoadStoreUnit ? &chosen_[unit] : nullptr;
  };
  if (const Chosen* next = ahead(kWarp)) {
    prefetch_warp(next->warp);
    prefetch(&parts_[unit_at(kWarp)]);
  }
  if (const Chosen* next = ahead(kAccess)) {
    const WarpCursor& cursor = warps_[next->warp].cursor;
    parts_[unit_at(kAccess)].warps.prefetch();
    if (const TraceAccess* access = cursor.upcoming()) prefetch(access);
    prefetch(cursor.behind());
  }
  if (const Chosen* next = ahead(kLines)) {
    const std::span<const TraceLine> lines = global_lines(next->warp);
    prefetch(lines.data(), lines.size_bytes());
  }
  if (const Chosen* next = ahead(kL1)) memory_.prefetch_l1(sm_of(unit_at(kL1)), global_lines(next->warp));
  if (const Chosen* next = ahead(kL2)) memory_.prefetch_l2(sm_of(unit_at(kL2)), global_lines(next->warp));
}

}  // namespace drywarp::timing
