// A whole machine's warps, and what they have recorded, do not fit into the host's caches, and every event is another
// warp's: nearly all that it looks at would have to be waited for. But it is known some events ahead what they need.
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
constexpr size_t kWarp = 9, kAccess = 6, kLines = 3, kTags = 1;

}  // namespace

// What the sub-partition's next instruction does to global memory, if it does.
const TraceAccess* Simulator::global_access(uint32_t part) const {
  const WarpCursor& cursor = warps_[chosen_[part].warp].cursor;
  const Decoded* in = cursor.current();
  if (!in || in->queue != Queue::Memory) return nullptr;
  const TraceAccess* access = cursor.access();
  return access && access->space == TraceSpace::Global ? access : nullptr;
}

// The event of a sub-partition that is so many behind the first, if it is known.
const EventQueue::Event* Simulator::part_ahead(size_t count) const {
  const EventQueue::Event* event = events_.ahead(count);
  return event && event->part < parts_.size() ? event : nullptr;
}

void Simulator::prefetch_warp(uint32_t warp) const {
  prefetch(&warps_[warp]);
  prefetch(registers_of(warp), code_.scoreboard_lines * sizeof(RegisterLine));
}

void Simulator::look_ahead() const {
  if (const EventQueue::Event* event = part_ahead(kWarp)) {
    prefetch_warp(chosen_[event->part].warp);
    prefetch(&parts_[event->part]);
  }
  if (const EventQueue::Event* event = part_ahead(kAccess)) {
    const WarpCursor& cursor = warps_[chosen_[event->part].warp].cursor;
    const SubPartition& part = parts_[event->part];
    part.warps.prefetch();
    if (const TraceAccess* access = cursor.upcoming()) prefetch(access);
    prefetch(cursor.behind());
  }
  if (const EventQueue::Event* event = part_ahead(kLines))
    if (const TraceAccess* access = global_access(event->part)) {
      const std::span<const TraceLine> lines = warps_[chosen_[event->part].warp].cursor.lines(*access);
      prefetch(lines.data(), lines.size_bytes());
    }
  if (const EventQueue::Event* event = part_ahead(kTags))
    if (const TraceAccess* access = global_access(event->part))
      memory_.prefetch(sm_of(event->part), warps_[chosen_[event->part].warp].cursor.lines(*access));
}

}  // namespace drywarp::timing
