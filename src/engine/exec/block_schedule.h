// Runs the blocks of a launch: which ones run observed, watched or plain, and on how many threads.
#pragma once

#include <memory>
#include <span>

#include "engine/exec/block_order.h"
#include "engine/exec/engine.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/teams.h"
#include "engine/observe/observer.h"

namespace drywarp::exec {

// The kernel in the forms that a launch needs.
struct LaunchCode {
  LoadedKernel* plain = nullptr;
  LoadedKernel* observed = nullptr;  // null: no block is observed
  LoadedKernel* watched = nullptr;   // for blocks that may race: see block_order.h
};

// The first blocks at or behind `block` that some observer watches, within the grid.
[[nodiscard]] observe::BlockRange next_observed(std::span<observe::Observer* const> observers, uint64_t block,
                                                uint64_t grid);

class BlockSchedule {
 public:
  // `workers`: that the launch has. `races`: between its blocks.
  BlockSchedule(Launch& launch, Teams& teams, const LaunchCode& code, const analysis::BlockRaces& races,
                unsigned workers)
      : launch_(launch), teams_(teams), code_(code), races_(races), workers_(workers) {}

  // Runs all blocks, or those until a fault. Sets the counts and the workers of `result`.
  void run(std::span<observe::Observer* const> observers, LaunchResult& result);

 private:
  void run_blocks(LoadedKernel& code, uint64_t first, uint64_t end, unsigned team, LaunchCounts& counts);
  void run_observed(uint64_t first, uint64_t end, LaunchResult& result);
  void run_unobserved(uint64_t first, uint64_t end, LaunchResult& result);
  // If blocks may race, those that are not watched run in order.
  [[nodiscard]] unsigned team() const { return races_.possible ? 1 : workers_; }
  // Blocks that can wait for each other must all be in flight together; those that take turns too.
  [[nodiscard]] bool together() const {
    return launch_.cooperative || code_.plain->can_spin || launch_.in_clusters() || launch_.wave != 0;
  }

  Launch& launch_;
  Teams& teams_;
  const LaunchCode code_;
  const analysis::BlockRaces& races_;
  const unsigned workers_;
};

}  // namespace drywarp::exec
