// Watches a launch while it runs. Counters are not observers: generated code has them inlined.
//
// An observer names the events that it wants and the blocks that it watches. The engine runs those blocks in code that
// reports the events; all other blocks run plain code, which costs what it costs without observers. Blocks run in
// parallel: an Observer is thread-safe, and a BlockObserver is told by one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/access/access_pattern.h"
#include "base/access/address_space.h"
#include "base/access/memory_order.h"
#include "base/events/barrier_note.h"
#include "base/events/counts.h"
#include "base/events/run_events.h"
#include "base/events/value_test.h"

namespace drywarp::observe {

// Warps count from 0 in their block, code blocks as in LaunchCounts::blocks. Of events of one warp, the earlier one is
// told first. An event needs its field in RunEvents; an
// observer may be told of others too, which another observer wants or which the engine knows anyway.

// Lanes begin a basic block of the code.
struct Step {
  uint32_t warp = 0;
  uint32_t code_block = 0;
  LaneMask lanes = 0;
};

// Of a load, or an exchange: bytes that an observer does not know, and its own number for what it would say of them.
struct UnknownBytes {
  LaneMask lanes = 0;
  uint32_t origin = 0;
  uint32_t bytes[kWarpSize];  // of those lanes: a bit each
};

// Lanes have stored bytes that an observer does not know, in memory that is their block's or their own: nothing is said
// of it, and the bytes are as unknown there. Told after the store's Access.
struct UnknownStore {
  uint32_t warp = 0;
  Memory memory = Memory::Shared;
  const uint64_t* places = nullptr;  // as Access has them
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

// Lanes arrive at a barrier of their block, or wait for their cluster (jit::kClusterBarrier).
struct Arrival {
  uint32_t warp = 0;
  uint32_t code_block = 0;  // the barrier is its first instruction
  uint32_t barrier = 0;
  uint32_t threads = 0;  // that it waits for; 0: the whole block
  bool waits = true;     // false: bar.arrive
  LaneMask lanes = 0;
};

// A barrier of the block completes: the lanes that wait there continue.
struct Release {
  uint32_t barrier = 0;
  std::span<const LaneMask> lanes;    // that waited, by warp
  const BarrierNote* note = nullptr;  // threads of the block never arrived; null: they all did, or are not awaited
};

// Lanes reach a __syncwarp(), or an exchange whose members wait for each other: shfl.sync, vote.sync, match, redux,
// elect.
struct WarpSync {
  uint32_t warp = 0;
  uint32_t code_block = 0;  // it is the first instruction
  bool exchange = false;    // which orders no memory
  LaneMask lanes = 0;
  LaneMask exited = 0;  // lanes of the warp that have ended, or never were
  // Lanes that execute the same exchange at another place in the program.
  LaneMask peers = 0;
  const LaneMask* members = nullptr;  // the mask that each lane of `lanes` names
};

// Lanes that waited for each other at a WarpSync continue together.
struct WarpRelease {
  uint32_t warp = 0;
  bool exchange = false;  // which orders no memory
  LaneMask lanes = 0;
};

// Lanes have used a barrier object (mbarrier). Told after it, lane by lane.
struct Mbarrier {
  // Expect and Complete: of bytes that are to come, and that have.
  enum class Use : uint8_t { Init, Inval, Arrive, Expect, Complete, Wait };
  struct State {
    bool valid = false;
    uint32_t phase = 0;        // its lowest bit
    uint32_t expected = 0;     // arrivals a phase
    uint32_t pending = 0;      // arrivals that the phase still waits for
    int32_t transactions = 0;  // bytes likewise; less than 0: more have come than were expected
    bool operator==(const State&) const = default;
  };
  uint32_t warp = 0;
  Use use = Use::Wait;
  uint32_t lane = 0;
  uint64_t address = 0;
  uint32_t place = 0;                             // in the block's shared memory
  uint32_t instruction = InstructionInfo::kNone;  // in KernelInfo::instructions; kNone: the engine's own use
  bool passed = false;                            // Wait: the phase had completed
  LaneMask lanes = 0;                             // that execute the instruction, the lowest one first
  uint32_t count = 0;       // Init, Arrive: arrivals; Expect, Complete: bytes; Wait: the phase's lowest bit
  bool tokens = false;      // Wait: for the phase of the lane's own arrival
  bool completes = true;    // Arrive: the program allows it to complete the phase
  bool releases = false;    // Complete: of the bytes that the lane itself has stored (st.async)
  bool in_cluster = false;  // of several blocks
  bool remote = false;      // the object is in another block of it
  State before, after;
  uint32_t ptx_line = 0, file = InstructionInfo::kNone, line = 0;  // of the instruction, as in Denial
  [[nodiscard]] bool ends_phase() const { return use != Use::Init && after.valid && before.phase != after.phase; }
};

// Lanes end a group of their asynchronous copies (Commit), wait for all but their last `pending` groups (Wait), or let
// a barrier object wait for their copies so far (Arrive). Copies that the engine has done at once are complete for a
// program only then.
struct CopyUse {
  enum class Use : uint8_t { Commit, Wait, WaitAll, Arrive };
  uint32_t warp = 0;
  Use use = Use::Commit;
  uint32_t pending = 0;  // Wait
  LaneMask lanes = 0;
  const uint64_t* addresses = nullptr;  // Arrive: the objects, by lane
  bool remote = false;                  // likewise: they are in other blocks of the cluster
};

// Lanes arrive at the barrier of their cluster, or pass it: all threads of the cluster have arrived.
struct ClusterBarrier {
  uint32_t warp = 0;
  bool passes = false;
  MemoryOrder order = MemoryOrder::Release;  // of an arrival
  LaneMask lanes = 0;
  uint64_t cluster = 0;  // its first block
  uint64_t phase = 0;
  bool first = false;  // no other thread of the cluster has arrived in this phase yet
};

// Another block of the cluster writes into the shared memory of this one. What one block does in another's is told to
// the one that does it as an Access or a BulkAccess that is `remote`, and to the other as this alone.
struct RemoteWrite {
  uint32_t bytes = 0;
  uint64_t place = 0;   // as Access has it
  uint32_t offset = 0;  // as Mbarrier has its place
};

struct Fence {
  uint32_t warp = 0;
  uint32_t code_block = 0;
  MemoryOrder order = MemoryOrder::Sc;
  MemoryScope scope = MemoryScope::None;
  LaneMask lanes = 0;
};

// Lanes end.
struct Exit {
  uint32_t warp = 0;
  uint32_t code_block = 0;
  LaneMask lanes = 0;
};

// A lane has got memory of the device's heap, or frees it.
struct HeapUse {
  uint32_t warp = 0, lane = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;                                              // 0: it is freed
  uint32_t ptx_line = 0, file = InstructionInfo::kNone, line = 0;  // of the call, as in Denial
};

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

// Lanes load constants at addresses that they compute.
struct ConstantLoad {
  uint32_t warp = 0;
  uint32_t access = 0;  // as Access has it
  LaneMask lanes = 0;
  uint32_t words = 0;  // different ones, of four bytes
};

// Lanes divide, or take a root of, operands for which machine code calls a subroutine.
struct RareCases {
  uint32_t warp = 0;
  uint32_t instruction = InstructionInfo::kNone;  // in KernelInfo::instructions
  LaneMask lanes = 0;
  uint32_t cases = 0;  // a bit for each RareCase that they have
};

// Lanes look for others with the same value (match.any).
struct ValueMatch {
  uint32_t warp = 0;
  uint32_t instruction = InstructionInfo::kNone;  // in KernelInfo::instructions
  LaneMask lanes = 0;
  uint32_t values = 0;  // different ones
};

// Of one block.
class BlockObserver {
 public:
  virtual ~BlockObserver() = default;
  virtual void step(const Step&) {}
  virtual void access(const Access&) {}
  virtual void bulk(const BulkAccess&) {}
  virtual void used(const Access&) {}
  virtual void followed(const Followed&) {}
  virtual void unknown_store(const UnknownStore&) {}
  virtual void inactive_source(const InactiveSource&) {}
  virtual void unknown_use(const UnknownUse&) {}
  virtual void outcome(const Outcome&) {}
  virtual void arrival(const Arrival&) {}
  virtual void release(const Release&) {}
  virtual void warp_sync(const WarpSync&) {}
  virtual void warp_release(const WarpRelease&) {}
  virtual void mbarrier(const Mbarrier&) {}
  virtual void cluster_barrier(const ClusterBarrier&) {}
  virtual void written_by_others(const RemoteWrite&) {}
  virtual void fence(const Fence&) {}
  virtual void copies(const CopyUse&) {}
  virtual void exit(const Exit&) {}
  virtual void heap(const HeapUse&) {}
  virtual void denial(const Denial&) {}
  virtual void constant_load(const ConstantLoad&) {}
  virtual void rare_cases(const RareCases&) {}
  virtual void value_match(const ValueMatch&) {}
  [[nodiscard]] bool has_left() const { return left_; }
  // Of a compare-and-swap that is for one or two bytes of a word, and the load before it: whether it is told of
  // accesses to these bytes, and not to the word.
  [[nodiscard]] virtual bool looks_at_parts() const { return false; }

