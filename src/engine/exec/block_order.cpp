#include "engine/exec/block_order.h"

#include <algorithm>

#include "engine/exec/engine.h"

namespace drywarp::exec {
namespace {

// Watched code takes up to twice the time of plain code: two workers would hardly be faster than one.
constexpr unsigned kLeastWorkers = 3;
// Smaller launches end before a second compilation and the search for conflicts pay off.
constexpr uint64_t kLeastWarps = 512;
// Parts are short at first: races mostly show soon, and then little work is lost. Longer parts save more overwritten
// pages.
constexpr uint64_t kFirstPart = 64, kLargestPart = 4096;  // blocks a worker
// Warps that take turns where nobody says how many a GPU has resident: about as many as a large one.
constexpr uint64_t kWarpsOfWave = 8192;

bool stops_at_once(const std::optional<Fault>& fault) {
  return fault && (fault->kind == FaultKind::Timeout || fault->kind == FaultKind::Interrupted ||
                   fault->kind == FaultKind::Abandoned || fault->kind == FaultKind::OutOfHostMemory);
}

analysis::BlockRaces find_races(const LoadedModule& module, const LoadedKernel& kernel, const LaunchRequest& request,
                                const DeviceMemory& memory) {
  // A function that is really called has addresses that the kernel's own code does not show.
  if (!kernel.owned.empty()) return {.possible = true, .hidden = true, .loads = {}, .same_stores = {}, .unwritten = {}};
  analysis::LaunchFacts facts;
  const Dim3 &grid = request.grid, &block = request.block;
  facts.grid[0] = grid.x, facts.grid[1] = grid.y, facts.grid[2] = grid.z;
  facts.block[0] = block.x, facts.block[1] = block.y, facts.block[2] = block.z;
  facts.parameters = request.parameters.data();
  facts.parameter_bytes = request.parameters.size();
  facts.symbols = module.symbols.data();
  facts.allocation = [&memory](uint64_t address) {
    const auto found = memory.find(address);
    return found ? found->base : 0;
  };
  return analysis::block_races(*module.module, kernel.prepared.code, kernel.prepared.flow, facts);
}

}  // namespace

std::shared_ptr<const analysis::BlockRaces> races_of(const LoadedModule& module, LoadedKernel& kernel,
                                                     const LaunchRequest& request, const DeviceMemory& memory) {
  // Programs repeat launches, often with two buffers swapped.
  constexpr size_t kMostKnown = 4;
  LoadedKernel::KnownRaces launch{
      request.parameters, {request.grid.x, request.grid.y, request.grid.z}, memory.changes(), nullptr};
  const std::lock_guard lock(kernel.mutex);
  for (const LoadedKernel::KnownRaces& known : kernel.known_races)
    if (known.parameters == launch.parameters && known.grid == launch.grid && known.memory == launch.memory)
      return known.races;
  launch.races = std::make_shared<const analysis::BlockRaces>(find_races(module, kernel, request, memory));
  if (kernel.known_races.size() == kMostKnown) kernel.known_races.erase(kernel.known_races.begin());
  kernel.known_races.push_back(launch);
  return launch.races;
}

bool races_in_block(const LoadedKernel& kernel) {
  return kernel.prepared.racing.any_in_block() ||
         std::ranges::any_of(kernel.owned, [](const auto& called) { return called->prepared.racing.any_in_block(); });
}

uint64_t wave_of(const LoadedModule& module, LoadedKernel& kernel, const LaunchRequest& request,
                 const DeviceMemory& memory) {
  bool any = kernel.prepared.racing.any_in_grid(), atomics = kernel.prepared.racing.atomics;
  for (const auto& called : kernel.owned) {
    any = any || called->prepared.racing.any_in_grid();
    atomics = atomics || called->prepared.racing.atomics;
  }
  const uint64_t warps = (request.block.count() + kWarpSize - 1) / kWarpSize;
  if (!any || request.grid.count() * warps == 1) return 0;
  // Between the warps of one block nobody looks whether they share what they read.
  if (!atomics && request.grid.count() > 1) {
    const auto races = races_of(module, kernel, request, memory);
    const auto races_with = [&](uint32_t load) { return load < races->loads.size() && races->loads[load] != 0; };
    if (!races->possible || (!races->hidden && std::ranges::none_of(kernel.prepared.racing.loads, races_with)))
      return 0;
  }
  return request.wave != 0 ? request.wave : std::max<uint64_t>(kWarpsOfWave / warps, 1);
}

bool can_be_watched(const LoadedKernel& kernel, const analysis::BlockRaces& races, const LaunchRequest& request,
                    unsigned workers) {
  // A block that waits for another one may wait for one of a later part.
  if (races.hidden || kernel.can_spin || kernel.raced || workers < kLeastWorkers) return false;
  const bool all_observed = std::ranges::any_of(request.observers, [&](const observe::Observer* observer) {
    const observe::BlockRange first = observer->next(0);
    return first.first == 0 && first.end >= request.grid.count();
  });
  const uint64_t warps = request.grid.count() * ((request.block.count() + kWarpSize - 1) / kWarpSize);
  return !all_observed && warps >= kLeastWarps;
}

uint64_t run_watched(Launch& launch, unsigned workers, const analysis::BlockRaces& races, std::atomic<bool>& raced,
                     uint64_t first, uint64_t end, LaunchCounts& counts,
                     const std::function<void(uint64_t first, uint64_t end, LaunchCounts& counts)>& run) {
  launch.watched_loads = races.loads.data();
  for (uint64_t part = kFirstPart; first < end && !launch.fault && !raced; part = std::min(2 * part, kLargestPart)) {
    ConflictWatch watch(*launch.memory, workers, races.atomics_commute);
    const uint64_t part_end = std::min(end, first + part * workers), done = launch.blocks_done;
    LaunchCounts of_part;
    launch.watch = &watch;
    run(first, part_end, of_part);
    launch.watch = nullptr;
    if (watch.has_conflict() && !stops_at_once(launch.fault)) {
      watch.undo();
      raced = true;
      launch.printed.erase(launch.printed.lower_bound(first), launch.printed.end());
      launch.launches.erase(launch.launches.lower_bound(first), launch.launches.end());
      launch.fault.reset();
      launch.fault_block = launch.stop_from = ~uint64_t{0};
      launch.blocks_done = done;
      break;
    }
    counts += of_part;
    first = part_end;
  }
  return first;
}

}  // namespace drywarp::exec
