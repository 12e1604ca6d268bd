// The state of a running launch, from the grid down to a warp: who owns what while kernels run.
//
//   Launch   one kernel launch: shared by all workers
//   Worker   one thread of the host: its own counters, its blocks, one after the other
//   Block    a thread block in flight: shared memory, barriers, warps
//   Warp     what generated code sees (jit::WarpContext) and the fiber it runs on
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/access/access_pattern.h"
#include "engine/exec/blocks/device_launch.h"
#include "engine/exec/blocks/fault.h"
#include "engine/exec/blocks/fiber.h"
#include "engine/exec/matrix/multiply.h"
#include "engine/exec/memory/conflict_watch.h"
#include "engine/exec/memory/followed_pointers.h"
#include "engine/exec/memory/host_memory.h"
#include "engine/exec/textures/texture_table.h"
#include "engine/jit/abi/kernel_code.h"
#include "engine/jit/abi/runtime_abi.h"
#include "engine/jit/compiler.h"
#include "engine/observe/observer.h"

namespace drywarp::exec {

class LoadedKernel;
class LoadedModule;
class Cluster;
class UnknownValues;
struct Activation;
struct Worker;
struct Block;
struct Warp;

// Lanes of one warp that are at the same place, in the lane-group scheduler.
struct LaneGroup {
  enum class State : uint8_t { Ready, Converging, AtWarpSync, AtBarrier };
  Activation* where = nullptr;
  uint32_t block = 0;  // the block that they run next
  uint32_t mask = 0;
  uint32_t members = 0;  // Converging, AtWarpSync: lanes that must arrive
  State state = State::Ready;
  uint32_t apart = 0;  // Ready: lanes merge only with others that have the same number
  // Ready, at the beginning of a racing loop: Waits = other lanes of the warp run first; Begins = they have.
  enum class Turn : uint8_t { Comes, Waits, Begins } turn = Turn::Comes;
  uint32_t exchange_id = 0;  // Ready, not 0: runs together with the groups that have the same number
  uint32_t barrier = 0;      // AtBarrier
  uint32_t instruction = 0;  // AtBarrier: the bar
  uint32_t ran_on = 0;       // AtBarrier: lanes that ran other code of the kernel when it arrived
};

// An instruction of a kernel or of a function that it calls.
struct CodePlace {
  const ir::Function* code = nullptr;
  uint32_t instruction = 0;
  bool operator==(const CodePlace&) const = default;
};

// Lanes of a warp that polled a barrier object of their block in vain.
struct ObjectWait {
  uint32_t lanes = 0;
  CodePlace at;
  uint64_t address = 0;
};

struct Launch {
  const ir::Module* module = nullptr;
  LoadedModule* loaded = nullptr;
  jit::Compiler* compiler = nullptr;
  LoadedKernel* kernel = nullptr;
  DeviceMemory* memory = nullptr;
  std::shared_ptr<const TextureMap> textures;
  Dim3 grid, block;
  Dim3 cluster;                   // blocks of one; one block: their code does not use clusters
  bool explicit_cluster = false;  // the launch or the kernel has named it
  uint32_t dynamic_shared_bytes = 0, static_shared_bytes = 0;
  uint32_t program_shared_bytes = 0;                  // both
  uint64_t shared_padding = 0;                        // and what lies between variables
  uint64_t shared_bytes = 0;                          // and what is reserved behind them: jit::WarpContext
  uint64_t shared_window = 0;                         // what a GPU lets the block access: in whole allocation units
  uint64_t local_bytes = 0;                           // a thread
  uint64_t local_stride = 0;                          // from one thread to the next
  alignas(64) uint64_t local_starts[kWarpSize] = {};  // of a warp's threads, from the first's
  uint32_t warps_per_block = 0;
  bool cooperative = false;
  bool concurrent = false;  // the host, or another launch, may write memory while this one runs
  bool counters = true;
  const uint8_t* parameters = nullptr;
  const uint64_t* symbols = nullptr;
  FollowedPointers followed;      // of code that reports denials
  uint64_t workspace = 0;         // in which blocks synchronize their grid; 0: none
  uint64_t ordinary_barrier = 0;  // the word there at which they arrive, of a launch that is not cooperative
  uint64_t resident_blocks = 0;   // LaunchRequest's
  uint64_t grid_id = 0;
  double timeout_seconds = 0;
  bool divergent_barriers = false;  // EngineOptions'
  bool stray_accesses = false;      // likewise
  bool allows_undefined_uses = false, stops_at_bad_objects = false, stops_at_bad_arrivals = false;
  uint64_t clock_khz = 0;    // of the device
  SharedBanks shared_banks;  // LaunchRequest's
  MatrixArithmetic matrix;   // likewise
  std::chrono::steady_clock::time_point started;
  std::vector<uint32_t> thread_index;  // [warp][dimension][lane]
  jit::WarpFunction code = nullptr;
  size_t stack_bytes = Fiber::kStackBytes;        // of a warp
  std::span<observe::Observer* const> observers;  // of the code that runs now
  ConflictWatch* watch = nullptr;                 // of watched code
  const uint8_t* watched_loads = nullptr;         // WarpContext's
  uint64_t side_by_side = 0;                      // blocks that run in turn, a turn each; 0: see block_runner.cpp
  bool block_turns = false;                       // a block's warps take turns in racing loops on shared memory
  bool lane_turns = false;                        // lanes that leave a loop with a YIELD run on alone
  uint64_t wave = 0;               // blocks whose warps take turns in racing loops on global memory; 0: no warps do
  bool shares_at_atomics = false;  // observe::Observer's
  bool ends_unwatched = false;     // no block starts that no observer watches
  uint64_t end_block = 0;          // blocks [next_block, end_block) run
  uint64_t share = 1;              // blocks that a worker takes at a time

