// Writes down what happens in a simulated launch: see timeline.h. Units call it where blocks and warps start and end,
// and where warps of the recorded SM issue. A simulation without one has Simulation::recorder == nullptr and
// recorded_parts == 0, which its issue reads.
#pragma once

#include <vector>

#include "model/machine/machine_model.h"
#include "model/sm/timeline.h"
#include "model/sm/units/times.h"

namespace drywarp::sm {

class TimelineRecorder {
 public:
  // Bounds of a recording: about as much as a drawing can show.
  static constexpr size_t kMostBlocks = 8192, kMostIssues = 12288, kMostDramAccesses = 4096;
  // The SM whose warps are recorded: the first, which has the grid's first block.
  static constexpr uint32_t kSm = 0;

  // Writes to `timeline`, which must outlive it.
  TimelineRecorder(const machine::MachineModel& model, Timeline& timeline);

  [[nodiscard]] memory::DramLog* dram() { return &dram_; }
  // `place`: a number that no other block has at the same time.
  void block_starts(uint32_t place, uint32_t sm, uint64_t block, Cycles now);
  void block_ends(uint32_t place, Cycles now);

  // Of SM kSm alone; a warp is named by its slot.
  void warp_starts(const Timeline::Warp& warp);
  void warp_ends(uint32_t slot, Cycles now);
  // The warp's next cycles, behind those that it has: it waits, or issues at `now`.
  void warp_waits(uint32_t slot, Stall reason, Cycles cycles);
  void warp_issues(uint32_t slot, uint32_t instruction, Cycles now, bool second);

  // Call once, at the end of the simulation.
  void finish(Cycles end);

 private:
  static constexpr uint32_t kNotRecorded = ~0u;
  struct OpenWarp {
    uint32_t number = kNotRecorded;  // in Timeline::warps
    Cycles known_to = 0;             // the end of its last segment or issue
  };
  [[nodiscard]] uint32_t take_slot(uint32_t sm);
  void finish_blocks(Cycles end);
  void finish_warps(Cycles end);

  Timeline& timeline_;
  memory::RecordingBound blocks_{kMostBlocks}, issues_{kMostIssues};
  memory::DramLog dram_{{kMostDramAccesses}, {}};
  std::vector<uint32_t> open_blocks_;            // by place: index into Timeline::blocks
  std::vector<std::vector<bool>> slots_in_use_;  // by SM
  std::vector<OpenWarp> open_warps_;             // by slot
};

}  // namespace drywarp::sm
