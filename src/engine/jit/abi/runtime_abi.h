// The interface between generated code and the engine: the layout of a running warp, and the functions that generated
// code calls. Generated code accesses these structs by offset, so all of them are plain data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/access/access_pattern.h"
#include "base/access/address_space.h"
#include "base/events/counts.h"

namespace drywarp::jit {

// The cached cost of affine accesses with these strides, this alignment and this mask.
struct AccessMemo {
  uint64_t key = 0;  // mask << 32 | alignment bits of the base; a mask is never 0
  int64_t stride1 = 0, stride2 = 0;
  uint64_t hits = 0;  // accesses that cost `each`, not yet added to the site's total
  AccessCounts each;
};

inline constexpr unsigned kMemoBits = 4;
// The index of an access's memo in its site. Generated code computes the same.
constexpr uint64_t memo_hash(uint64_t key, uint64_t stride1, uint64_t stride2) {
  return (key + stride1 + stride2 * 3) * 0x9e3779b97f4a7c15 >> (64 - kMemoBits);
}

// The low bits of a shared address that an access's cost can depend on. `period`: SharedBanks::period(). The cost of
// copies that bypass L1 also depends on the position in the line.
constexpr uint32_t shared_alignment(uint32_t period, SharedOp op) {
  return (period - 1) | (op == SharedOp::CopyPastL1 ? kLineBytes - 1 : 0);
}

// The cached cost of accesses that are not affine, by the distances of the lanes from the first. Used by the engine.
struct PatternMemo {
  alignas(64) uint32_t from_first[32];
  uint32_t mask = 0;   // 0: the memo is empty
  uint32_t place = 0;  // the first lane's offset in its sector or word
  uint64_t hits = 0;   // as in AccessMemo
  AccessCounts each;
};

inline constexpr unsigned kPatternMemoBits = 5;
struct PatternMemos {
  int32_t worth = 0;   // rises with each access that a memo knew, falls with each other
  uint32_t pause = 0;  // so many accesses are not looked up, since memos knew too few
  PatternMemo memos[1u << kPatternMemoBits];
};

// The state of one memory instruction in one worker. A generic access has three, in the order of Memory. Accesses
// repeat: the window holds the addresses that need no further check, the memos hold costs, so the usual access takes
// two comparisons and one addition.
struct AccessSite {
  uint64_t window_base = 1, window_end = 0;  // [base, end): inside one live allocation
  AccessCounts total;
  AccessMemo memos[1u << kMemoBits];
  PatternMemos* patterns = nullptr;  // allocated by the first access that is not affine
};

// An entry of the divergence stack. The lanes of `second_mask` wait to run from block `second`. Then the lanes of
// `full_mask` that have not exited continue at the reconvergence point.
struct Divergence {
  uint32_t reconvergence, second;
  uint32_t second_mask, full_mask;
};

// The number by which generated code names the barrier of the cluster; the block's own have 0 to 15.
inline constexpr uint32_t kClusterBarrier = 1u << 16;
// What an address of .shared::cluster has above it is the rank of the block, on an H100 too.
inline constexpr unsigned kSharedWindowBits = 24;

// The part of a block's shared memory that CUDA reserves. Cooperative groups exchange values in its first bytes.
inline constexpr uint32_t kReservedShared = 1024, kReservedSharedUsed = 288;

// Each entry has fewer lanes than the one below, so 32 lanes cannot fill the stack.
inline constexpr unsigned kMaxDivergence = 64;
inline constexpr uint32_t kExitBlock = ~0u;  // as ir::kExit
// The address of a device function. No memory has such an address.
constexpr uint64_t function_token(uint32_t function) { return 0xdf00'0000'0000'0000 | uint64_t{function} << 4; }
constexpr bool is_function_token(uint64_t value) { return value >> 56 == 0xdf && (value & 15) == 0; }
constexpr uint32_t function_of_token(uint64_t value) { return static_cast<uint32_t>(value >> 4); }

struct WarpContext {
  const uint8_t* parameters;  // the kernel's parameter buffer
  const uint64_t* symbols;    // address of every module-scope variable, by SymbolId
  uint8_t* shared;            // the block's shared memory; generic shared addresses point into it
  uint8_t* cluster_shared;    // that of the first block of its cluster; `shared`, if no code uses clusters
  uint64_t shared_bytes;      // static + dynamic + the reserved part, if the kernel reads that one's address
  uint8_t* local;             // lane l's local memory starts at local + l * local_stride
  uint64_t local_stride;
  uint64_t local_window;  // bytes from `local` on, to the last lane's end, that need no further check; or none
  uint32_t ctaid[3], nctaid[3];
  // Of clusters: their index and number in the grid; the block's index in its own, and how many these have.
  uint32_t clusterid[3], nclusterid[3], cluster_ctaid[3], cluster_nctaid[3];
  uint32_t cluster_ctarank, cluster_nctarank, is_explicit_cluster;
  const uint32_t* tid[3];   // thread index of every lane
  uint32_t warp;            // in the block
  uint32_t live;            // lanes that exist in this warp
  uint32_t exited;          // lanes that have ended
  uint32_t exchange_peers;  // group form: lanes that take part in the running block's exchange from other blocks
  uint32_t loop_checks;     // checks of a loop that may wait for lanes of this warp: see dw_back_edge
  uint32_t left_loop;       // has begun a function, or left a loop that others alone can end: see block_runner.cpp
  uint32_t ahead;           // passed a barrier; the block's other warps may still have to read: dw_let_others_read
  uint32_t turns;           // in which loops the warp takes turns (dw_take_turn): kBlockTurns, kGridTurns, kLaneTurns
  uint32_t unknown;         // registers of this warp hold bytes that an observer does not know: dw_flow
  // At a call: depth of the divergence stack, lanes that execute the call, lanes that have left the calling function.
  uint32_t depth, running, returned;
  uint32_t dynamic_shared_bytes, static_shared_bytes;
  uint32_t program_shared_bytes;  // static + dynamic
  uint32_t envreg[2];
  uint64_t grid_id;
  BlockCounts* blocks;
  PredicateCounts* predicates;
  BranchCounts* branches;
  AccessSite* sites;
  uint64_t* clock;               // cycles: see dw_clock
  uint8_t* registers;            // register file of the lane-group scheduler; null if the kernel cannot need it
  uint64_t frame;                // group form: offset of the function's part in local memory
  const uint8_t* watched_loads;  // watched code: a byte for each instruction; not 0: it calls dw_watch
  // Of the access that is about to be checked, by lane: the loaded pointer that its address is computed from; null: it
  // is not followed.
  const uint64_t* origins;
  Divergence divergence[kMaxDivergence];
};

// Racing loops on shared memory, or on global memory; loops with a YIELD, for the lanes of a warp.
inline constexpr uint32_t kBlockTurns = 1, kGridTurns = 2, kLaneTurns = 4;
inline constexpr uint32_t kEachPoll = 1u << 8;  // see dw_back_edge
// dw_flow: the instruction's predicate alone.
inline constexpr uint32_t kGuardAlone = 1u << 31;
enum class BarrierKind : uint32_t { Sync, Arrive, RedPopc, RedAnd, RedOr };
enum class TrapReason : uint32_t { Trap, Breakpoint, Unsupported, BadBranchIndex };
enum class MbarrierKind : uint32_t {
  Init,
  Inval,
  Arrive,
  ArriveDrop,
  ArriveNoComplete,
  ArriveDropNoComplete,
  TestWait,
  TestWaitParity,
  TryWait,
  TryWaitParity,
  PendingCount,
  ExpectTx,
  CompleteTx,
  ArriveExpectTx
};
// How a watched access uses memory that all blocks share.
enum class WatchKind : uint32_t { Load, Store, Atomic };
enum class ClockKind : uint32_t { Clock64, GlobalTimer, SmId, NsmId };

// An entry point: runs the lanes of `mask` of a warp from the function's start to its end. `frame`: offset of the
// function's part in local memory.
using WarpFunction = void (*)(WarpContext*, uint32_t mask, uint64_t frame);
// The same function for the lane-group scheduler: runs one block for the lanes of `mask` and reports through dw_group_*
// where they continue.
using GroupFunction = void (*)(WarpContext*, uint32_t block, uint32_t mask);

// A function that generated code calls, by its C++ type.
template <class Signature>
struct RuntimeFunction {
  const char* name;
};
namespace runtime {
#define DW_RUNTIME(name, result, parameters) inline constexpr RuntimeFunction<result parameters> name{"dw_" #name};
#include "engine/jit/abi/runtime_functions.def"
}  // namespace runtime

}  // namespace drywarp::jit
