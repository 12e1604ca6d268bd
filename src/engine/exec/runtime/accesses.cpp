#include "engine/exec/runtime/accesses.h"

#include <algorithm>
#include <bit>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/denied_accesses.h"
#include "engine/exec/runtime/local_memory.h"

namespace drywarp::exec {

namespace {

using Why = observe::Denial::Why;

// See FollowedPointers::left().
uint64_t other_pointer(const Access& a, uint64_t address, const Window& in) {
  const analysis::PointerSources& pointers = a.warp.inside->code->pointers;
  if (pointers.of.empty() || pointers.of[a.instruction] == ir::kNone) return 0;
  return a.warp.worker->launch->followed.left(pointers.of[a.instruction], address, in.base, in.end);
}

// Keeps the fault that the program sees after the launch.
void keep_fault(const Access& a, Why why, LaneMask lanes) {
  note_denial(a.warp, [&] { return bad_access(a, static_cast<uint32_t>(std::countr_zero(lanes)), why); });
}

// Beside the padding of the arrays in which the lane is, too.
bool own_local(const Warp& warp, uint32_t lane, uint64_t address, uint64_t bytes) {
  if (!in_own_local(warp, lane, address, bytes)) return false;
  const uint64_t own = reinterpret_cast<uint64_t>(warp.local) + lane * warp.local_stride;
  const uint64_t first = address - own, end = first + bytes;
  return std::ranges::none_of(warp.local_arrays, [&](const observe::LocalArray& a) {
    const bool beside = (first < a.begin && end > a.first) || (first < a.last && end > a.end);
    return beside && (a.lanes >> lane & 1) != 0;
  });
}

bool permits(const Window& window, const Access& a) {
  return (window.may & (a.atomic ? kMayAtomic : a.store ? kMayWrite : kMayRead)) != 0;
}

}  // namespace

Window check_lanes(Access& a, bool* all_in_one) {
  const bool spares = a.sparable && a.warp.owner->spares;
  Window window, first;
  LaneMask denied[static_cast<size_t>(Why::Count)] = {}, strays = 0, elsewhere = 0;
  LaneMask lost = 0;  // strays without an effect
  bool none = true;
  uint64_t left_pointer = 0;
  *all_in_one = true;
  for (uint32_t left = a.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t address = a.addresses[lane];
    const auto refuse = [&](Why why) {
      if (!spares) raise(a.warp, bad_access(a, lane, why));
      denied[static_cast<size_t>(why)] |= 1u << lane;
    };
    // As a GPU does, before it looks where the address is.
    if ((address & (a.bytes - 1)) != 0) {
      refuse(Why::Misaligned);
      continue;
    }
    Window here = window;
    const FollowedPointers& followed = a.warp.worker->launch->followed;
    const uint64_t origin = spares && a.origins ? a.origins[lane] : 0;
    const auto holds = [&](const Window& w) {
      return w.memory == Memory::Local ? own_local(a.warp, lane, address, a.bytes) : w.holds(address, a.bytes);
    };
    if (!holds(here)) {
      auto found = find_window(a.warp, a.space, address, a.bytes);
      if (found && !holds(*found)) found.reset();
      const Passage passage = found ? Passage::None : passage_of(a, lane);
      if (passage != Passage::None) strays |= 1u << lane, *all_in_one = false;
      if (passage == Passage::Lost) {
        lost |= 1u << lane;
        continue;
      }
      if (passage == Passage::Elsewhere) a.elsewhere |= 1u << lane, found = local_window(a.warp);
      if (!found && origin != 0 && followed.names(origin)) left_pointer = origin;
      if (!found) {
        refuse(Why::OutOfBounds);
        continue;
      }
      here = *found;
      if (here.memory == Memory::Shared && !here.stray && !here.remote) {
        // In the block's memory, but in another variable, or beside all of them.
        const Window variable = variable_window(a.warp, a.instruction, address);
        if (!variable.holds(address, a.bytes)) {
          elsewhere |= 1u << lane, *all_in_one = false;
          if (none) first = here, none = false;
          continue;
        }
        here = variable;
      }
      if (spares && here.memory == Memory::Global && !here.stray)
        if (const uint64_t pointer = other_pointer(a, address, here); pointer != 0) {
          left_pointer = pointer;
          refuse(Why::OutOfBounds);
          continue;
        }
      if (a.store && !here.writable) {
        refuse(Why::ReadOnly);
        continue;
      }
      if (!permits(here, a)) {
        refuse(Why::NotPermitted);
        continue;
      }
    }
    const bool leaves = origin != 0 && here.memory == Memory::Global && !here.stray && !here.holds(origin, 0) &&
                        followed.leaves(origin, address);
    if (leaves) {
      left_pointer = origin;
      refuse(Why::OutOfBounds);
      continue;
    }
    // A stray window is never kept, so that each stray access is noted.
    if (here.stray) strays |= 1u << lane, *all_in_one = false;
    if (none)
      first = here, none = false;
    else if (here.base != window.base)
      *all_in_one = false;
    window = here;
  }
  uint64_t beside = a.site ? a.site->window_base : 0;
  LaneMask could = a.mask;
  for (const LaneMask lanes : denied) could &= ~lanes;
  if (could != 0) beside = a.addresses[std::countr_zero(could)];
  if (left_pointer != 0) beside = left_pointer;
  for (const Why why : {Why::OutOfBounds, Why::Misaligned, Why::ReadOnly, Why::NotPermitted}) {
    const LaneMask lanes = denied[static_cast<size_t>(why)];
    a.mask &= ~lanes;
    if (lanes != 0) keep_fault(a, why, lanes);
    const LaneMask told = lanes | (why == Why::OutOfBounds ? elsewhere : 0);
    if (told != 0) tell_denial(a, why, told, beside);
  }
  if (strays != 0) note_strays(a, strays, lost);
  a.mask &= ~lost;
  return first;
}

Window check(Access& a, bool* all_in_one) {
  Window window = check_lanes(a, all_in_one);
  const bool keeps = a.mask != 0 && *all_in_one && window.memory == Memory::Global && a.space != AddressSpace::Param &&
                     (window.counted || a.space == AddressSpace::Const);
  if (a.site && keeps) a.site->window_base = window.base, a.site->window_end = window.end;
  return window;
}

}  // namespace drywarp::exec
