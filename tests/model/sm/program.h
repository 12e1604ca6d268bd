// A program of hand-written machine code and traces, and a machine of round numbers to run it.
#pragma once

#include <gtest/gtest.h>

#include "model/sm/timing.h"

namespace drywarp::sm {

// An instruction of general registers, of the first PTX instruction.
inline machine::MachineInstruction make(machine::Operation op, int destination = -1, std::vector<int> sources = {}) {
  using machine::RegisterFile;
  machine::MachineInstruction in;
  in.op = op;
  if (destination >= 0) in.destination.set(0, {RegisterFile::General, uint16_t(destination), 1});
  for (size_t i = 0; i < sources.size(); ++i) in.source.set(i, {RegisterFile::General, uint16_t(sources[i]), 1});
  in.ptx = 0;
  return in;
}

using machine::MachineInstruction;
using machine::Operation;

inline machine::MachineModel round_machine() {
  machine::MachineModel m;
  m.sms = 2, m.sub_partitions = 4, m.max_warps_per_sm = 64;
  m.sm_clock_hz = 1e9;
  m.latency.fill(4);
  m.issue.fill(1);
  m.issue[unsigned(machine::TimingClass::Double)] = 16;
  m.latency[unsigned(machine::TimingClass::Transcendental)] = 20;
  m.shared_latency = 25, m.shared_atomic_latency = 60;
  m.memory_queue = 8;
  m.barrier_latency = 20;
  m.branch_latency = 10;
  m.l1_bytes = 65536;
  auto& p = m.memory;
  p.sms = 2;
  p.l1 = {.bytes = 0,
          .ways = 4,
          .hit_latency = 30,
          .lines_per_cycle = 1,
          .bytes_per_cycle = 128,
          .fill_bytes_per_cycle = 64,
          .store_bytes_per_cycle = 64};
  p.l2 = {.bytes = 1 << 20,
          .ways = 16,
          .slices = 4,
          .bytes_per_cycle = 32,
          .latency_near = 200,
          .latency_far = 200,
          .atomic_round_cycles = {1, 1, 1},
          .atomic_chain_cycles = {1, 1, 1}};
  p.dram = {.channels = 4, .banks = 16, .row_bytes = 1024, .burst_bytes = 32, .bytes_per_cycle = 8, .latency = 400};
  return m;
}

struct Program {
  machine::MachineKernel code;
  WarpTrace warp;  // the trace of every warp
  uint64_t blocks = 1, grid = 0;
  uint32_t threads = 32, per_sm = 8;

  Program() { code.blocks.push_back({{{0, false}}, {}}); }
  void add(const MachineInstruction& in) { code.blocks[0].instructions.push_back(in); }
  KernelTiming run(const machine::MachineModel& model = round_machine(), Timeline* recorded = nullptr) {
    if (warp.steps.empty()) warp.steps.push_back({0, ~0u, 1});
    LaunchTrace trace;
    for (uint64_t b = 0; b < blocks; ++b) {
      BlockTrace block{b, {}};
      block.warps.assign((threads + 31) / 32, warp);
      trace.blocks.push_back(block);
    }
    trace.blocks_in_grid = grid != 0 ? grid : blocks;
    auto result = time_launch(model, code, trace, {trace.blocks_in_grid, threads, per_sm, 0, 1}, {}, recorded);
    EXPECT_TRUE(result.ok());
    return *result;
  }
};

}  // namespace drywarp::sm
