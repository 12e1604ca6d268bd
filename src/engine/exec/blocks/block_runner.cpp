// Runs blocks: every warp on its fiber, round-robin, until all have ended. When the warps of a block only spin, the
// next block starts beside it, so that blocks which wait for each other all run. Where an observer wants to see what
// polls see on a GPU (Launch::side_by_side), or loops end earlier or later by what other blocks write (Launch::wave),
// as many blocks as are resident there run in turn from the beginning. Where one wants blocks to share what atomics
// deal out (Launch::shares_at_atomics), a few run in turn from the first such atomic on, a turn from one to the next.
#include <algorithm>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/blocks/idle_backoff.h"

namespace drywarp::exec {
namespace {

constexpr unsigned kSpinRounds = 64;  // turns without progress before another block is started beside this one
// Turns until other blocks have theirs though this one goes on: its warps may meet at barriers, and wait for others
// in between. Few kernels have as many barriers.
constexpr unsigned kTurnsInARow = 1'000;
// Blocks that share what atomics deal out: enough that each meets others, few enough for the host's caches and memory.
constexpr size_t kSharingBlocks = 32;
constexpr size_t kMostResidentBlocks = 4096;
constexpr uint64_t kMostWarpsInTurn = 8192;  // about what a large GPU has resident

// UBSan would read a type before the first byte of the function; compiled kernels have none, and nothing need be mapped
// there.
__attribute__((no_sanitize("function"))) void run_warp(void* argument) {
  Warp& warp = *static_cast<Warp*>(argument);
  warp.worker->launch->code(&warp, warp.live, 0);
  end_of_warp(warp);
  warp.fiber->leave();
}

uint32_t live_lanes(const Launch& launch, uint32_t warp) {
  const uint64_t threads = launch.block.count() - uint64_t{warp} * kWarpSize;
  return threads >= kWarpSize ? ~0u : (1u << threads) - 1;
}

std::unique_ptr<Block> make_block(Worker& worker) {
  Launch& launch = *worker.launch;
  auto block = std::make_unique<Block>();
  block->worker = &worker;
  if (!block->shared_storage.allocate(launch.in_clusters() ? 0 : launch.shared_window) ||
      !block->local_storage.allocate(launch.local_stride * kWarpSize * launch.warps_per_block))
    return nullptr;
  block->shared = block->shared_storage.data();
  uint8_t* const local = block->local_storage.data();
  for (uint32_t w = 0; w < launch.warps_per_block; ++w) {
    auto warp = std::make_unique<Warp>();
    warp->worker = &worker;
    warp->owner = block.get();
    warp->parameters = launch.parameters;
    warp->symbols = launch.symbols;
    warp->shared_bytes = launch.shared_bytes;
    warp->local = local + uint64_t{w} * launch.local_stride * kWarpSize;
    warp->local_stride = launch.local_stride;
    warp->nctaid[0] = launch.grid.x, warp->nctaid[1] = launch.grid.y, warp->nctaid[2] = launch.grid.z;
    for (unsigned d = 0; d < 3; ++d) warp->tid[d] = &launch.thread_index[(size_t{w} * 3 + d) * kWarpSize];
    warp->warp = w;
    warp->live = live_lanes(launch, w);
    warp->dynamic_shared_bytes = launch.dynamic_shared_bytes;
    warp->static_shared_bytes = launch.static_shared_bytes;
    warp->program_shared_bytes = launch.program_shared_bytes;
    warp->envreg[0] = static_cast<uint32_t>(launch.workspace >> 32);
    warp->envreg[1] = static_cast<uint32_t>(launch.workspace);
    warp->grid_id = launch.grid_id;
    warp->clock = &worker.clock;
    warp->watched_loads = launch.watched_loads;
    warp->turns = (launch.block_turns ? jit::kBlockTurns : 0) | (launch.wave != 0 ? jit::kGridTurns : 0) |
                  (launch.lane_turns ? jit::kLaneTurns : 0);
    warp->origins = nullptr;
    if (worker.fibers->empty()) {
      warp->fiber = std::make_unique<Fiber>();
    } else {
      warp->fiber = std::move(worker.fibers->back());
      worker.fibers->pop_back();
    }
    block->warps.push_back(std::move(warp));
  }
  return block;
}

// Atomics of several workers on the same few addresses (a histogram's bins) are slower than one worker's alone, because
// cache lines move between cores. An uncontended atomic takes about 20 ticks.
constexpr uint64_t kLanesToJudge = 4096, kContendedTicks = 30;
bool contends(const Worker& worker) {
  return worker.may_leave && worker.atomic_lanes >= kLanesToJudge &&
         worker.atomic_ticks > kContendedTicks * worker.atomic_lanes;
}

bool is_watched(const Launch& launch, uint64_t block) {
  return std::ranges::any_of(launch.observers, [&](const auto* o) { return o->next(block).first == block; });
}

// The first block of a cluster brings one.
bool join_cluster(Worker& worker, Block& block, uint32_t rank) {
  if (rank == 0) {
    const bool idle = !worker.idle_clusters.empty();
    worker.clusters.push_back(idle ? std::move(worker.idle_clusters.back()) : std::make_unique<Cluster>());
    if (idle) worker.idle_clusters.pop_back();
    if (!idle && !worker.clusters.back()->allocate()) return false;
    worker.clusters.back()->begin();
  }
  block.cluster = worker.clusters.back().get();
  block.cluster->add(block);
  block.shared = block.cluster->shared() + rank * kSharedWindow;
  return true;
}

void leave_cluster(Worker& worker, Block& block) {
  Cluster* const cluster = std::exchange(block.cluster, nullptr);
  if (!cluster || !cluster->end(block)) return;
  const auto own = std::ranges::find(worker.clusters, cluster, [](const auto& c) { return c.get(); });
  worker.idle_clusters.push_back(std::move(*own));
  worker.clusters.erase(own);
}

// nullptr: no block is left, this worker's atomics contend with the others', or memory is used up (then the launch has
// a fault).
std::unique_ptr<Block> next_block(Worker& worker) {
  Launch& launch = *worker.launch;
  if (worker.next == worker.end) {
    if (contends(worker)) return nullptr;
    launch.blocks_done.fetch_add(std::exchange(worker.unreported, 0), std::memory_order_relaxed);
    if (launch.ends_unwatched && !is_watched(launch, launch.next_block)) return nullptr;
    worker.next = std::min(launch.next_block.fetch_add(launch.share), launch.end_block);
    worker.end = std::min(worker.next + launch.share, launch.end_block);
  }
  if (worker.next == worker.end || stop_before_block(launch, worker.next)) return nullptr;
  const uint64_t number = worker.next++;
  const uint64_t index = launch.in_clusters() ? block_in_clusters(launch, number) : number;
  const auto rank = static_cast<uint32_t>(number % launch.cluster.count());
  std::unique_ptr<Block> block;
  if (worker.idle.empty()) {
    block = make_block(worker);
  } else {
    block = std::move(worker.idle.back());
    worker.idle.pop_back();
  }
  auto no_memory = [&](const char* what) {
    Fault fault;
    fault.kind = FaultKind::OutOfHostMemory;
    fault.message = what;
    record_fault(launch, index, std::move(fault));
    return nullptr;
  };
  if (!block) return no_memory("no memory for the shared and local memory of a block");
  block->index = index;
  if (launch.in_clusters() && !join_cluster(worker, *block, rank))
    return no_memory("no memory for the shared memory of a cluster");
  block->cluster_phases = 0;
  block->done = 0;
  block->grouped = 0;
  block->behind = 0;
  block->object_changes = block->object_changes_seen = block->stuck_turns = 0;
  block->observers.clear();
  block->spares = block->lets_take = false;
  for (observe::Observer* observer : launch.observers) {
    block->observers.push_back(observer->begin(index));
    block->spares |= block->observers.back() && observer->events().denials;
  }
  std::fill_n(block->shared, launch.shared_window, uint8_t{0});
  for (NamedBarrier& b : block->barriers) b = {};
  const uint64_t row = index / launch.grid.x;
  const uint32_t place[] = {static_cast<uint32_t>(index - row * launch.grid.x),
                            static_cast<uint32_t>(row % launch.grid.y), static_cast<uint32_t>(row / launch.grid.y)};
  set_position(launch, *block, place, rank);
  for (auto& warp : block->warps) {
    warp->exited = 0;
    warp->at_cluster = 0;
    warp->exchange_peers = 0;
    warp->depth = 0;
    warp->ahead = 0;
    warp->local_window = warp->local_stride * (kWarpSize - 1) + launch.local_bytes;
    forget_unknown(*warp);
    warp->state = Warp::State::Ready;
    warp->grouped = false;
    warp->local_arrays.clear();
    warp->beside_local.reset();
    warp->object_waits.clear();
    warp->on_objects_alone = false;
    warp->last_seen = {};
    warp->loop_checks = 0;
    warp->left_loop = 0;
    warp->turns_taken = warp->apart = warp->most_apart = 0;
    warp->leaving = warp->coming = warp->joining = {};
    warp->shared_atomics = 0;
    warp->groups.clear();
    start_activations(*warp);
    if (!warp->fiber->start(run_warp, warp.get(), launch.stack_bytes))
      return no_memory("no memory for the stack of a warp");
  }
  return block;
}

void finish_block(Worker& worker, std::unique_ptr<Block> block) {
  Launch& launch = *worker.launch;
  ++worker.blocks_run;
  worker.warps_run += launch.warps_per_block;
  worker.threads_run += launch.block.count();
  if (!block->printed.empty()) {
    std::lock_guard lock(launch.mutex);
    launch.printed[block->index] += block->printed;
    block->printed.clear();
  }
  if (!block->launches.empty()) {
    std::lock_guard lock(launch.mutex);
    launch.launches[block->index] = std::move(block->launches);
  }
  for (const auto& [arguments, prepared] : block->prepared_launches) launch.memory->free(arguments);
  block->prepared_launches.clear();
  block->launches.clear();
  for (size_t i = 0; i < block->observers.size(); ++i)
    if (block->observers[i]) launch.observers[i]->end(std::move(block->observers[i]));
  block->observers.clear();
  ++worker.unreported;
  leave_cluster(worker, *block);
  worker.idle.push_back(std::move(block));
}

// Waiting: every ready warp is in a loop that only waits, and polled in vain.
enum class Turn : uint8_t { Done, Progress, Spinning, Waiting, Stopped };

// Resumes every ready warp once.
Turn run_turn(Worker& worker, Block& block) {
  if (worker.launch->stops(block.index)) return Turn::Stopped;
  bool progress = false, spun = false, waited = false;
  for (auto& warp : block.warps) {
    if (warp->state != Warp::State::Ready) continue;
    warp->yielded = warp->waits = false;
    warp->fiber->resume();
    if (LoadedKernel* code = std::exchange(warp->wants_group_form, nullptr)) {
      const Status made = load_group_form(*worker.launch->loaded, *worker.launch->compiler, *code);
      if (!made) {
        Fault fault;
        fault.kind = FaultKind::CompileFailed;
        fault.message = made.problem().message;
        record_fault(*worker.launch, block.index, std::move(fault));
      }
    }
    if (worker.launch->stops(block.index)) return Turn::Stopped;
    (!warp->yielded ? progress : warp->waits ? waited : spun) = true;
    // A warp that yielded may have polled in vain, even if its loop does more than poll.
    if (!warp->yielded) ++block.progress;
  }
  if (block.done == block.warps.size()) return Turn::Done;
  if (progress) return Turn::Progress;
  if (spun) return Turn::Spinning;
  // Other blocks of its cluster can complete their barrier, and change its barrier objects.
  if (block.cluster && (waited || waits_for_cluster(block))) return Turn::Waiting;
  if (waited && !waits_for_itself(block)) return Turn::Waiting;
  record_fault(*worker.launch, block.index, barrier_deadlock(block));
  return Turn::Stopped;
}

// Larger ones than most launches want go: their pages are memory.
void keep_fibers(Worker& worker, std::vector<std::unique_ptr<Block>>& blocks) {
  for (auto& block : blocks)
    for (auto& warp : block->warps)
      if (warp->fiber->bytes() <= Fiber::kStackBytes) worker.fibers->push_back(std::move(warp->fiber));
  blocks.clear();
}

Block& lowest_block(const std::vector<std::unique_ptr<Block>>& blocks) {
  return **std::ranges::min_element(blocks, {}, [](const auto& b) { return b->index; });
}

// All its warps have ended or wait at barriers.
bool sleeps(const std::unique_ptr<Block>& block) {
  return std::ranges::none_of(block->warps, [](const auto& warp) { return warp->state == Warp::State::Ready; });
}

// Each round begins with another block, in no fixed relation to the one before: who stored first takes nothing first.
class Rounds {
 public:
  void begin(std::vector<std::unique_ptr<Block>>& blocks) {
    constexpr uint32_t kGoldenRatio = 0x9e3779b9;  // of 2^32
    const auto first = static_cast<std::ptrdiff_t>(uint64_t{next_ += kGoldenRatio} * blocks.size() >> 32);
    std::ranges::sort(blocks, {}, [](const auto& b) { return b->index; });
    std::ranges::rotate(blocks, blocks.begin() + first);
  }

