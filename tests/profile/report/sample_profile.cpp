#include "sample_profile.h"

namespace drywarp::report {
namespace {

InstructionInfo instruction(InstructionClass klass, uint32_t line, uint32_t block, const char* text) {
  InstructionInfo i;
  i.klass = klass, i.line = line, i.block = block, i.text = text, i.file = 0;
  return i;
}

AccessCounts access(uint64_t requests, uint64_t lanes, uint64_t unique_bytes, uint64_t units, uint64_t ideal,
                    uint64_t ways) {
  AccessCounts a;
  a.requests = requests, a.lanes = lanes, a.bytes = lanes * 4, a.unique_bytes = unique_bytes;
  a.units = units, a.ideal_units = ideal, a.ways = ways;
  return a;
}

std::shared_ptr<KernelInfo> transpose(const std::string& source) {
  auto k = std::make_shared<KernelInfo>();
  k->name = "_Z9transposePKfPfi", k->display_name = "transpose(float const*, float*, int)";
  k->files = {source};
  k->registers = 12, k->static_shared_bytes = 4096;
  auto address = instruction(InstructionClass::Integer, 4, 0, "mad.lo.s32 %r1, %r2, %r3, %r4;");
  auto load = instruction(InstructionClass::LoadStore, 5, 0, "ld.global.f32 %f1, [%rd1];");
  load.load = true, load.access = 0, load.access_bytes = 4;
  auto put = instruction(InstructionClass::LoadStore, 5, 0, "st.shared.f32 [%r5], %f1;");
  put.store = true, put.access = 1, put.memory = Memory::Shared, put.access_bytes = 4;
  auto barrier = instruction(InstructionClass::Barrier, 6, 0, "bar.sync 0;");
  barrier.barrier = true;
  auto take = instruction(InstructionClass::LoadStore, 7, 0, "ld.shared.f32 %f2, [%r6];");
  take.load = true, take.access = 2, take.memory = Memory::Shared, take.access_bytes = 4;
  auto store = instruction(InstructionClass::LoadStore, 7, 0, "st.global.f32 [%rd2], %f2;");
  store.store = true, store.access = 3, store.access_bytes = 4;
  k->instructions = {address, load, put, barrier, take, store, instruction(InstructionClass::Control, 8, 0, "ret;")};
  for (uint32_t i = 0; i < k->instructions.size(); ++i) k->instructions[i].ptx_line = 20 + i;
  return k;
}

std::shared_ptr<KernelInfo> reduce(const std::string& source) {
  auto k = std::make_shared<KernelInfo>();
  k->name = "_Z6reducePii", k->display_name = "reduce(int*, int)";
  k->files = {source};
  auto branch = instruction(InstructionClass::Control, 13, 0, "@%p1 bra $L__BB1_2;");
  branch.branch = 0;
  auto load = instruction(InstructionClass::LoadStore, 14, 1, "ld.global.u32 %r1, [%rd1];");
  load.load = true, load.access = 0, load.access_bytes = 4;
  auto add = instruction(InstructionClass::Fp32, 14, 1, "@%p2 fma.rn.f32 %f1, %f2, %f3, %f4;");
  add.predicate = 0, add.flops = 2, add.fma = true;
  auto atomic = instruction(InstructionClass::Atomic, 15, 1, "atom.global.add.u32 %r3, [%rd2], %r1;");
  atomic.atomic = true, atomic.access = 1, atomic.access_bytes = 4;
  k->instructions = {branch, load, add, atomic};
  for (uint32_t i = 0; i < k->instructions.size(); ++i) k->instructions[i].ptx_line = 40 + i;
  return k;
}

record::LaunchRecord transpose_launch(uint64_t warps, double start) {
  record::LaunchRecord l;
  l.kernel = 0;
  l.grid = {uint32_t(warps / 32), 1, 1}, l.block = {32, 32, 1};
  l.start_seconds = start, l.host_seconds = 0.0123;
  l.counted = true;
  l.counts.blocks_run = warps / 32, l.counts.warps_run = warps, l.counts.threads_run = warps * 32;
  l.counts.blocks = {{warps, warps * 32}};
  const uint64_t lanes = warps * 32, bytes = lanes * 4;
  l.counts.accesses = {access(warps, lanes, bytes, warps * 4, warps * 4, 0),
                       access(warps, lanes, bytes, warps, warps, 1), access(warps, lanes, bytes, warps * 32, warps, 32),
                       access(warps, lanes, bytes, warps * 4, warps * 4, 0)};
  return l;
}

record::LaunchRecord reduce_launch() {
  record::LaunchRecord l;
  l.kernel = 1;
  l.grid = {4, 1, 1}, l.block = {64, 1, 1};
  l.dynamic_shared_bytes = 256, l.stream = 3, l.range = "train/step";
  l.start_seconds = 0.5, l.host_seconds = 0.000042;
  l.counted = true;
  l.counts.blocks_run = 4, l.counts.warps_run = 8, l.counts.threads_run = 256;
  l.counts.blocks = {{8, 256}, {8, 128}};
  l.counts.predicates = {{6, 80}};
  l.counts.branches = {{4, 8}};
  l.counts.accesses = {access(8, 128, 512, 32, 16, 0), access(8, 128, 32, 128, 16, 0)};
  l.counts.accesses[1].atomic_addresses = 8, l.counts.accesses[1].atomic_rounds = 128;
  return l;
}

}  // namespace

record::Profile sample_profile(const std::string& source) {
  record::Profile p;
  p.program = "./transpose 1024", p.device = "NVIDIA H200", p.drywarp_version = "0.1.0";
  p.kernels = {transpose(source), reduce(source)};
  p.launches = {transpose_launch(32768, 0.25), transpose_launch(8192, 0.3), reduce_launch()};
  record::LaunchRecord skipped = reduce_launch();
  skipped.counted = false, skipped.counts = {}, skipped.fault = "illegal address 0x10 in reduce(int*, int), a.cu:14";
  p.launches.push_back(skipped);
  p.transfers = {{record::TransferKind::HostToDevice, 4 << 20, 0, 0.1, 0.001},
                 {record::TransferKind::DeviceToHost, 4 << 20, 0, 0.4, 0.002},
                 {record::TransferKind::HostToDevice, 12, 0, 0.2, 0.000001},
                 {record::TransferKind::Memset, 1 << 10, 2, 0.2, 0.000002}};
  p.api_calls = {{"cudaMalloc", 0.01, 0.0001}, {"cudaMalloc", 0.02, 0.0003}, {"cudaLaunchKernel", 0.25, 0.02}};
  return p;
}

record::Profile timed_profile(const std::string& source) {
  using sm::Stall;
  auto time = std::make_shared<sm::LaunchTime>();
  sm::Summary& s = time->summary;
  s.duration_ns = 20000, s.elapsed_cycles = 39600, s.blocks = 1024, s.simulated_blocks = 528;
  s.sms = 132, s.schedulers = 4, s.sm_clock_hz = 1.98e9, s.launch_overhead_ns = 1500;
  s.peak_hp_flops = 134e12, s.peak_sp_flops = 66.9e12, s.peak_dp_flops = 33.5e12;
  s.peak_dram_bytes = 4.8e12, s.peak_l2_bytes = 7e12, s.peak_l1_bytes = 33e12;
  s.sm_pct = 12, s.memory_pct = 84, s.dram_pct = 30, s.l2_pct = 40, s.l1_pct = 86, s.shared_pct = 84;
  s.sm_active_pct = 97, s.waves = 1.94, s.theoretical_occupancy_pct = 100, s.achieved_occupancy_pct = 85;
  s.warp_instructions = 300000, s.warp_cycles = 4e6, s.ipc = 0.7, s.dram_read_bytes = 4 << 20;
  s.l2_read_sectors = 131072, s.l2_write_sectors = 131072, s.l2_tex_read_sectors = 98304,
  s.l2_tex_write_sectors = 98304, s.l1_sectors = 262144;
  s.stalls_per_issue[unsigned(Stall::Selected)] = 1;
  s.stalls_per_issue[unsigned(Stall::MioThrottle)] = 9;
  time->instructions.resize(7);
  const auto stall = [&](size_t instruction, Stall reason, double cycles) {
    time->instructions[instruction].issued += 32768;
    time->instructions[instruction].stalls[unsigned(reason)] += cycles;
  };
  stall(0, Stall::Wait, 2e5), stall(1, Stall::LongScoreboard, 3e5), stall(2, Stall::LongScoreboard, 5e5);
  stall(3, Stall::Barrier, 6e5), stall(4, Stall::MioThrottle, 9e5), stall(5, Stall::ShortScoreboard, 14e5);
  stall(5, Stall::Selected, 1e5);
  record::Profile p = sample_profile(source);
  // It computes, too: for the roofline.
  auto kernel = std::make_shared<KernelInfo>(*p.kernels[0]);
  kernel->instructions[0].klass = InstructionClass::Fp32;
  kernel->instructions[0].flops = 2, kernel->instructions[0].fma = true;
  p.kernels[0] = kernel;
  p.launches[1] = p.launches[0];
  p.launches[0].time = p.launches[1].time = time;
  p.launches[2].untimed = "it would take too long to model";
  return p;
}

}  // namespace drywarp::report
