// What a kernel's code can report while it runs, to whatever observes the run (engine/observe/observer.h).
#pragma once

#include <compare>
#include <cstdint>

namespace drywarp {

// A set of events.
struct RunEvents {
  bool steps = false;     // a warp, or a diverged part of one, begins a basic block
  bool accesses = false;  // a warp accesses memory: every lane's address
  bool barriers = false;  // lanes arrive at a barrier of their block
  auto operator<=>(const RunEvents&) const = default;
  explicit operator bool() const { return *this != RunEvents(); }
  RunEvents operator|(const RunEvents& o) const {
    return {steps || o.steps, accesses || o.accesses, barriers || o.barriers};
  }
};

// How an access uses its memory. Swap: an atomic that a GPU runs as a loop of compare-and-swap. Copy: the write of an
// asynchronous copy.
enum class AccessKind : uint8_t { Load, Store, Atomic, Swap, Copy, CopyPastL1 };

}  // namespace drywarp
