// Prefetches simulation state into the host's cache. The warps of a whole GPU and their traces do not fit there, and
// nearly every event is another warp's, so nearly every read would miss. But the next events are known some events
// ahead.
#include "model/sm/units/simulator.h"

namespace drywarp::sm {
namespace {

// Prefetches an object's cache lines.
template <typename T>
void prefetch(const T* object, size_t bytes = sizeof(T)) {
  const char* at = reinterpret_cast<const char*>(object);
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(at + i);
}

constexpr size_t kOften = 128;  // bytes of a warp that nearly every instruction reads

// Prefetch distances in events. Each step reads what the step before has prefetched.
constexpr uint32_t kWarp = 12, kAccess = 9, kLines = 6, kL1 = 3, kL2 = 1;

}  // namespace

// The lines of global memory that the warp's next instruction touches.
std::span<const TraceLine> Simulator::global_lines(uint32_t warp) const {
  const WarpCursor& cursor = warps_[warp].cursor;
  const Decoded* in = cursor.current();
  if (!in || in->queue != Queue::Memory) return {};
  const TraceAccess* access = cursor.access();
  if (!access || access->space != AddressSpace::Global) return {};
  return cursor.lines(*access);
}

void Simulator::prefetch_warp(uint32_t warp) const {
  prefetch(&warps_[warp], kOften);
  prefetch(registers_of(warp), code_.scoreboard_lines * sizeof(RegisterLine));
}

void Simulator::prefetch_ahead() const {
  if (const uint32_t part = events_.peek(kWarp); part != EventQueue::kNoUnit) {
    prefetch_warp(chosen_[part].warp);
    prefetch(&parts_[part]);
  }
  if (const uint32_t part = events_.peek(kAccess); part != EventQueue::kNoUnit) {
    const Warp& warp = warps_[chosen_[part].warp];
    parts_[part].warps.prefetch();
    prefetch(warp.cursor.upcoming());
    const Decoded* in = warp.cursor.current();
    if (warp.cursor.leaves_block() || (in && in->queue != Queue::None))
      prefetch(reinterpret_cast<const char*>(&warp) + kOften, sizeof(Warp) - kOften);
  }
  if (const uint32_t part = events_.peek(kLines); part != EventQueue::kNoUnit) {
    const WarpCursor& cursor = warps_[chosen_[part].warp].cursor;
    if (cursor.leaves_block()) prefetch(cursor.behind());
    const std::span<const TraceLine> lines = global_lines(chosen_[part].warp);
    prefetch(lines.data(), lines.size_bytes());
  }
  if (const uint32_t part = events_.peek(kL1); part != EventQueue::kNoUnit)
    memory_.prefetch_l1(sm_of(part), global_lines(chosen_[part].warp));
  if (const uint32_t part = events_.peek(kL2); part != EventQueue::kNoUnit)
    memory_.prefetch_l2(sm_of(part), global_lines(chosen_[part].warp));
}

void Simulator::prefetch_ahead(const Sm& sm) const {
  constexpr size_t kRecorded = 3, kTags = 1;
  if (sm.waiting.size() > kRecorded) {
    const Request& request = sm.waiting[kRecorded];
    __builtin_prefetch(request.access);
    prefetch(request.lines.data(), request.lines.size_bytes());
    prefetch_warp(request.warp);
  }
  if (sm.waiting.size() > kTags)
    if (const Request& request = sm.waiting[kTags]; request.access && request.access->space == AddressSpace::Global)
      memory_.prefetch_l1(sm_of(request.part), request.lines);
}

// The lines of a warp's next access follow those of this one; usually there are as many.
void Simulator::prefetch_following(std::span<const TraceLine> lines) {
  prefetch(lines.data() + lines.size(), lines.size_bytes());
}

}  // namespace drywarp::sm
