// What generated code and the engine share: the layout of a running warp, and the functions that generated code calls.
// Generated code reads and writes these structs by offset; everything here is plain data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/access/access_pattern.h"
#include "base/access/address_space.h"
#include "base/events/counts.h"

namespace drywarp::jit {

// What an affine access with these strides, this alignment and this mask costs.
struct AccessMemo {
  uint64_t key = 0;  // mask << 32 | alignment bits of the base; a mask is never 0
  int64_t stride1 = 0, stride2 = 0;
  uint64_t hits = 0;  // accesses that cost `each`, not yet in the site's total
  AccessCounts each;
};

inline constexpr unsigned kMemoBits = 4;
// Which memo of a site an access looks at. Generated code computes the same.
constexpr uint64_t memo_hash(uint64_t key, uint64_t stride1, uint64_t stride2) {
  return (key + stride1 + stride2 * 3) * 0x9e3779b97f4a7c15 >> (64 - kMemoBits);
}

// The low bits of a shared address that can change what an access costs: `period` is SharedBanks::period(). Lines count
// where copies bypass L1.
constexpr uint32_t shared_alignment(uint32_t period, SharedOp op) {
  return (period - 1) | (op == SharedOp::CopyPastL1 ? kLineBytes - 1 : 0);
}

// What an access of any other pattern costs: the pattern is how far its lanes are from the first one. The engine's own.
struct PatternMemo {
  alignas(64) uint32_t from_first[32];
  uint32_t mask = 0;   // 0: nothing is remembered
  uint32_t place = 0;  // of the first lane: its address in a sector or word
  uint64_t hits = 0;   // as AccessMemo's
  AccessCounts each;
};

inline constexpr unsigned kPatternMemoBits = 5;
struct PatternMemos {
  PatternMemo memos[1u << kPatternMemoBits];
};

// One memory instruction, one of these a worker and a memory (a generic access has three, in the order of Memory).
// Accesses repeat themselves: the window says which addresses need no further check, the memos what they cost, so that
// the usual access is two comparisons and one addition.
struct AccessSite {
  uint64_t window_base = 1, window_end = 0;  // [base, end): inside one live allocation
  AccessCounts total;
  AccessMemo memos[1u << kMemoBits];
  PatternMemos* patterns = nullptr;  // made when the first access comes that is not affine
};

// Lanes that went different ways: `second_mask` still has to run from block `second`; then all of `full_mask` that has
// not exited goes on at block `meeting`.
struct Divergence {
  uint32_t meeting, second;
  uint32_t second_mask, full_mask;
};

// Shared memory of a block that is the system's: CUDA's cooperative groups exchange values in its first bytes.
inline constexpr uint32_t kReservedShared = 1024, kReservedSharedUsed = 288;

inline constexpr unsigned kMaxDivergence =
    64;                                      // each entry has fewer lanes than the one below: 32 lanes cannot fill it
inline constexpr uint32_t kExitBlock = ~0u;  // as ir::kExit
// What the address of a device function is: nothing that memory could hold.
constexpr uint64_t function_token(uint32_t function) { return 0xdf00'0000'0000'0000 | uint64_t{function} << 4; }
constexpr bool is_function_token(uint64_t value) { return value >> 56 == 0xdf && (value & 15) == 0; }
constexpr uint32_t function_of_token(uint64_t value) { return static_cast<uint32_t>(value >> 4); }

struct WarpContext {
  const uint8_t* parameters;  // the kernel's parameter buffer
  const uint64_t* symbols;    // address of every module-scope variable, by SymbolId
  uint8_t* shared;            // the block's shared memory; generic shared addresses point into it
  uint64_t shared_bytes;      // static + dynamic, and the reserved part behind it if the kernel asks where that is
  uint8_t* local;             // lane l's local memory starts at local + l * local_stride
  uint64_t local_stride;
  uint32_t ctaid[3], nctaid[3];
  const uint32_t* tid[3];  // thread index of every lane
  uint32_t warp;           // in the block
  uint32_t live;           // lanes that exist in this warp
  uint32_t exited;         // lanes that have ended
  uint32_t met;            // group form: lanes that take part in the exchange of the running block from elsewhere
  uint32_t loop_checks;    // turns in vain in a loop that may wait for lanes of this warp: see dw_back_edge
  uint32_t ahead;          // came from a barrier and did not yet let the block's other warps read: dw_let_others_read
  // When a function is called: depth of the divergence stack, the lanes that came to the call, and the lanes that have
  // already left the calling function.
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
  uint8_t* registers;            // register file of the lane-group scheduler; null if no lane of the kernel can need it
  uint64_t frame;                // group form: offset of the function's part in local memory
  const uint8_t* watched_loads;  // watched code: a byte an instruction, not 0: dw_watch is to be told
  Divergence divergence[kMaxDivergence];
};

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
// How a traced access uses its memory.
enum class TraceKind : uint32_t { Load, Store, Atomic, Swap, Copy, CopyPastL1 };
// How a watched access uses memory that all blocks share.
enum class WatchKind : uint32_t { Load, Store, Atomic };
enum class ClockKind : uint32_t { Clock64, GlobalTimer, SmId, NsmId };

// An entry point: runs the lanes of `mask` of a warp from the function's start to its end. `frame`: offset of the
// function's part in local memory.
using WarpFunction = void (*)(WarpContext*, uint32_t mask, uint64_t frame);
// The same function for the lane-group scheduler: runs one block for the lanes of `mask` and says through dw_group_*
// where they go.
using GroupFunction = void (*)(WarpContext*, uint32_t block, uint32_t mask);

// The functions that generated code calls: X(name, result and parameter types as letters).
// v void, p pointer, i 32-bit integer, l 64-bit integer. `instruction` is an index into Function::instructions.
#define DW_RUNTIME_FUNCTIONS(X)                                                                                        \
  /* (ctx, site, instruction, space, base, stride1, stride2, width | signed << 8, scale, addend, mask, element bytes,  \
     elements, values): an affine access that window or memo did not know, or whose index wraps around. Checks every   \
     lane, refreshes window and memo, counts and moves. Lane l: scale * extend(base + K1 * stride1 + K2 * stride2) +   \
     addend. */                                                                                                        \
  X(dw_load_affine, "vppiiiiiilliiip")                                                                                 \
  X(dw_store_affine, "vppiiiiiilliiip")                                                                                \
  /* (ctx, site, instruction, space, addresses[32], mask, element bytes, elements, values): any addresses: checks,     \
     counts, moves. Values are element-major: 32 lanes of element 0, then of element 1, ... */                         \
  X(dw_load, "vppiipiiip")                                                                                             \
  X(dw_store, "vppiipiiip")                                                                                            \
  /* (ctx, site, instruction, space, op | type << 8, addresses, mask, a, b, out): out may be null (red) */             \
  X(dw_atomic, "vppiiipippp")                                                                                          \
  /* (..., mask, bytes, SharedOp): one side of an asynchronous copy, as dw_load_affine but moving nothing: the write   \
     of shared memory, or the read of global memory */                                                                 \
  X(dw_check_affine, "vppiiiiiilliii")                                                                                 \
  /* (ctx, site, instruction, space, addresses[32], mask, bytes, SharedOp): the same for any addresses */              \
  X(dw_check_lanes, "vppiipiii")                                                                                       \
  /* (ctx, sites: shared then global, instruction, shared addresses, global addresses, mask, bytes, source bytes[32]   \
     or null for all, SharedOp) */                                                                                     \
  X(dw_copy_async, "vppippiipi")                                                                                       \
  /* (shared addresses, global addresses, mask, bytes): copies what is checked and counted */                          \
  X(dw_copy_lanes, "vppii")                                                                                            \
  /* (ctx, instruction, kind, barrier, threads or 0, mask, predicate mask) -> result of barrier.red */                 \
  X(dw_barrier, "ipiiiiii")                                                                                            \
  /* (ctx): before a store that other warps may be late to read before (analysis/late_readers), if the warp is ahead   \
   */                                                                                                                  \
  X(dw_let_others_read, "vp")                                                                                          \
  /* (ctx, instruction, kind, addresses, mask, operands[32] u64, out[32] u64) */                                       \
  X(dw_mbarrier, "vpiipipp")                                                                                           \
  /* (ctx, block, mask, analysis::Waiting) -> 1: go on in the lane-group scheduler. Now and then at loop headers. */   \
  X(dw_back_edge, "ipiii")                                                                                             \
  /* (ctx, block, mask, depth of the divergence stack, lanes that have left the function): the live registers are in   \
     ctx->registers; does not return */                                                                                \
  X(dw_hand_over, "vpiiii")                                                                                            \
  /* (ctx, instruction, reason, mask): does not return unless the reason lets the kernel go on */                      \
  X(dw_trap, "vpiii")                                                                                                  \
  /* (ctx, instruction, function, mask, frame): a call of a function that no module defines */                         \
  X(dw_call_external, "vpiiil")                                                                                        \
  /* (ctx, instruction, mask, targets[32] u64, block behind the call): an indirect call, target by target; and (ctx,   \
     instruction, mask, function, block) a direct one of a recursive function. What lanes still read behind the call   \
     is in ctx->registers, if there is such a file. */                                                                 \
  X(dw_call_indirect, "vpiipi")                                                                                        \
  X(dw_call_direct, "vpiiii")                                                                                          \
  /* The clock counts warp instructions of the blocks that one host thread runs, a cycle each, and what reading it and \
     sleeping take. It goes on from launch to launch. It is no prediction of time. */                                  \
  X(dw_clock, "lpi")                                                                                                   \
  /* (ctx, instruction, addresses[32] u64, counts[32] u32, mask, bytes): elements that the mathematics library reads   \
   */                                                                                                                  \
  X(dw_check_reads, "vpippii")                                                                                         \
  X(dw_sleep, "vpi") /* (ctx, nanoseconds) */                                                                          \
  /* Traced code only. (ctx, block, mask): lanes begin a block. */                                                     \
  X(dw_trace_step, "vpii")                                                                                             \
  /* (ctx, access slot, space, addresses[32], mask, bytes a lane, TraceKind): before the access itself, unchecked */   \
  X(dw_trace_access, "vpiipiii")                                                                                       \
  X(dw_trace_barrier, "vpiii") /* (ctx, barrier, threads or 0, mask) */                                                \
  /* Watched code only. (ctx, space, addresses[32], mask, element bytes, elements, WatchKind, values of a store):      \
     before the access itself, unchecked */                                                                            \
  X(dw_watch, "vpipiiiip")                                                                                             \
  /* Lane-group scheduler: where the lanes of the block just run go. */                                                \
  X(dw_group_go, "vpii")              /* (ctx, block, mask) */                                                         \
  X(dw_group_exit, "vpi")             /* (ctx, mask) */                                                                \
  X(dw_group_return, "vpi")           /* (ctx, mask): from a called function */                                        \
  X(dw_group_call, "vpiiii")          /* (ctx, instruction, mask, function, block behind the call) */                  \
  X(dw_group_call_indirect, "vpiipi") /* (ctx, instruction, mask, targets[32] u64, block behind the call) */           \
  X(dw_group_converge, "vpiii") /* (ctx, block, mask, members): at `block`, once all members that live are there */    \
  X(dw_group_warp_sync,                                                                                                \
    "vpiii") /* (ctx, next block, mask, members): go on once all members that live sync anywhere */                    \
  X(dw_group_barrier, "vpiiiiiii") /* (ctx, instruction, next block, kind, barrier, threads, mask, predicate) */

}  // namespace drywarp::jit
