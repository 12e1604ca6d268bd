#include "model/sm/units/simulator.h"

#include <algorithm>

namespace drywarp::sm {

bool Simulator::run(const Watch& watch) {
  constexpr uint64_t kTurnsToWatch = 4096;
  uint64_t turns = 0;
  dispatch_.start_first();
  for (;;) {
    while (s_.events.next_turn()) {
      if (watch && ++turns % kTurnsToWatch == 0 && !watch(block_starts().size(), s_.launch.simulated)) return false;
      const uint32_t sm = s_.events.sm();
      for (EventQueue::Event event; (event = s_.events.take()).at < kNever;) {
        if (event.unit == s_.model.sub_partitions)
          load_store_.run(sm, event.at);
        else if (event.unit == s_.model.sub_partitions + 1)
          bulk_copies_.run(sm, event.at);
        else
          issue_.run(sm * s_.model.sub_partitions + event.unit, event.at);
      }
    }
    // No warp can issue: done, unless warps wait at barriers that others never reach (bar.arrive is not modelled).
    bool waiting = false;
    for (const ResidentBlock& b : s_.blocks) waiting |= b.warps_left != 0;
    if (!waiting) break;
    barriers_.release_all();
    objects_.release_all();
  }
  // No warp waits for write-backs, but DRAM must take them by the end of the kernel.
  s_.end = std::max(s_.end, s_.model.launch_cycles + dram_busy());
  if (s_.recorder) s_.recorder->finish(s_.end);
  return true;
}

std::vector<InstructionTiming> Simulator::machine_instructions() const {
  std::vector<InstructionTiming> out;
  for (const Tally& tally : s_.tallies) out.push_back({tally.issued, tally.stalls});
  return out;
}

void Simulator::report(KernelTiming& timing) const {
  const double seconds = timing.seconds, cycles = timing.cycles;
  timing = s_.sums;
  timing.instructions.resize(s_.launch.instructions);
  for (size_t i = 0; i < s_.tallies.size(); ++i) {
    const Decoded& in = s_.code.code[i];
    const Tally& tally = s_.tallies[i];
    timing.issued += tally.issued;
    timing.thread_instructions += tally.lanes;
    if (in.action == Action::SharedLoad) timing.shared_loads += tally.issued;
    if (in.action == Action::SharedStore) timing.shared_stores += tally.issued;
    if (in.pipe == machine::Pipe::Tensor) timing.tensor_instructions += static_cast<double>(tally.issued);
    if (in.pipe == machine::Pipe::Tma) timing.tma_instructions += static_cast<double>(tally.issued);
    timing.pipe_busy[unsigned(in.pipe)] += static_cast<double>(tally.issued) * in.issue;
    for (unsigned s = 0; s < kStalls; ++s) timing.stalls[s] += tally.stalls[s];
    if (in.ptx >= s_.launch.instructions) continue;  // it belongs to no PTX instruction
    InstructionTiming& ptx = timing.instructions[in.ptx];
    ptx.issued += tally.issued;
    for (unsigned s = 0; s < kStalls; ++s) ptx.stalls[s] += tally.stalls[s];
  }
  timing.issue_active_cycles = static_cast<double>(timing.issued - issue_.paired());
  timing.seconds = seconds, timing.cycles = cycles;
  timing.simulated_cycles = s_.end;
  timing.l1 = s_.memory.l1_counts();
  timing.l1_busy = s_.memory.l1_busy();
  timing.l2 = s_.memory.l2().counts();
  timing.dram = s_.memory.l2().dram().counts();
  timing.l2_busiest = s_.memory.l2().busiest_slice(), timing.l2_mean = s_.memory.l2().mean_slice();
  timing.dram_busiest = s_.memory.l2().dram().busiest_channel(),
  timing.dram_mean = s_.memory.l2().dram().mean_channel();
  for (const Sm& sm : s_.sms) {
    timing.shared_wavefronts += sm.shared.busy() * s_.model.shared_wavefronts_per_cycle;
    timing.adu_busy += sm.adu.busy();
    timing.active_cycles += sm.active;
  }
  for (const SubPartition& part : s_.parts) timing.scheduler_active_cycles += part.active;
  timing.lsu_busy = load_store_.busy();
  for (const double s : timing.stalls) timing.warp_cycles += s;
}

}  // namespace drywarp::sm