 protected:
  void leave() { left_ = true; }  // it is told nothing more

 private:
  bool left_ = false;
};

// Blocks [first, end) of a grid.
struct BlockRange {
  uint64_t first = ~uint64_t{0}, end = ~uint64_t{0};
};

// How the blocks of a launch run.
struct BlockOrder {
  // It is proven that no block reads or overwrites what another one writes; they may run in any order, on any thread.
  // False: they run on one thread, in one order, the same every time.
  bool independent = false;
  // If they are: the accesses, as Access::access, by which blocks may write one value to the same place, or run atomics
  // there of which one is for its own block alone.
  std::span<const uint32_t> same_writes;
  // Also if they are not: loads, likewise, from an allocation into which nothing in the launch writes.
  std::span<const uint32_t> unwritten;
  // Of a cooperative launch: the address of the word at which its blocks arrive at a barrier of the grid; 0: none.
  uint64_t grid_barrier = 0;
  // The kernel looks at some values by a test alone (Access::tested).
  bool tests = false;
  // The sides of a cluster whose blocks may access each other's shared memory: such blocks are not independent.
  std::array<uint32_t, 3> cluster{1, 1, 1};
};

// Of one launch.
class Observer {
 public:
  virtual ~Observer() = default;
  [[nodiscard]] virtual RunEvents events() const = 0;
  // Whether it wants to be told of the order of blocks; then starts() is called before the first of them begins.
  [[nodiscard]] virtual bool wants_order() const { return false; }
  virtual void starts(const BlockOrder&) {}
  // If blocks poll what others write: how many to run in turn, as a GPU runs those that are resident; 0: as few as it
  // takes.
  [[nodiscard]] virtual uint64_t side_by_side() const { return 0; }
  // Whether warps may take turns in racing loops (analysis/racing_loops) while it watches.
  [[nodiscard]] virtual bool takes_turns() const { return true; }
  // Whether blocks that may meet are to have their turns at atomics on global memory whose value counts: on a GPU they
  // share what such atomics deal out, and the first one does not take it all.
  [[nodiscard]] virtual bool shares_at_atomics() const { return false; }
  // The first blocks at or behind `block` that it watches; an empty range: there are none. Asked again whenever a block
  // is about to begin, so the answer may become smaller while the launch runs.
  [[nodiscard]] virtual BlockRange next(uint64_t block) const = 0;
  // A block that some observer watches begins. Blocks begin in ascending order and end in any order. Null: not watched
  // by this one.
  virtual std::unique_ptr<BlockObserver> begin(uint64_t block) = 0;
  // The block has ended. Blocks that a fault has stopped do not end.
  virtual void end(std::unique_ptr<BlockObserver> block) = 0;
};

}  // namespace drywarp::observe
