#include "model/sm/units/prefetch.h"

#include "model/sm/units/load_store.h"

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

// The lines of global memory that the warp's next instruction touches.
std::span<const TraceLine> global_lines(const Simulation& s, uint32_t warp) {
  const WarpCursor& cursor = s.warps[warp].cursor;
  const Decoded* in = cursor.current();
  if (!in || in->queue != Queue::Memory) return {};
  const TraceAccess* access = cursor.access();
  if (!access || access->space != AddressSpace::Global) return {};
  return cursor.lines(*access);
}

void prefetch_warp(const Simulation& s, uint32_t index) {
  prefetch(&s.warps[index], kOften);
  prefetch(s.registers_of(index), s.code.scoreboard_lines * sizeof(RegisterLine));
}

}  // namespace

void prefetch_events(const Simulation& s) {
  if (const uint32_t part = s.events.peek(kWarp); part != EventQueue::kNoUnit) {
    prefetch_warp(s, s.chosen[part].warp);
    prefetch(&s.parts[part]);
  }
  if (const uint32_t part = s.events.peek(kAccess); part != EventQueue::kNoUnit) {
    const Warp& chosen = s.warps[s.chosen[part].warp];
    s.parts[part].warps.prefetch();
    prefetch(chosen.cursor.upcoming());
    const Decoded* in = chosen.cursor.current();
    if (chosen.cursor.leaves_block() || (in && in->queue != Queue::None))
      prefetch(reinterpret_cast<const char*>(&chosen) + kOften, sizeof(Warp) - kOften);
  }
  if (const uint32_t part = s.events.peek(kLines); part != EventQueue::kNoUnit) {
    const WarpCursor& cursor = s.warps[s.chosen[part].warp].cursor;
    if (cursor.leaves_block()) prefetch(cursor.behind());
    const std::span<const TraceLine> lines = global_lines(s, s.chosen[part].warp);
    prefetch(lines.data(), lines.size_bytes());
  }
  if (const uint32_t part = s.events.peek(kL1); part != EventQueue::kNoUnit)
    s.memory.prefetch_l1(s.sm_of(part), global_lines(s, s.chosen[part].warp));
  if (const uint32_t part = s.events.peek(kL2); part != EventQueue::kNoUnit)
    s.memory.prefetch_l2(s.sm_of(part), global_lines(s, s.chosen[part].warp));
}

void prefetch_requests(const Simulation& s, const std::deque<Request>& waiting) {
  constexpr size_t kRecorded = 3, kTags = 1;
  if (waiting.size() > kRecorded) {
    const Request& request = waiting[kRecorded];
    __builtin_prefetch(request.access);
    prefetch(request.lines.data(), request.lines.size_bytes());
    prefetch_warp(s, request.warp);
  }
  if (waiting.size() > kTags)
    if (const Request& request = waiting[kTags]; request.access && request.access->space == AddressSpace::Global)
      s.memory.prefetch_l1(s.sm_of(request.part), request.lines);
}

// The lines of a warp's next access follow those of this one; usually there are as many.
void prefetch_following(std::span<const TraceLine> lines) { prefetch(lines.data() + lines.size(), lines.size_bytes()); }

}  // namespace drywarp::sm
