#include "model/sm/summary.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/machine/machine_model.h"

namespace drywarp::sm {
namespace {

double percent(double part, double whole) { return whole == 0 ? 0 : 100 * part / whole; }
double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

// Peak operations a second, two for each fused multiply-add. `lanes`: results a clock and SM, from the device file;
// without it the pipe's issue rate gives them. `packed`: results of one lane's instruction.
double peak_flops(const machine::MachineModel& m, std::optional<uint32_t> lanes, machine::TimingClass klass,
                  unsigned packed) {
  const double per_cycle =
      lanes ? *lanes : 32.0 * m.sub_partitions / std::max(m.issue[unsigned(klass)], 0.01F) * packed;
  return 2 * per_cycle * m.sms * m.sm_clock_hz;
}

void set_peaks(Summary& s, const machine::MachineModel& m, const device::DeviceSpec& device) {
  s.sms = m.sms, s.schedulers = m.sub_partitions, s.sm_clock_hz = m.sm_clock_hz;
  s.peak_hp_flops = peak_flops(m, std::nullopt, machine::TimingClass::Half, 2);
  s.peak_sp_flops = peak_flops(m, device.fp32_lanes, machine::TimingClass::FmaF32, 1);
  s.peak_dp_flops = peak_flops(m, device.fp64_lanes, machine::TimingClass::Double, 1);
  const auto& memory = m.memory;
  s.peak_dram_bytes = memory.dram.channels * memory.dram.bytes_per_cycle * m.sm_clock_hz;
  s.peak_l2_bytes = memory.l2.slices * memory.l2.bytes_per_cycle * m.sm_clock_hz;
  s.peak_l1_bytes = m.sms * memory.l1.bytes_per_cycle * m.sm_clock_hz;
}

}  // namespace

Summary summarize(const KernelTiming& t, const machine::MachineModel& whole, const device::DeviceSpec& device,
                  const machine::MachineKernel& code, const device::Occupancy& occupancy) {
  Summary s;
  // Counts of the simulated part are scaled; rates hold for the whole.
  const machine::MachineModel m = slice(whole, t.simulated_sms);
  const double scale = t.scale(), simulated = t.simulated_cycles;
  const double sms = m.sms, parts = sms * m.sub_partitions;
  const double active = t.active_cycles / sms;
  s.duration_ns = t.seconds * 1e9;
  s.elapsed_cycles = t.cycles;
  s.sm_active_pct = percent(active, simulated);
  s.active_cycles = s.sm_active_pct / 100 * t.cycles;
  s.scheduler_active_pct = percent(t.scheduler_active_cycles / parts, simulated);
  s.scheduler_active_cycles = s.scheduler_active_pct / 100 * t.cycles;

  s.theoretical_occupancy_pct = occupancy.fraction * 100;
  s.achieved_occupancy_pct = percent(t.warp_cycles, t.active_cycles * m.max_warps_per_sm);
  // As in Nsight Compute, an unused resource allows every block slot.
  auto limit = [&](device::OccupancyLimiter l) {
    const uint32_t blocks = occupancy.limit[unsigned(l)];
    return static_cast<double>(blocks == device::Occupancy::kUnlimited ? device.max_blocks_per_multiprocessor : blocks);
  };
  s.limit_barriers = limit(device::OccupancyLimiter::Barriers);
  s.limit_blocks = limit(device::OccupancyLimiter::Blocks);
  s.limit_registers = limit(device::OccupancyLimiter::Registers);
  s.limit_shared = limit(device::OccupancyLimiter::SharedMemory);
  s.limit_warps = limit(device::OccupancyLimiter::Warps);
  s.blocks_per_sm = t.blocks_per_sm;
  s.waves = t.waves;
  s.registers = code.registers;
  s.spill_bytes = code.spill_store_bytes + code.spill_load_bytes;

  s.warp_instructions = static_cast<double>(t.issued) * scale;
  s.thread_instructions = static_cast<double>(t.thread_instructions) * scale;
  s.shared_load_instructions = static_cast<double>(t.shared_loads) * scale;
  s.shared_store_instructions = static_cast<double>(t.shared_stores) * scale;
  s.shared_load_wavefronts = t.shared_load_wavefronts * scale;
  s.shared_store_wavefronts = t.shared_store_wavefronts * scale;
  s.ipc = ratio(static_cast<double>(t.issued), t.active_cycles);
  // As Nsight Compute's smsp__cycles_active: a scheduler without a warp is not active, though its SM is.
  s.scheduler_ipc = ratio(static_cast<double>(t.issued), t.scheduler_active_cycles);
  s.issue_active_pct = percent(t.issue_active_cycles, t.scheduler_active_cycles);
  s.eligible_warps = ratio(t.eligible_warp_cycles, t.scheduler_active_cycles);
  s.scheduler_warps = ratio(t.warp_cycles, t.scheduler_active_cycles);

  s.l1_hit_pct = percent(static_cast<double>(t.l1.load_hits + t.l1.store_hits),
                         static_cast<double>(t.l1.load_sectors + t.l1.store_sectors + t.l1.atomic_sectors));
  // As Nsight Compute's lts__t_sectors: sectors of another home partition are looked up there too, and sectors of
  // writes and atomics count as hits.
  const auto reads = static_cast<double>(t.l2.read_sectors + t.l2.fabric_read_sectors),
             read_hits = static_cast<double>(t.l2.read_hits + t.l2.fabric_read_hits),
             writes = static_cast<double>(t.l2.write_sectors + t.l2.fabric_write_sectors),
             write_hits = static_cast<double>(t.l2.write_hits + t.l2.fabric_write_sectors),
             atomics = static_cast<double>(t.l2.atomic_sectors + t.l2.fabric_atomic_sectors);
  s.l2_read_sectors = reads * scale;
  s.l2_write_sectors = writes * scale;
  s.l2_tex_read_sectors = static_cast<double>(t.l2.read_sectors) * scale;
  s.l2_tex_write_sectors = static_cast<double>(t.l2.write_sectors) * scale;
  s.l2_atomic_sectors = atomics * scale;
  s.l2_hit_pct = percent(read_hits + write_hits + atomics, reads + writes + atomics);
  s.l2_read_hit_pct = percent(read_hits, reads);
  s.dram_read_bytes = static_cast<double>(t.dram.read_bytes) * scale;
  s.dram_write_bytes = static_cast<double>(t.dram.write_bytes) * scale;
  s.dram_row_hit_pct =
      percent(static_cast<double>(t.dram.row_hits), static_cast<double>(t.dram.row_hits + t.dram.row_misses));
  s.dram_channel_balance_pct = percent(t.dram_mean, t.dram_busiest);

  const auto& memory = m.memory;
  s.dram_pct = percent(static_cast<double>(t.dram.read_bytes + t.dram.write_bytes),
                       memory.dram.channels * memory.dram.bytes_per_cycle * simulated);
  s.l2_pct = percent(t.l2_mean, simulated);
  // If L1 and shared memory are one array, their wavefronts share a data pipe. On an H200 l1tex__throughput is the
  // larger of l1tex__data_pipe_lsu_wavefronts and the lookups. Shuffles use the pipe too.
  const double lanes = t.lane_wavefronts / m.shared_wavefronts_per_cycle;
  const double shared_busy = t.shared_wavefronts / m.shared_wavefronts_per_cycle + lanes;
  const double l1_busy = memory.l1.unified ? t.l1_busy + lanes : t.l1_busy;
  s.l1_pct = std::min(100.0, percent(l1_busy, t.active_cycles));
  const double l1_of_elapsed = std::min(100.0, percent(l1_busy, sms * simulated));
  s.shared_pct = std::min(100.0, percent(shared_busy, sms * simulated));
  auto pipe = [&](machine::Pipe p) { return percent(t.pipe_busy[unsigned(p)], t.scheduler_active_cycles); };
  s.alu_pct = pipe(machine::Pipe::Alu);
  s.fma_pct = pipe(machine::Pipe::Fma);
  s.fp16_pct = pipe(machine::Pipe::Fp16);
  s.fp64_pct = pipe(machine::Pipe::Fp64);
  s.xu_pct = pipe(machine::Pipe::Xu);
  s.tensor_pct = percent(t.pipe_busy[unsigned(machine::Pipe::Tensor)], t.active_cycles * m.sub_partitions);
  s.tensor_instructions = t.tensor_instructions * scale;
  s.tma_instructions = t.tma_instructions * scale;
  s.lsu_pct = pipe(machine::Pipe::Lsu);
  double busiest = 0;
  for (const machine::Pipe p : {machine::Pipe::Alu, machine::Pipe::Fma, machine::Pipe::Fp16, machine::Pipe::Fp64,
                                machine::Pipe::Xu, machine::Pipe::Tensor})
    busiest = std::max(busiest, percent(t.pipe_busy[unsigned(p)], parts * simulated));
  // An SM has one load-store unit, which takes one instruction a cycle from all schedulers together.
  s.lsu_unit_pct = percent(t.lsu_busy, sms * simulated);
  s.adu_pct = percent(t.adu_busy, sms * simulated);
  busiest = std::max({busiest, s.lsu_unit_pct, s.adu_pct});
  s.sm_pct = std::max(busiest, percent(t.issue_active_cycles, parts * simulated));
  // Nsight Compute counts instructions that enter the load-store unit as L1's work too (l1tex__lsuin_requests).
  s.memory_pct = std::max({s.dram_pct, s.l2_pct, l1_of_elapsed, s.shared_pct, percent(t.lsu_busy, sms * simulated)});
  s.simulated_blocks = static_cast<double>(t.simulated_blocks);
  s.simulated_sms = t.simulated_sms;
  s.blocks = static_cast<double>(t.blocks);
  s.warp_cycles = t.warp_cycles * scale;
  s.l1_sectors = static_cast<double>(t.l1.load_sectors + t.l1.store_sectors + t.l1.atomic_sectors) * scale;
  s.warps_active = ratio(t.warp_cycles, t.active_cycles);
  s.launch_overhead_ns = m.launch_seconds * 1e9;
  set_peaks(s, whole, device);
  for (unsigned k = 0; k < kStalls; ++k) s.stalls_per_issue[k] = ratio(t.stalls[k], static_cast<double>(t.issued));
  return s;
}

LaunchTime launch_time(const KernelTiming& t, const machine::MachineModel& model, const device::DeviceSpec& device,
                       const machine::MachineKernel& code, const device::Occupancy& occupancy) {
  LaunchTime time{summarize(t, model, device, code, occupancy),
                  extrapolate(t.instructions, t),
                  machine::stand_ins(model, machine::classes_of(code)),
                  {}};
  // Lowering generates instructions of Volta and later, also for older GPUs.
  constexpr unsigned kLowered = 70;
  const unsigned capability = device.compute_capability.number();
  if (capability < kLowered)
    time.stand_ins.push_back({fmt::format("machine code of compute capability {}.{}", capability / 10, capability % 10),
                              "instructions of 7.0 and later"});
  return time;
}

std::span<const SummaryField> summary_fields() {
  static const SummaryField fields[] = {
#define DW_TIMED_VALUE(member, how, description) {#member, Aggregate::how, &Summary::member, 0},
#include "model/sm/summary.def"
#define DW_STALL(reason, text, description) {"stall_" text, Aggregate::Mean, nullptr, unsigned(Stall::reason)},
#include "model/sm/stalls.def"
  };
  return fields;
}

Summary combine(std::span<const Summary* const> launches) {
  Summary all;
  double time = 0, issued = 0;
  for (const Summary* s : launches) time += s->duration_ns, issued += s->warp_instructions;
  for (const SummaryField& field : summary_fields()) {
    double& sum = field.in(all);
    // A value that all launches share (the device's multiprocessors, the kernel's registers) stays exact.
    if (field.aggregate == Aggregate::Mean && !launches.empty()) {
      const double first = field.in(*launches[0]);
      if (std::ranges::all_of(launches, [&](const Summary* s) { return field.in(*s) == first; })) {
        sum = first;
        continue;
      }
    }
    for (const Summary* s : launches) {
      const double value = field.in(*s);
      if (field.aggregate == Aggregate::Sum)
        sum += value;
      else if (!field.member)  // a stall: warps for each instruction issued
        sum += value * ratio(s->warp_instructions, issued);
      else
        sum += value * ratio(s->duration_ns, time);
    }
  }
  return all;
}

}  // namespace drywarp::sm
