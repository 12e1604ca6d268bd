// What observers are told of accesses that lanes may not do.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/access/access_pattern.h"
#include "base/access/address_space.h"
#include "base/events/counts.h"

namespace drywarp::observe {

// A variable in the block's shared memory.
struct SharedVariable {
  std::string name;  // as the code has it, mangled
  uint64_t first = 0, end = 0;
  bool dynamic = false;  // extern: it ends with the block's shared memory
  uint64_t padding = 0;  // before it, and before all in front of it, that a GPU does not have
};

// An array in the local memory of a kernel or a function, as code compiled for checks names it: at offsets [begin, end)
// in the memory of these lanes, with padding from `first` on before it, and up to `last` behind it.
struct LocalArray {
  uint64_t first = 0, begin = 0, end = 0, last = 0;
  LaneMask lanes = 0;
  std::string name;  // as the program has it; empty: not known
};

// Lanes would access what they may not. They leave the access out: a load gives 0.
struct Denial {
  // BadFree: free() of what malloc() did not give, or of what is free already. BadCopy: of many bytes by one thread,
  // as no instruction can do it, see `rule`. BadMatrix: a matrix of wmma, likewise; its lanes access it all the same.
  enum class Why : uint8_t { OutOfBounds, Misaligned, ReadOnly, NotPermitted, BadFree, BadCopy, BadMatrix, Count };
  uint32_t warp = 0;
  uint32_t ptx_line = 0;                             // of the instruction
  uint32_t file = InstructionInfo::kNone, line = 0;  // likewise, as in InstructionInfo
  AddressSpace space = AddressSpace::Global;         // that the instruction names
  AccessKind kind = AccessKind::Load;
  Why why = Why::OutOfBounds;
  uint32_t bytes = 0;  // a lane
  LaneMask lanes = 0;
  const uint64_t* places = nullptr;     // of those lanes: as Access::places
  const uint64_t* addresses = nullptr;  // likewise, as the program sees them
  uint64_t size = 0;                    // shared, local, parameters: the bytes that the block, thread or kernel has
  // Misaligned: of which the address must be a multiple; 0: of `bytes`. BadMatrix: 0 if a GPU does it all the same.
  uint32_t unit = 0;
  std::string_view rule;  // BadCopy, BadMatrix: what is wrong with it
  // An address that the instruction could access, in this request or an earlier one; 0: none.
  uint64_t beside = 0;
  // Where generic addresses of the block's shared memory and of its threads' local memories are.
  struct Range {
    uint64_t base = 0, bytes = 0;
  };
  uint64_t shared_padding = 0;        // of shared_memory.bytes, what lies between variables
  Range shared_memory, local_memory;  // local_memory: of all threads, whole warps; `bytes` of one thread
  // The variables in the block's shared memory, in order, as they lie there: with padding, which is part of
  // shared_memory.bytes and of no `places`. And the one from which the address is computed. Null: that is not known, or
  // there is no other.
  std::span<const SharedVariable> variables;
  const SharedVariable* variable = nullptr;
  std::span<const LocalArray> local_arrays;  // those that are known, of any lanes of the warp
  // Which shared memory of the block's cluster lanes miss, by lane, and `places` are offsets in it; empty: none. Null:
  // the block is in no cluster.
  const std::string* cluster = nullptr;
};

}  // namespace drywarp::observe
