// What observers are told of accesses to memory, and of the values that go there and come back.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/access/access_pattern.h"
#include "base/access/memory_order.h"
#include "base/events/counts.h"
#include "base/events/value_test.h"

namespace drywarp::observe {

// Of a load, or an exchange: bytes that an observer does not know, and its own number for what it would say of them.
// Of a value that several make unknown, the numbers below kSpeaksLast come first.
inline constexpr uint32_t kSpeaksLast = uint32_t{1} << 31;
struct UnknownBytes {
  LaneMask lanes = 0;
  uint32_t origin = 0;
  uint32_t bytes[kWarpSize];  // of those lanes: a bit each
};

// Lanes have stored bytes that an observer does not know: they are as unknown there. In memory that is their block's or
// their own nothing else is said of it; of global memory UnknownUse follows. Told after the store's Access.
struct UnknownStore {
  uint32_t warp = 0;
  Memory memory = Memory::Shared;
  const uint64_t* places = nullptr;  // as Access has them; of global memory its addresses
  UnknownBytes what;
};

// An argument of a function that is really called, or what it gives: by the code that calls it, and the call's
// instruction there.
struct CallValue {
  const void* caller = nullptr;
  uint32_t call = 0;
  bool is_result = false;
  uint32_t number = 0;
  bool operator==(const CallValue&) const = default;
};

// Lanes access one memory, before the access itself: addresses need not be valid.
struct Access {
  uint32_t warp = 0;
  uint32_t access = 0;  // in LaunchCounts::accesses; as InstructionInfo::access
  Memory memory = Memory::Global;
  bool generic = false;    // the instruction names no state space
  bool call_slot = false;  // local memory that passes arguments and results of calls, which calls write too
  bool early = false;      // a load whose value only some lanes go on to use, who are in BlockObserver::used() then
  bool replaces = false;   // an atomic that writes a new value whatever was there: an exchange
  AccessKind kind = AccessKind::Load;
  MemoryOrder order = MemoryOrder::Weak;
  MemoryScope scope = MemoryScope::None;
  uint32_t bytes = 0;  // a lane
  LaneMask lanes = 0;
  // Of each lane in `lanes`. Global: from the start of the device's memory; shared: of the block's; local: of the
  // thread's own. The same in every run.
  const uint64_t* places = nullptr;
  const uint64_t* addresses = nullptr;  // as the program sees them
  // What a store writes: 32 lanes of its first element, then of the next; null: no store, or not asked for.
  const uint8_t* values = nullptr;
  uint32_t element_bytes = 0;        // of `values`
  bool remote = false;               // Memory::Shared, of other blocks of the cluster: `places` are in theirs
  const uint64_t* owners = nullptr;  // if so: which ones, by lane
  // Of a load, or an atomic that leaves its word as it is, whose value is only tested; null: it is looked at in other
  // ways, or values are not asked for.
  const TestedLanes* tested = nullptr;
  // The same, but that the value goes on, as `goes_to`, to where it may be looked at, too: Followed tells of that.
  const TestedLanes* followed = nullptr;
  CallValue goes_to;
  // For one observer to fill in, one for each number, where the value that was there is followed; null: it is not.
  std::vector<UnknownBytes>* unknown = nullptr;
};

// A lane accesses one memory with an instruction whose accesses are no plain ones: a copy of many bytes, or a product
// of matrices in shared memory. Told as Access is, and instead of it; needs RunEvents::accesses.
struct BulkAccess {
  struct Piece {
    uint64_t place = 0, address = 0;  // as Access has them, of the first byte
    uint32_t bytes = 0;
    uint64_t owner = 0;  // if it is remote
  };
  uint32_t warp = 0;
  uint32_t access = 0;
  Memory memory = Memory::Global;
  AccessKind kind = AccessKind::Load;
  bool remote = false;  // as Access has it
  uint32_t lane = 0;
  std::span<const Piece> pieces;
};
// The same as plain accesses of a few bytes each.
void as_accesses(const BulkAccess& bulk, const std::function<void(const Access&)>& tell);

// Lanes of a shuffle read lanes that take no part in it: what they get is undefined. `origin` is for one observer to
// fill in, as in UnknownBytes.
struct InactiveSource {
  uint32_t warp = 0;
  LaneMask lanes = 0;                                              // that read them
  uint32_t from = 0;                                               // the one that the lowest of them reads
  uint32_t ptx_line = 0, file = InstructionInfo::kNone, line = 0;  // of the instruction, as in Denial
  std::optional<uint32_t>* origin = nullptr;
};

// Lanes use a value that has unknown bytes.
struct UnknownUse {
  enum class How : uint8_t { Branch, Address, Store, Atomic, Exchange, Call };
  uint32_t warp = 0;
  How how = How::Branch;
  uint32_t origin = 0;  // as UnknownBytes has it
  LaneMask lanes = 0;
  uint32_t ptx_line = 0, file = InstructionInfo::kNone, line = 0;  // of the instruction, as in Denial
};

// A value that is only tested has come to a function, or back from one.
struct Followed {
  uint32_t warp = 0;
  LaneMask lanes = 0;
  CallValue as, goes_to;  // `goes_to`: if its test goes on
  const TestedLanes* tested = nullptr;
};

// An atomic has run. Told after its Access.
struct Outcome {
  uint32_t warp = 0;
  uint32_t access = 0;  // as Access::access
  LaneMask lanes = 0;
  LaneMask wrote = 0;  // of those, all but the lanes whose compare-and-swap failed
  // Of an exchange whose result is used: lanes that found another value there than they wrote.
  LaneMask replaced = 0;
  const uint8_t* values = nullptr;  // and what they wrote, an element of Access::bytes a lane
  const uint64_t* after = nullptr;  // what the lane's place had behind it, by lane; null: more than 64 bits
};

}  // namespace drywarp::observe
