// What a kernel's code can report while it runs, to whatever observes the run (engine/observe/observer.h).
#pragma once

#include <compare>
#include <cstdint>

namespace drywarp {

// A set of events.
struct RunEvents {
  bool steps = false;       // a warp, or a diverged part of one, begins a basic block
  bool accesses = false;    // a warp accesses memory: every lane's address
  bool barriers = false;    // lanes arrive at a barrier of their block; it completes
  bool values = false;      // beside accesses: what stores write
  bool outcomes = false;    // atomics have run: which lanes' took effect
  bool warp_syncs = false;  // lanes synchronize with others of their warp: __syncwarp(), shuffles, votes
  bool mbarriers = false;   // lanes use a barrier object in memory
  bool fences = false;      // a fence orders what lanes access
  bool copies = false;      // lanes group asynchronous copies, and wait for them
  bool exits = false;       // lanes end
  bool heap = false;        // lanes call malloc() or free()
  bool flows = false;       // loads whose bytes an observer does not know: their values are followed to their use
  // Lanes access what they may not: they leave the access out, and the launch goes on. What hits another variable of
  // shared memory than it is computed from happens, as on a GPU.
  bool denials = false;
  bool parts = false;       // beside accesses: of which bytes a compare-and-swap of a word is (analysis::WordPart)
  bool constants = false;   // beside accesses: loads of constants whose lanes may load different words
  bool rare_cases = false;  // divisions and roots of operands for which machine code calls a subroutine
  bool matches = false;     // match.any: how many different values lanes have
  // A warp pauses before each poll for what other blocks write, and behind the last: blocks that run in turn poll in
  // turn.
  bool polls = false;
  // Beside denials: the pointer of a table from which an address is computed, and where wmma's matrices lie. Of the
  // engine: only in kernels that have such addresses.
  bool pointers = false;
  auto operator<=>(const RunEvents&) const = default;
  explicit operator bool() const { return *this != RunEvents(); }
  [[nodiscard]] RunEvents operator|(const RunEvents& other) const;
  // Those that a kernel's code reports itself. The engine knows of the others without its help.
  [[nodiscard]] RunEvents of_code() const;
  [[nodiscard]] uint32_t bits() const;  // one each
};

inline constexpr bool RunEvents::* kRunEvents[] = {
    &RunEvents::steps,      &RunEvents::accesses,  &RunEvents::barriers, &RunEvents::values,   &RunEvents::outcomes,
    &RunEvents::warp_syncs, &RunEvents::mbarriers, &RunEvents::fences,   &RunEvents::copies,   &RunEvents::exits,
    &RunEvents::heap,       &RunEvents::flows,     &RunEvents::denials,  &RunEvents::parts,    &RunEvents::constants,
    &RunEvents::rare_cases, &RunEvents::matches,   &RunEvents::polls,    &RunEvents::pointers,
};

inline RunEvents RunEvents::operator|(const RunEvents& other) const {
  RunEvents all = *this;
  for (bool RunEvents::* event : kRunEvents) all.*event |= other.*event;
  return all;
}

inline RunEvents RunEvents::of_code() const {
  RunEvents reported = *this;
  reported.mbarriers = reported.heap = false;
  return reported;
}

inline uint32_t RunEvents::bits() const {
  uint32_t set = 0;
  for (unsigned i = 0; bool RunEvents::* event : kRunEvents) set |= uint32_t{this->*event} << i++;
  return set;
}

// How an access uses its memory. Swap: an atomic that a GPU runs as a loop of compare-and-swap. Copy: the write of an
// asynchronous copy.
enum class AccessKind : uint8_t { Load, Store, Atomic, Swap, Copy, CopyPastL1 };

}  // namespace drywarp
