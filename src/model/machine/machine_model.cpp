#include "model/machine/machine_model.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/access/access_pattern.h"
#include "base/device/device_features.h"
#include "model/machine/device_numbers.h"

namespace drywarp::machine {
namespace {

using device::DeviceSpec;
using machine::TimingClass;

constexpr ClassSet sets_of(std::initializer_list<TimingClass> classes) {
  ClassSet set = 0;
  for (const TimingClass c : classes) set |= set_of(c);
  return set;
}
constexpr ClassSet kShared =
    sets_of({TimingClass::SharedLoad, TimingClass::SharedStore, TimingClass::SharedAtomic, TimingClass::AsyncCopy});
constexpr ClassSet kMemory = sets_of({TimingClass::GlobalLoad, TimingClass::GlobalStore, TimingClass::LocalLoad,
                                      TimingClass::LocalStore, TimingClass::GlobalAtomic, TimingClass::AsyncCopy});

// Classes whose latency the memory system determines or that have none.
constexpr ClassSet kNoLatency =
    kMemory | kShared | sets_of({TimingClass::Branch, TimingClass::Barrier, TimingClass::Texture});

double sm_clock_hz(const NumberReader& r, const DeviceSpec& device) {
  return r.either("clock.sm_khz", device.sm_clock_khz) * 1e3;
}

memory::DramParameters read_dram(NumberReader& r, const DeviceSpec& device, double sm_clock_hz) {
  memory::DramParameters dram;
  dram.channels = static_cast<uint32_t>(r.need("dram.channels", kMemory));
  dram.banks = static_cast<uint32_t>(r.need("dram.banks", kMemory));
  dram.row_bytes = static_cast<uint32_t>(r.need("dram.row_bytes", kMemory));
  dram.burst_bytes = static_cast<uint32_t>(r.need("dram.burst_bytes", kMemory));
  dram.bytes_per_cycle = r.need("rates.dram_bytes_per_second", kMemory) / sm_clock_hz / dram.channels;
  const double cycles_per_ns = sm_clock_hz * 1e-9;
  dram.activate = r.need("dram.t_rcd", kMemory) * cycles_per_ns;
  dram.precharge = r.need("dram.t_rp", kMemory) * cycles_per_ns;
  dram.row_cycle = (r.need("dram.t_ras", kMemory) + r.need("dram.t_rp", kMemory)) * cycles_per_ns;
  dram.turnaround = (r.either("dram.t_wtr", 0) + r.either("dram.t_rtw", 0)) / 2 * cycles_per_ns;
  dram.write_batch = r.need("dram.write_batch", kMemory) * cycles_per_ns;
  dram.refresh = r.either("dram.t_rfc", 0) * cycles_per_ns;
  dram.refresh_interval = r.either("dram.t_refi", 0) * cycles_per_ns;
  // The measured bandwidth shows how much of a refresh the work of other banks hides.
  dram.refresh_share = dram.refresh_interval > 0 ? dram.refresh / dram.refresh_interval : 0;
  if (device.dram_bytes_per_second)
    dram.refresh_share =
        std::clamp(1 - r.either("dram.read_bytes_per_second", 0) / static_cast<double>(*device.dram_bytes_per_second),
                   0.0, dram.refresh_share);
  dram.reorder_window = dram.row_cycle * r.need("dram.reorder_row_cycles", kMemory);
  return dram;
}

// Sets no limit: the units behind it are slower.
constexpr double kUnlimited = 1e9;  // bytes a cycle

void read_l1(NumberReader& r, const DeviceSpec& device, MachineModel& m) {
  auto& l1 = m.memory.l1;
  l1.lines_per_cycle = r.either("l1.tags_per_cycle", 1);
  l1.caches_global = r.either("l1.caches_global", 1) != 0;
  l1.fills_lines = r.either("l1.sector_bytes", kSectorBytes) >= kLineBytes;
  l1.loads_segments = r.either("coalescing.largest_bytes", 0) >= kLineBytes;
  if (!device::exists(device, "l1.bytes")) {
    l1.bytes_per_cycle = l1.fill_bytes_per_cycle = l1.store_bytes_per_cycle = kUnlimited;
    return;
  }
  m.l1_bytes = static_cast<uint64_t>(r.need("l1.bytes", kMemory) - r.either("l1.reserved_bytes", 0));
  l1.ways = static_cast<uint32_t>(r.need("l1.ways", kMemory));
  l1.protects = static_cast<uint32_t>(r.either("l1.protects", 0));
  l1.hit_latency = r.need("l1.hit_latency", kMemory);
  l1.bytes_per_cycle = r.need("l1.bytes_per_cycle", kMemory);
  l1.fill_bytes_per_cycle = r.need("l1.fill_bytes_per_cycle", kMemory);
  l1.store_bytes_per_cycle = r.either("l1.store_bytes_per_cycle", l1.fill_bytes_per_cycle);
  l1.fill_lines_per_cycle = r.either("l1.fill_lines_per_cycle", 0);
  l1.store_mask_bytes = r.either("l1.store_mask_bytes", 0);
  l1.store_merge_window = static_cast<uint32_t>(r.either("l1.store_merge_window", 0));
  l1.store_merge_cycles = r.either("l1.store_merge_cycles", 0);
  l1.store_merge_line_cycles = r.either("l1.store_merge_line_cycles", 0);
  l1.store_merge_lines = static_cast<uint32_t>(r.need("l1.store_merge_lines", kMemory));
  l1.store_queue_cycles = r.need("l1.store_queue_cycles", kMemory);
  l1.bank_conflicts = r.either("l1.bank_conflicts", 0) != 0;
  l1.conflict_cycles = r.either("l1.conflict_cycles", 1);
  l1.warp_wavefront_cycles = r.either("l1.warp_wavefront_cycles", 1);
  l1.unified = r.either("l1.unified", 0) != 0;
  l1.allocates_stores = r.either("l1.write_allocate", 1) != 0;
  l1.allocates_local_stores = r.either("l1.local_write_allocate", l1.allocates_stores ? 1 : 0) != 0;
}

void read_l2(NumberReader& r, const DeviceSpec& device, MachineModel& m) {
  auto& l2 = m.memory.l2;
  l2.dirty_bytes = static_cast<uint64_t>(r.either("l2.dirty_bytes", 0));
  l2.partial_bytes = static_cast<uint64_t>(r.either("l2.partial_bytes", 0));
  l2.coalescers = static_cast<uint32_t>(r.either("l2.coalescers", 0));
  l2.coalesced = static_cast<uint32_t>(r.either("l2.coalesced_requests", 0));
  l2.queue_cycles = r.either("l2.queue_cycles", 0);
  l2.coalescer_latency = r.either("l2.coalescer_latency", 0);
  const double atomic = r.need("atomics.global_latency", set_of(TimingClass::GlobalAtomic));
  l2.atomic_latency = r.either("atomics.global_near_latency", atomic);
  l2.atomic_far_latency = r.either("atomics.global_far_latency", l2.atomic_latency);
  // All atomics on one address go to the same slice.
  const double integers = r.either("atomics.global_same_address_per_cycle", 1);
  const double floats = r.either("atomics.global_float_same_address_per_cycle", integers);
  const double sectors = r.either("atomics.unit_sectors_per_cycle", integers);
  l2.atomic_word_cycles = 1 / integers;
  l2.atomic_chain_cycles = {0, 1 / floats,
                            1 / floats};  // integers do not wait: 8 words again and again take a round each
  l2.atomic_round_cycles = {1 / sectors, 1 / sectors, 1 / r.either("atomics.unit_double_sectors_per_cycle", sectors)};
  if (const double polled = r.either("atomics.polled_reads_per_cycle", 0); polled > 0)
    l2.polled_read_cycles = 1 / polled;
  l2.after_read_cycles = r.either("atomics.after_read_cycles", 0);
  if (const double forwarded = r.either("atomics.forwarded_sectors_per_cycle", 0); forwarded > 0)
    l2.atomic_forward_cycles = 1 / forwarded;
  if (!device::exists(device, "l2.slices")) {  // requests go to the memory controllers
    const memory::DramParameters& dram = m.memory.dram;
    l2.slices = dram.channels;
    l2.latency_near = l2.latency_far = dram.latency;
    l2.bytes_per_cycle = kUnlimited;
    return;
  }
  l2.bytes = device.l2_bytes;
  l2.ways = static_cast<uint32_t>(r.need("l2.ways", kMemory));
  l2.slices = static_cast<uint32_t>(r.need("l2.slices", kMemory));
  l2.partitions = static_cast<uint32_t>(r.either("l2.partitions", 1));
  l2.latency_near = r.need("l2.latency_near", kMemory);
  l2.latency_far = r.either("l2.latency_far", l2.latency_near);
  l2.sector_latency = r.either("l2.sector_latency", 0);
  l2.latency_spread = r.either("l2.latency_spread", 0);
  l2.bytes_per_cycle = r.need("l2.read_bytes_per_cycle", kMemory) / l2.slices;
  l2.fabric_bytes_per_cycle = r.either("l2.fabric_bytes_per_cycle", 0);
  l2.write_bytes_per_cycle = r.either("l2.write_bytes_per_cycle", 0) / l2.slices;
  l2.lines_per_cycle = r.either("l2.read_lines_per_cycle", 0) / l2.slices;
  l2.fill_bytes = static_cast<uint32_t>(r.either("l2.fill_sectors", 1)) * 32;
  const double clock = r.either("clock.l2_khz", 0) * 1e3 / m.sm_clock_hz;
  l2.peaks = {clock * r.either("l2.requests_per_cycle_per_slice", 0),
              clock * r.either("l2.sectors_per_cycle_per_slice", 0),
              clock * r.either("l2.sectors_out_per_cycle_per_slice", 0),
              clock * r.either("l2.packets_in_per_cycle_per_slice", 0)};
}

void read_system_calls(NumberReader& r, MachineModel& m) {
  static constexpr const char* kKeys[] = {
#define DW_SYSTEM_CALL(name, key, function) key,
#include "model/machine/system_calls.def"
  };
  for (unsigned i = 0; i < std::size(kKeys); ++i) {
    const auto number = [&](const char* what) {
      return r.either(fmt::format("system_calls.{}_{}", kKeys[i], what), 0);
    };
    m.system_calls[i + 1] = {number("instructions"),  number("lane_instructions"), number("waiting_instructions"),
                             number("cycles"),        number("lane_cycles"),       number("first_cycles"),
                             number("device_cycles"), number("device_lane_cycles")};
  }
}

MachineModel read_model(NumberReader& r, const DeviceSpec& device) {
  MachineModel m;
  m.sms = device.multiprocessors;
  m.sub_partitions = device.sub_partitions;
  m.max_warps_per_sm = device.max_warps_per_multiprocessor();
  m.max_blocks_per_sm = device.max_blocks_per_multiprocessor;
  m.sm_clock_hz = sm_clock_hz(r, device);
  for (unsigned c = 0; c < kTimingClasses; ++c) {
    const auto timing = static_cast<TimingClass>(c);
    const ClassSet set = set_of(timing);
    m.latency[c] = 1;
    if ((kNoLatency & set) == 0)
      m.latency[c] = static_cast<float>(r.need(fmt::format("latency.{}", key(timing)), set));
    else if (const auto latency = device.timing.latency_of(key(timing)))
      m.latency[c] = static_cast<float>(*latency);
    m.issue[c] = static_cast<float>(r.issue(timing));
  }
  // A fetch takes the way of a load through the caches; what a hit takes longer is the texture unit's.
  const auto texture = file_number(device, "texture.l1_latency"), load = file_number(device, "l1.hit_latency");
  m.latency[size_t(TimingClass::Texture)] = texture && load ? static_cast<float>(std::max(*texture - *load, 0.0)) : 0;
  // Values above 1 mean dual issue, of two instructions of the same warp.
  m.issue_interval = 1 / std::min(1.0, r.either("scheduler.issue_per_cycle", 1));
  m.wide_product_interval = std::max(m.issue_interval, r.either("scheduler.wide_product_cycles", 0));
  m.wide_factor_cycles = r.either("scheduler.wide_factor_cycles", 0);
  m.wide_low_cycles = r.either("scheduler.wide_low_cycles", 0);
  m.dual_issue = r.either("scheduler.dual_issue", 0) != 0;
  m.register_banks = r.either("scheduler.register_banks", 0) != 0;
  m.one_arithmetic_pipe = r.either("scheduler.one_arithmetic_pipe", 0) != 0;
  m.shared_splits = shared_banks(device).rule == BankRule::Tesla;
  m.shared_latency = r.need("shared.latency", kShared);
  m.shared_atomic_latency = r.need("atomics.shared_latency", set_of(TimingClass::SharedAtomic));
  m.shared_wavefronts_per_cycle = r.either("shared.wavefronts_per_cycle", 1);
  m.remote_latency = r.either("shared.remote_latency", m.shared_latency);
  m.remote_cycles = r.either("shared.remote_cycles", 0);
  m.shared_conflict_cycles = r.either("shared.conflict_cycles", 0);
  // A conflict-free 128-bit load has four wavefronts in four transactions.
  const double wavefronts_of_128 = m.shared_latency + 3 * m.shared_conflict_cycles;
  m.shared_transaction_cycles =
      std::max(0.0, r.either("shared.latency_128", wavefronts_of_128) - wavefronts_of_128) / 3;
  m.load_store_per_cycle = r.need("scheduler.load_store_per_cycle", kEveryLaunch);
  m.spacing = {0, r.either("scheduler.warp_load_store_cycles", 0), r.either("scheduler.warp_constant_cycles", 0)};
  m.memory_queue = static_cast<uint32_t>(r.need("scheduler.memory_queue", kEveryLaunch));
  m.unit_queue = static_cast<uint32_t>(r.either("scheduler.unit_queue", 0));
  m.loads_in_flight = static_cast<uint32_t>(r.either("scheduler.loads_in_flight", 0));
  const double adu = r.either("scheduler.adu_per_cycle", 0);
  m.adu_interval = adu > 0 ? 1 / adu : 0;
  m.group_interval = r.either("matrix.group_interval", 0);
  m.group_start_cycles = r.either("matrix.group_start_cycles", 0);
  m.bulk_request_interval = 1 / r.either("bulk_copies.requests_per_cycle", 1);
  m.bulk_tensor_cycles = r.either("bulk_copies.tensor_cycles", 0);
  m.bulk_store_latency = r.either("bulk_copies.store_cycles", 0);
  m.fence_idle = r.either("barrier.fence_device_latency", 0);
  m.fence_behind = r.either("barrier.fence_behind_latency", m.fence_idle);
  m.fence_interval = r.either("barrier.fence_interval", 0);
  m.barrier_latency = r.need("barrier.latency", set_of(TimingClass::Barrier));
  m.barrier_warp_cycles = r.either("barrier.warp_cycles", 0);
  m.barrier_wavefronts = r.either("barrier.wavefronts", 0);
  m.other_pipe_cycles = r.either("scheduler.other_pipe_cycles", 0);
  m.branch_latency = r.need("scheduler.branch_cycles", set_of(TimingClass::Branch));
  m.call_latency = r.either("scheduler.call_cycles", m.branch_latency);
  m.pointer_call_interval = r.either("scheduler.pointer_call_interval", 0);
  m.taken_branch_interval = r.either("scheduler.taken_branch_interval", 0);
  read_system_calls(r, m);
  const double alu = m.latency[unsigned(TimingClass::Alu)];
  m.branch_not_taken_cycles = r.either("scheduler.branch_not_taken_cycles", m.branch_latency);
  m.block_end_cycles = r.either("scheduler.block_end_cycles", 0);
  m.divergence_cycles = std::max(0.0, r.either("scheduler.divergence_cycles", 0) - m.branch_not_taken_cycles);
  m.yield_latency = r.either("scheduler.yield_cycles", 0);
  m.table_jump_latency = r.either("scheduler.table_jump_cycles", m.branch_latency);
  m.table_divergence_cycles =
      std::max(m.divergence_cycles, r.either("scheduler.table_target_cycles", 0) - m.branch_not_taken_cycles);
  m.branch_predicate_cycles = std::max(0.0, r.either("scheduler.branch_predicate_cycles", alu) - alu);
  // Device files give latencies from the load to its use. The model needs the cycles of a miss beyond a hit.
  const double constant_hit = r.either("constant.l1_latency", 0);
  m.constant_miss_cycles = std::max(0.0, r.either("constant.l15_latency", 0) - constant_hit);
  m.constant_far_cycles = std::max(m.constant_miss_cycles, r.either("constant.l2_latency", 0) - constant_hit);
  m.constant_line_cycles = r.either("constant.line_cycles", 0);
  m.constant_line_bytes = static_cast<uint32_t>(r.need("constant.line_bytes", kEveryLaunch));
  m.match_value_cycles = r.either("scheduler.match_value_cycles", 0);
  m.constant_word_latency = r.either("constant.word_latency", 0);
  m.constant_word_interval = r.either("constant.word_interval", 0);
  m.block_launch_cycles = r.either("launch.block_cycles", 0);
  m.block_interval_cycles = r.either("launch.block_interval", 0);
  m.dispatch_cycles = r.either("launch.device_block_interval", 0);
  m.warp_interval_cycles = r.either("launch.warp_interval", 0);
  m.code_cache_bytes = static_cast<uint64_t>(r.either("instruction_cache.l1_bytes", 0));
  m.code_cache_ways = static_cast<uint32_t>(r.need("instruction_cache.ways", kEveryLaunch));
  m.instruction_bytes = static_cast<uint32_t>(r.need("instruction_cache.instruction_bytes", kEveryLaunch));
  m.second_code_cache_bytes = static_cast<uint64_t>(r.either("instruction_cache.l2_bytes", 0));
  // The device file gives cycles per instruction of straight-line code that misses.
  const double in_a_line = kLineBytes / static_cast<double>(m.instruction_bytes);
  m.code_line_cycles = r.either("instruction_cache.l2_miss_cycles", 0) * in_a_line;
  m.next_code_line_cycles = std::min(r.either("instruction_cache.l1_miss_cycles", 0) * in_a_line, m.code_line_cycles);
  m.launch_seconds = r.need("launch.overhead_ns", kEveryLaunch) * 1e-9;
  m.launch_cycles = r.either("launch.overhead_cycles", m.launch_seconds * m.sm_clock_hz);
  m.first_code_cycles = std::min(m.launch_cycles, r.either("launch.first_code_cycles", 0));
  m.end_cycles = r.either("launch.end_cycles", 0);
  m.end_bytes = r.either("launch.end_bytes", 0);

  m.memory.sms = m.sms;
  auto& dram = m.memory.dram = read_dram(r, device, m.sm_clock_hz);
  dram.latency = r.need("dram.latency", kMemory);
  read_l1(r, device, m);
  read_l2(r, device, m);
  return m;
}

bool concerns(const Gap& gap, ClassSet classes) { return gap.classes == kEveryLaunch || (gap.classes & classes) != 0; }

Status has_all(const MachineModel& model, ClassSet classes, std::string_view consequence) {
  std::vector<std::string_view> lacks, impossible;
  for (const Gap& gap : model.gaps)
    if (gap.stand_in.empty() && concerns(gap, classes)) (gap.no_such_thing ? impossible : lacks).push_back(gap.path);
  if (!impossible.empty())
    return error(fmt::format("a {} has no hardware for {}: {}", model.device, fmt::join(impossible, ", "), consequence),
                 "compile for the device's compute capability");
  if (lacks.empty()) return {};
  return error(fmt::format("the file of {} has no {}: {}", model.device, fmt::join(lacks, ", "), consequence),
               "add the numbers with their sources, or measure them with `drywarp calibrate`");
}

}  // namespace

ClassSet classes_of(const machine::MachineKernel& code) {
  ClassSet set = 0;
  for (const machine::MachineBlock& block : code.blocks)
    for (const machine::MachineInstruction& in : block.instructions) set |= set_of(machine::info(in.op).timing);
  return set;
}

MachineModel machine_model(const DeviceSpec& device) {
  NumberReader r(device);
  MachineModel m = read_model(r, device);
  m.device = device.name;
  m.gaps = r.take_gaps();
  return m;
}

Status can_time(const MachineModel& model, ClassSet classes) {
  return has_all(model, classes, "its time cannot be predicted");
}

std::vector<StandIn> stand_ins(const MachineModel& model, ClassSet classes) {
  std::vector<StandIn> all;
  for (const Gap& gap : model.gaps)
    if (!gap.stand_in.empty() && concerns(gap, classes)) all.push_back({gap.path, gap.stand_in});
  return all;
}

Result<MemoryModel> memory_model(const DeviceSpec& device) {
  MachineModel m = machine_model(device);
  std::erase_if(m.gaps, [](const Gap& gap) { return (gap.classes & kMemory) == 0; });
  if (Status known = has_all(m, kMemory, "its memory cannot be modelled"); !known) return known.problem();
  MemoryModel model{m.memory, stand_ins(m, kMemory)};
  const uint64_t shared = device.shared_carveouts.empty() ? 0 : device.shared_carveouts.front();
  model.parameters.l1.bytes = device.timing.l1.largest_bytes.value_or(m.l1_bytes - std::min(m.l1_bytes, shared));
  return model;
}

Result<memory::DramParameters> dram_parameters(const DeviceSpec& device) {
  NumberReader r(device);
  const memory::DramParameters dram = read_dram(r, device, sm_clock_hz(r, device));
  MachineModel m;
  m.device = device.name;
  m.gaps = r.take_gaps();
  if (Status known = has_all(m, kMemory, "its DRAM cannot be modelled"); !known) return known.problem();
  return dram;
}

}  // namespace drywarp::machine
