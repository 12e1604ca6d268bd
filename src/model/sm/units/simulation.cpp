#include "model/sm/units/simulation.h"

#include <algorithm>

namespace drywarp::sm {
namespace {

memory::Parameters memory_of(const machine::MachineModel& model, const SimulatedLaunch& launch) {
  memory::Parameters p = model.memory;
  p.l1.bytes = model.l1_bytes > launch.shared_capacity ? model.l1_bytes - launch.shared_capacity : 0;
  return p;
}

}  // namespace

Simulation::Simulation(const machine::MachineModel& m, const DecodedKernel& c, const LaunchTrace& t,
                       const SimulatedLaunch& l, TimelineRecorder* r)
    : model(m),
      code(c),
      code_lines(c.code.empty() ? 0 : c.code.back().code_line + 1),
      trace(t),
      launch(l),
      extra_latency{0, static_cast<float>(m.branch_predicate_cycles), m.other_pipe_cycles},
      memory(memory_of(m, l)),
      recorder(r),
      recorded_parts(r ? m.sub_partitions : 0),
      events(m.sms, m.sub_partitions + 2),
      fences_device(std::ranges::any_of(c.code, &Decoded::for_device)) {
  parts.resize(size_t{model.sms} * model.sub_partitions);
  chosen.resize(parts.size());
  for (uint32_t i = 0; i < parts.size(); ++i) {
    parts[i].sm = i / model.sub_partitions, parts[i].place = i % model.sub_partitions;
    parts[i].adu_queue.resize(std::max(1u, model.memory_queue));
  }
  const uint32_t warps_per_block = (launch.threads_per_block + kWarpSize - 1) / kWarpSize;
  sms.resize(model.sms);
  for (Sm& sm : sms)
    for (uint32_t slot = launch.blocks_per_sm * warps_per_block; slot-- > 0;) sm.free_slots.push_back(slot);
  tallies.resize(code.code.size());
  if (std::ranges::any_of(code.code, [](const Decoded& d) { return d.invalidates_l1; })) memory.keep_loaded_lines();
  if (recorder) memory.record_dram(recorder->dram());
  const size_t most = std::min<size_t>(size_t{model.sms} * launch.blocks_per_sm, launch.simulated) * warps_per_block;
  warps.reserve(most);
  registers.reserve(most * code.scoreboard_lines);
}

}  // namespace drywarp::sm
