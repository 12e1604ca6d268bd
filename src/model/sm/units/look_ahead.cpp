// A whole machine's warps, and what they have recorded, do not fit into the host's caches, and nearly every event is
// another warp's: nearly all that it looks at would have to be waited for. But it is known some events ahead what they
// need.
#include "model/sm/units/simulator.h"

namespace drywarp::sm {
namespace {

// Brings an object's cache lines.
template <typename T>
void prefetch(const T* object, size_t bytes = sizeof(T)) {
  const char* at = reinterpret_cast<const char*>(object);
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(at + i);
}

constexpr size_t kOften = 128;  // bytes of a warp that nearly every instruction looks at

// So many events ahead: each step needs what the one before has brought.
constexpr uint32_t kWarp = 12, kAccess = 9, kLines = 6, kL1 = 3, kL2 = 1;

}  // namespace

// The lines of global memory that the warp's next instruction touches, if it touches any.
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

void Simulator::look_ahead() const {
  if (const uint32_t part = events_.coming(kWarp); part != EventQueue::kNobody) {
    prefetch_warp(chosen_[part].warp);
    prefetch(&parts_[part]);
  }
  if (const uint32_t part = events_.coming(kAccess); part != EventQueue::kNobody) {
    const Warp& warp = warps_[chosen_[part].warp];
    parts_[part].warps.prefetch();
    prefetch(warp.cursor.upcoming());
    const Decoded* in = warp.cursor.current();
    if (warp.cursor.leaves_block() || (in && in->queue != Queue::None))
      prefetch(reinterpret_cast<const char*>(&warp) + kOften, sizeof(Warp) - kOften);
  }
  if (const uint32_t part = events_.coming(kLines); part != EventQueue::kNobody) {
    const WarpCursor& cursor = warps_[chosen_[part].warp].cursor;
    if (cursor.leaves_block()) prefetch(cursor.behind());
    const std::span<const TraceLine> lines = global_lines(chosen_[part].warp);
    prefetch(lines.data(), lines.size_bytes());
  }
  if (const uint32_t part = events_.coming(kL1); part != EventQueue::kNobody)
    memory_.prefetch_l1(sm_of(part), global_lines(chosen_[part].warp));
  if (const uint32_t part = events_.coming(kL2); part != EventQueue::kNobody)
    memory_.prefetch_l2(sm_of(part), global_lines(chosen_[part].warp));
}

void Simulator::look_ahead(const Sm& sm) const {
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

// A warp's accesses have their lines one after the other, mostly as many.
void Simulator::look_behind(std::span<const TraceLine> lines) {
  prefetch(lines.data() + lines.size(), lines.size_bytes());
}

}  // namespace drywarp::sm
