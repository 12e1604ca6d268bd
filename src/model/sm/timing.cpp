#include "model/sm/timing.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/sm/sharing.h"
#include "model/sm/units/simulator.h"

namespace drywarp::sm {
namespace {

constexpr struct {
  const char *name, *description;
} kStallNames[] = {
#define DW_STALL(name, text, description) {text, description},
#include "model/sm/stalls.def"
};

// The cycles of the whole grid, extrapolated from its first blocks: the rest runs at the pace at which blocks started
// once the machine was full, and no faster than DRAM takes what they read and write. `blocks`: the grid's work in units
// of the mean simulated block.
double whole_grid(const Simulator& simulator, double blocks, uint64_t simulated, uint64_t first_wave) {
  const double end = simulator.end();
  if (static_cast<double>(simulated) >= blocks) return end;
  const std::vector<Cycles>& starts = simulator.block_starts();
  double pace = end / static_cast<double>(simulated);
  if (simulated > 2 * first_wave) {
    // From the second wave on, so that cold caches count once.
    const size_t from = first_wave, to = from + (simulated - 1 - from) / first_wave * first_wave;
    pace = (starts[to] - starts[from]) / static_cast<double>(to - from);
  }
  pace = std::max(pace, simulator.dram_busy() / static_cast<double>(simulated));
  return end + pace * (blocks - static_cast<double>(simulated));
}

// A launch that has read much from the L2 ends later. What the device does meanwhile is not known.
double end_of_launch(const machine::MachineModel& model, const KernelTiming& timing) {
  constexpr double kSectorBytes = 32;
  if (model.end_bytes <= 0) return 0;
  const double bytes = static_cast<double>(timing.l2.read_sectors) * kSectorBytes * timing.scale();
  return model.end_cycles * std::min(1.0, bytes / model.end_bytes);
}

}  // namespace

const char* name(Stall stall) { return kStallNames[unsigned(stall)].name; }
const char* description(Stall stall) { return kStallNames[unsigned(stall)].description; }

uint64_t blocks_on(uint64_t grid, uint32_t sms, uint32_t sms_of_device) {
  if (sms >= sms_of_device || grid == 0) return grid;
  const double share = static_cast<double>(sms) / sms_of_device;
  return std::max<uint64_t>(static_cast<uint64_t>(static_cast<double>(grid) * share + 0.5), 1);
}

std::vector<InstructionTiming> extrapolate(std::vector<InstructionTiming> instructions, const KernelTiming& timing) {
  for (InstructionTiming& i : instructions) {
    i.issued = static_cast<uint64_t>(std::llround(static_cast<double>(i.issued) * timing.scale()));
    for (double& cycles : i.stalls) cycles *= timing.scale();
  }
  return instructions;
}

Result<KernelTiming> time_launch(const machine::MachineModel& model, const machine::MachineKernel& code,
                                 const LaunchTrace& trace, const SimulatedLaunch& launch, const Watch& watch,
                                 Timeline* recorded) {
  if (launch.blocks_per_sm == 0)
    return error("a block of this kernel does not fit on a multiprocessor of the device",
                 "fewer threads, registers or less shared memory a block");
  if (trace.blocks.empty() && launch.blocks != 0)
    return error("no block of the launch was recorded", "give the trace more room");
  if (Status known = machine::can_time(model, machine::classes_of(code)); !known) return known.problem();
  const DecodedKernel decoded = decode(code, model);
  const uint32_t sms = launch.sms == 0 ? model.sms : std::min(launch.sms, model.sms);
  machine::MachineModel part = slice(model, sms);
  const uint64_t blocks = blocks_on(launch.blocks, sms, model.sms);
  const bool by_work = launch.work > 0 && launch.simulated != 0;
  SimulatedLaunch simulated = launch;
  simulated.simulated = std::min<uint64_t>(launch.simulated == 0 ? blocks
                                           : by_work             ? launch.simulated
                                                                 : std::min(launch.simulated, blocks),
                                           trace.blocks.size());
  const auto ran = static_cast<double>(simulated.simulated);
  // The slice's share of the grid's work, in units of the mean simulated block.
  const double slice_work = by_work ? ran / launch.work * sms / model.sms : static_cast<double>(blocks);
  if (ran < slice_work) part.memory.l2.part_of_grid = ran / slice_work;
  if (sms < model.sms) machine::share_lines(part, model, first_fetch_share(trace, simulated.simulated));
  std::optional<TimelineRecorder> recorder;
  if (recorded) recorder.emplace(part, *recorded);
  Simulator simulator(part, decoded, trace, simulated, recorder ? &*recorder : nullptr);
  if (sms == model.sms) simulator.warm(launch.held);
  if (!simulator.run(watch)) return error("the simulation was stopped");
  KernelTiming timing;
  simulator.report(timing);
  timing.blocks = launch.blocks;
  timing.simulated_blocks = simulated.simulated;
  timing.simulated_sms = sms;
  timing.blocks_per_sm = launch.blocks_per_sm;
  timing.waves = static_cast<double>(launch.blocks) / (static_cast<double>(launch.blocks_per_sm) * model.sms);
  timing.work = by_work ? launch.work : 0;
  // Every block must be dispatched, even if it does little.
  timing.cycles = std::max(whole_grid(simulator, slice_work, simulated.simulated, uint64_t{launch.blocks_per_sm} * sms),
                           by_work ? part.launch_cycles + part.dispatch_cycles * static_cast<double>(blocks) : 0.0);
  timing.cycles += end_of_launch(model, timing);
  timing.seconds = timing.cycles / model.sm_clock_hz;
  if (recorded) recorded->instructions = extrapolate(simulator.machine_instructions(), timing);
  return timing;
}

}  // namespace drywarp::sm
