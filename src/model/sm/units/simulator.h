// Simulates the recorded blocks of a launch. See timing.h.
#pragma once

#include "model/sm/units/issue.h"

namespace drywarp::sm {

// The units and how they are wired: each knows those that it sends to. The schedulers are functions over Simulation,
// for they have no state of their own.
//
//   dispatch ──> schedulers <── issue ──> fetch        (instruction and constant caches)
//      ^             ^            ├────> load-store ──> memory system: L1, crossbar, L2, DRAM
//      └── issue     └── load-store, barriers, barrier objects
//                                 ├────> barriers
//                                 ├────> bulk copies ──> memory system, barrier objects
//                                 └────> matrix groups, barrier objects
class Simulator {
 public:
  Simulator(const machine::MachineModel& model, const DecodedKernel& code, const LaunchTrace& trace,
            const SimulatedLaunch& launch, TimelineRecorder* recorder = nullptr)
      : s_(model, code, trace, launch, recorder) {}
  void warm(std::span<const uint64_t> lines) { s_.memory.warm(lines); }
  bool run(const Watch& watch);  // false: `watch` stopped it

  [[nodiscard]] Cycles end() const { return s_.end; }
  // Busy cycles of DRAM's channels, in the mean.
  [[nodiscard]] Cycles dram_busy() const { return s_.memory.l2().dram().mean_channel(); }
  // When each block started, in order; the extrapolation of a sampled launch uses it.
  [[nodiscard]] const std::vector<Cycles>& block_starts() const { return dispatch_.starts(); }
  void report(KernelTiming& timing) const;
  // By machine instruction, of the simulated part.
  [[nodiscard]] std::vector<InstructionTiming> machine_instructions() const;

 private:
  Simulation s_;
  InstructionFetch fetch_{s_};
  CopyGroups copy_groups_{s_};
  PollUnits polls_{s_};
  LoadStoreUnits load_store_{s_, copy_groups_, polls_};
  BarrierUnits barriers_{s_};
  BlockDispatch dispatch_{s_, fetch_, barriers_, polls_};
  BarrierObjects objects_{s_};
  BulkCopyUnits bulk_copies_{s_, objects_};
  MatrixGroups matrix_groups_{s_};
  Issue issue_{s_,        fetch_, load_store_, barriers_, {objects_, copy_groups_, bulk_copies_, matrix_groups_},
               dispatch_, polls_};
};

}  // namespace drywarp::sm