  const std::atomic<bool>* interrupted = nullptr;
  const std::atomic<bool>* abandoned = nullptr;
  const std::function<void()>* waits = nullptr;      // LaunchRequest::waits; null: none
  const std::function<bool(bool)>* stuck = nullptr;  // LaunchRequest::stuck; null: none
  std::atomic<bool> reported_waiting{false}, given_up{false};
  // Blocks from this one on stop. A fault lets the blocks below continue, so that the lowest one that faults is always
  // the one reported; a time limit or an interruption stops all.
  std::atomic<uint64_t> stop_from{~uint64_t{0}};
  [[nodiscard]] bool in_clusters() const { return cluster.count() > 1; }
  [[nodiscard]] bool stops(uint64_t block) const { return block >= stop_from.load(std::memory_order_relaxed); }
  std::mutex mutex;  // of what follows
  std::optional<Fault> fault;
  std::optional<Fault> denied;  // the first of the lowest block that was told to observers instead
  uint64_t denied_block = ~uint64_t{0};
  struct GridBarrier {
    CodePlace place;
    OrdinaryGridBarrier use;
  };
  std::vector<GridBarrier> grid_barriers;                                           // at `ordinary_barrier`
  std::map<std::pair<const ir::Function*, uint32_t>, UndefinedUse> undefined_uses;  // by instruction
  uint64_t fault_block = ~uint64_t{0};      // the lowest block that faulted wins: the same message every time
  std::map<uint64_t, std::string> printed;  // by block
  std::map<uint64_t, std::vector<DeviceOperation>> launches;  // that blocks have made, by block
  std::vector<BarrierNote> barrier_notes;                     // of the run that goes on