 private:
  uint32_t next_ = 0;
};

void run_blocks(Worker& worker, std::vector<std::unique_ptr<Block>>& resident) {
  Launch& launch = *worker.launch;
  IdleBackoff backoff(launch, worker.attempts);
  bool in_turn = launch.side_by_side != 0;
  const uint64_t wanted = in_turn ? launch.side_by_side : launch.resident_blocks;
  size_t most = wanted != 0 ? std::min<uint64_t>(wanted, kMostResidentBlocks) : kMostResidentBlocks;
  // True: some have.
  const auto start = [&](uint64_t blocks) {
    const size_t before = resident.size();
    while (blocks-- > 0)
      if (auto block = next_block(worker))
        resident.push_back(std::move(block));
      else
        break;
    return resident.size() > before;
  };
  if (launch.cooperative) start(~uint64_t{0});
  const auto fill = [&] { return in_turn && resident.size() < most && start(most - resident.size()); };
  fill();
  const uint64_t together = launch.cluster.count();
  // Checks see blocks run one after the other. One that goes on and on may wait for what others do, and works on what
  // they would have done meanwhile: from then on they run as on a GPU.
  const bool one_by_one = std::ranges::any_of(launch.observers, [](const auto* o) { return !o->takes_turns(); });
  Rounds rounds;
  bool shared = false;  // in the last round
  for (;;) {
    if (resident.empty() && !start(together)) break;
    if (std::exchange(shared, false)) {
      const size_t sharing = std::min(most, kSharingBlocks);
      if (resident.size() < sharing) start(sharing - resident.size());
      rounds.begin(resident);
    }
    bool progressed = false, only_waited = true, goes_on = false, left_loop = false, starves = false;
    for (size_t i = 0; i < resident.size();) {
      unsigned idle_turns = 0, turns = 0;
      Turn turn = Turn::Progress;
      const unsigned allowed = in_turn ? 1 : kTurnsInARow;
      while ((turn == Turn::Progress && !resident[i]->lets_take &&
              (turns++ < allowed || !(in_turn || launch.kernel->can_spin))) ||
             (turn == Turn::Spinning && !in_turn && idle_turns < (resident.size() > 1 ? 2 : kSpinRounds))) {
        turn = run_turn(worker, *resident[i]);
        if (turn == Turn::Spinning) ++idle_turns;
        progressed |= turn != Turn::Spinning && turn != Turn::Waiting;
        only_waited &= turn == Turn::Waiting;
      }
      shared |= std::exchange(resident[i]->lets_take, false);
      starves |= turn == Turn::Progress && turns > kTurnsInARow;
      for (const auto& warp : resident[i]->warps) {
        left_loop |= std::exchange(warp->left_loop, 0) != 0;
        goes_on |= warp->yielded && warp->goes_on;
      }
      if (turn == Turn::Done) finish_block(worker, std::move(resident[i]));
      if (turn == Turn::Stopped) {
        leave_cluster(worker, *resident[i]);
        worker.idle.push_back(std::move(resident[i]));
      }
      if (turn == Turn::Done || turn == Turn::Stopped) {
        resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    // Nobody wakes the blocks of a cluster but its own.
    if (!progressed && launch.in_clusters() && !resident.empty() && std::ranges::all_of(resident, sleeps)) {
      Block& lowest = lowest_block(resident);
      record_fault(launch, lowest.index, barrier_deadlock(lowest));
      continue;
    }
    if (starves && one_by_one && !in_turn && together == 1) {
      in_turn = true;
      most = std::min<uint64_t>(most, std::max<uint64_t>(kMostWarpsInTurn / launch.warps_per_block, 1));
    }
    // All resident blocks spin, perhaps for a block that has not started; those of a cluster for each other first.
    // Of those that run in turn, one more than a GPU would run only if none can go on.
    const size_t room = in_turn ? kMostResidentBlocks : most;
    const bool filled = fill();
    const bool starts =
        !filled && !resident.empty() && resident.size() < room && ((together == 1 && !in_turn) || !progressed);
    if (filled || (starts && start(together))) progressed = true;
    if (progressed || left_loop) {
      backoff.reset();
    } else if (backoff.wait(only_waited, goes_on)) {
      launch.blocks_done.fetch_add(std::exchange(worker.unreported, 0), std::memory_order_relaxed);
      record_fault(launch, lowest_block(resident).index, blocks_deadlock(launch, resident));
    }
  }
}

}  // namespace

void run_worker(Worker& worker) {
  std::vector<std::unique_ptr<Block>> resident;
  run_blocks(worker, resident);
  keep_fibers(worker, resident);
  keep_fibers(worker, worker.idle);
  worker.launch->running.fetch_sub(1, std::memory_order_release);
}

}  // namespace drywarp::exec
