// In which order a launch's blocks may run, so that it does the same every time.
//
// The order that counts is that of one worker: block after block. Several workers give the same where blocks are shown
// to be independent (analysis/block_races), or where they were watched and did not meet (ConflictWatch): each runs its
// own blocks in order, and none sees what another one does.
#pragma once

#include <functional>

#include "engine/exec/blocks/warp.h"
#include "engine/exec/loaded_module.h"

namespace drywarp::exec {

// What blocks of this launch may see of each other, with the memory as it is now.
std::shared_ptr<const analysis::BlockRaces> races_of(const LoadedModule& module, LoadedKernel& kernel,
                                                     const LaunchRequest& request, const DeviceMemory& memory);

// Whether a launch whose blocks may race is to be watched on so many workers: it can be undone, and it pays.
bool can_be_watched(const LoadedKernel& kernel, const analysis::BlockRaces& races, const LaunchRequest& request,
                    unsigned workers);

// Runs blocks from `first` on, watched, part by part; `run` runs a part on all workers. Ends before the first part in
// which workers met, which is undone, and sets `raced`; what it gives is the block that comes next.
uint64_t run_while_apart(Launch& launch, unsigned workers, const analysis::BlockRaces& races, std::atomic<bool>& raced,
                         uint64_t first, uint64_t end, LaunchCounts& counts,
                         const std::function<void(uint64_t first, uint64_t end, LaunchCounts& counts)>& run);

}  // namespace drywarp::exec