  // Every worker writes these: kept away from what all read.
  std::atomic<unsigned> running{0};  // workers that have not ended
  // Atomics must be atomic on the host too.
  [[nodiscard]] bool shares_memory() const { return concurrent || running.load(std::memory_order_acquire) > 1; }
  alignas(kLinePair) std::atomic<uint64_t> next_block{0};
  alignas(kLinePair) std::atomic<uint64_t> blocks_done{0};
};

struct NamedBarrier {
  uint32_t arrived = 0;        // threads, as the hardware counts: a whole warp is 32
  CodePlace first;             // where the first waiting lanes arrived
  Warp* first_warp = nullptr;  // null: nobody waits
  uint32_t first_lane = 0;
  bool warps_apart = false;     // some wait at another place than the first
  bool parts_of_warps = false;  // some of the waiting warps arrived in parts
  uint32_t whole_warps = 0;     // that arrived with all their lanes at once
  uint32_t expected = 0;        // 0: every thread of the block that has not ended
  uint32_t count = 0;           // reduction: threads with a true predicate
  uint32_t participants = 0;    // reduction: threads in all
  uint64_t generation = 0;
  uint32_t result_count = 0, result_participants = 0;
};

struct Warp : jit::WarpContext {
  Warp();
  ~Warp();
  enum class State : uint8_t { Ready, AtBarrier, Done };
  Worker* worker = nullptr;
  Block* owner = nullptr;
  State state = State::Ready;
  bool yielded = false;                // yielded in a loop
  bool waits = false;                  // ... which does nothing but wait
  bool goes_on = false;                // ... or ends whatever others do: see analysis::WaitingLoops::endless
  uint32_t group_block = 0;            // that the lane groups ran last
  uint32_t apart = 0, most_apart = 0;  // LaneGroup::apart of the lanes that run; the highest so far
  struct Leaving {
    uint32_t loop = ~0u, apart = 0;
  } leaving;                    // that of lanes that have left a loop (its first block) in the iteration that runs
  Leaving coming;               // that of lanes that have come to a loop, whose companions have not: see begin_joined
  Leaving joining;              // that of lanes which will leave a loop in its next iteration
  uint32_t turns_taken = 0;     // that it took in loops that may wait: see dw_take_turn
  uint32_t shared_atomics = 0;  // before which it has let other blocks go: Launch::shares_at_atomics
  bool grouped = false;         // runs in the lane-group scheduler
  LoadedKernel* wants_group_form = nullptr;  // asks the scheduler to compile it
  uint32_t barrier = 0, barrier_instruction = 0, barrier_mask = 0;
  uint32_t at_cluster = 0;      // lanes that have arrived at the cluster's barrier, which has not completed since
  uint64_t product_groups = 0;  // of wgmma, that it has committed
  std::unique_ptr<uint8_t[]> beside_local;        // the lanes', once one of them has been there: local_memory.h
  std::vector<observe::LocalArray> local_arrays;  // those in which lanes are, once the code has said so
  std::vector<ObjectWait> object_waits;           // a lane is in one, or in none
  bool on_objects_alone = false;                  // all that is ready of it only polls in loops, and did so in vain
  CodePlace last_seen;                            // where it last checked whether to stop; no code: not yet
  uint64_t seen_progress = 0;                     // Block::progress when it last polled
  Activation* kernel = nullptr;                   // the kernel's own
  Activation* inside = nullptr;                   // what runs now
  std::vector<LaneGroup> groups;
  std::vector<LaneGroup> exchange_groups;  // groups of the exchange that runs
  std::unique_ptr<Activation> exchange_activation;
  uint32_t exchanges = 0;                                // so far
  std::vector<std::unique_ptr<Activation>> activations;  // alive
  std::vector<std::unique_ptr<Activation>> unused;       // to be used again
  std::unique_ptr<UnknownValues> unknown_values;         // see WarpContext::unknown; null: none yet
  std::unique_ptr<Fiber> fiber;                          // lent by the worker's pool
};

struct Block {
  Worker* worker = nullptr;
  uint64_t index = 0;  // linear, x fastest
  std::vector<std::unique_ptr<Warp>> warps;
  LazyMemory shared_storage;
  uint8_t* shared = nullptr;  // aligned
  LazyMemory local_storage;
  NamedBarrier barriers[16];
  Cluster* cluster = nullptr;                            // of several blocks; null: it is alone
  uint64_t cluster_phases = 0;                           // of the cluster's barrier that have completed
  uint32_t done = 0;                                     // warps
  uint64_t progress = 0;                                 // turns of warps that did more than wait
  uint64_t object_changes = 0, object_changes_seen = 0;  // uses of barrier objects other than waits
  uint32_t stuck_turns = 0;  // since the last of them, in which every warp only waited for others of the block
  bool lets_take = false;    // a warp is before an atomic: Launch::shares_at_atomics
  uint32_t grouped = 0;      // warps in the lane-group scheduler
  uint32_t behind = 0;       // warps that may still read what others would overwrite: WarpContext::ahead is set
  std::string printed;
  std::map<uint64_t, DeviceLaunch> prepared_launches;  // not launched yet, by the address of their arguments
  std::vector<DeviceOperation> launches;
  std::vector<std::unique_ptr<observe::BlockObserver>> observers;  // of Launch::observers; null: it does not watch
  bool spares = false;  // an observer wants to be told of denials: lanes leave out what they may not access
};

// Compare-and-swaps and exchanges of loops that wait, while nothing else happens. Those that leave what they have left
// before, as who takes a lock and gives it back, end no wait.
struct Attempts {
  bool watched = false;
  bool changed = false;               // since it was last asked, memory became what it had not been
  std::unordered_set<uint64_t> left;  // hashes of places with their values
};

struct alignas(kLinePair) Worker {
  Launch* launch = nullptr;
  Worker();
  ~Worker();
  PaddedVector<BlockCounts> blocks;
  PaddedVector<PredicateCounts> predicates;
  PaddedVector<BranchCounts> branches;
  PaddedVector<jit::AccessSite> sites;
  std::vector<std::unique_ptr<jit::PatternMemos>> patterns;  // of the sites that need them
  uint64_t next = 0, end = 0;                                // blocks that it has taken and not started
  uint64_t unreported = 0;                                   // finished blocks that are not yet in Launch::blocks_done
  uint64_t blocks_run = 0, warps_run = 0, threads_run = 0;
  // Workers but the first may leave the rest to the others if atomics contend: what atomics on shared data have cost.
  bool may_leave = false;
  uint64_t atomic_ticks = 0, atomic_lanes = 0;
  // Of the last atomic, for observers: what each lane's place had behind it. `has`: it fits.
  struct {
    bool has = false;
    uint64_t lanes[kWarpSize];
  } after;
  Attempts attempts;
  ConflictWatch::Log* log = nullptr;                                       // of watched code
  std::map<std::pair<const ir::Function*, uint32_t>, StrayAccess> strays;  // by instruction
  uint64_t clock = 0;                        // what clock64 reads: see dw_clock in engine/jit/abi/runtime_abi.h
  std::vector<std::unique_ptr<Block>> idle;  // to be used again
  std::vector<std::unique_ptr<Cluster>> clusters, idle_clusters;  // in flight; to be used again
  std::vector<std::unique_ptr<Fiber>>* fibers = nullptr;          // stacks not in use, kept from launch to launch
};

inline Warp& warp_of(jit::WarpContext* context) { return *static_cast<Warp*>(context); }
// The warp has read what the last barrier let it read, or lets others read before it overwrites.
inline void has_read(Warp& warp) {
  if (warp.ahead == 0) return;
  warp.ahead = 0;
  --warp.owner->behind;
}

// ---- block_runner.cpp
// Runs blocks of the launch on this thread until none is left or the launch stops.
void run_worker(Worker& worker);

// ---- faults.cpp
// The function that the warp runs now: the kernel, or the innermost one that it really called.
const ir::Function& running_code(const Warp& warp);
// Where an instruction is in the text; without a source line, `file` is kNone and `line` 0.
ir::Place place_in_text(const Warp& warp, uint32_t instruction);
inline CodePlace here(const Warp& warp, uint32_t instruction) { return {&running_code(warp), instruction}; }
// Records the fault and leaves the warp's fiber for good: does not return, and runs no destructors of its callers.
[[noreturn]] void raise(Warp& warp, Fault fault);
// Fills in kernel, place, instruction, block and the thread of `lane`.
Fault fault_at(const Warp& warp, FaultKind kind, const CodePlace& place, std::optional<uint32_t> lane,
               std::string message);
Fault fault_at(const Warp& warp, FaultKind kind, uint32_t instruction, std::optional<uint32_t> lane,
               std::string message);
void record_fault(Launch& launch, uint64_t block, Fault fault);
// The access of a warp that its lanes leave out. `fault` is called for the first of the lowest block alone.
void note_denial(const Warp& warp, const std::function<Fault()>& fault);
inline constexpr const char* kNotCooperative =
    "the kernel synchronizes its grid, and the launch is not cooperative: use cudaLaunchCooperativeKernel";
// Lanes have run an atomic in a launch that has Launch::ordinary_barrier. Its blocks run on one thread.
// Keeps what is to be said of a use that CUDA leaves undefined.
void note_undefined_use(Warp& warp, uint32_t instruction, UndefinedUse::Of of, const std::function<Fault()>& first);
void note_grid_barrier(const Warp& warp, uint32_t instruction, uint32_t mask, const uint64_t* addresses);
// "app.cu:12" or the PTX line of an instruction.
std::string place_of(const Warp& warp, const CodePlace& place);
std::string place_of(const Warp& warp, uint32_t instruction);

// ---- unknown_values.cpp
// The warp begins a block: its registers hold nothing that an observer does not know.
void forget_unknown(Warp& warp);

// ---- stops.cpp
// Called in loops and waits: does not return if the launch has stopped, is interrupted or out of time.
void stop_if_asked(Warp& warp, uint32_t instruction);
// The same between blocks: true if `block` and those behind it must not start.
bool stop_before_block(Launch& launch, uint64_t block);
// Every block that has begun and not ended waits for others in vain.
Fault blocks_deadlock(const Launch& launch, std::span<const std::unique_ptr<Block>> resident);

// Lanes that have not ended.
inline uint32_t living(const Warp& warp) { return warp.live & ~warp.exited; }

// ---- object_waits.cpp
// Lanes have polled barrier objects: those of `in_vain` did not pass.
void note_polls(Warp& warp, uint32_t instruction, uint32_t mask, uint32_t in_vain, const uint64_t* addresses);
// Lanes do something else: what they polled no longer matters.
void forget_polls(Warp& warp, uint32_t mask);
// Lanes whose last poll was in vain.
uint32_t polled_in_vain(const Warp& warp);
// Whether all warps of the block wait for each other: at barriers, or in loops that wait for barrier objects alone,
// which only the block itself can change. To be called behind each turn in which no warp did more than wait.
bool waits_for_itself(Block& block);

// ---- barriers.cpp
void end_of_warp(Warp& warp);
// Threads have ended: barriers that waited only for them complete.
void complete_barriers(Block& block);
// Every warp of the block waits at a barrier that cannot complete: says who waits where.
Fault barrier_deadlock(Block& block);
// Arrival of lanes at a named barrier. True if this completed it.
bool arrive(Warp& warp, uint32_t barrier, uint32_t threads, uint32_t mask, uint32_t predicate, uint32_t instruction);
uint32_t barrier_result(const NamedBarrier& barrier, jit::BarrierKind kind);

// ---- absent_threads.cpp
// Lanes of a warp in the lane-group scheduler that are not at the barrier, and not at the kernel's end either.
uint32_t lanes_that_run_on(const Warp& warp, uint32_t barrier);
// Of a barrier of the whole block that completes: what is to be noted of threads that never arrived.
std::optional<BarrierNote> absent_threads(const Block& block, uint32_t barrier);
// Of one that completes with warps that wait at different barriers.
BarrierNote warps_apart(const Block& block, uint32_t barrier);

// ---- lane_groups.cpp
// Runs the warp's lane groups to their end, on the warp's fiber.
void run_lane_groups(Warp& warp);
// Lanes arrive at a block and join those that are there.
void arrive_at(Warp& warp, Activation* where, uint32_t block, uint32_t mask);
// Lanes have ended, or begun to wait: releases groups that waited only for them.
void release_waiting(Warp& warp);
// A barrier of the block has completed: releases the lane groups that wait there.
void release_groups(Warp& warp, uint32_t barrier);

}  // namespace drywarp::exec
