// What warps did, in order: the input of timing. Recorded for a sample of a launch's blocks, read once.
//
// A warp's trace is two streams. `steps`: the blocks of the PTX kernel that it ran (numbers as in LaunchCounts::blocks)
// with the lanes that ran them, in the order in which they ran; where lanes diverge, one side's steps come before the
// other's, as on hardware. `accesses`: what the memory instructions and barriers in those blocks did, in order, with
// the step that they belong to; an instruction whose guard let no lane pass leaves nothing.
//
// Steps that repeat are folded: see WarpStep::repeats. Addresses count from the start of the device's memory, so that a
// trace is the same in every run.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <vector>

#include "base/access/access_pattern.h"
#include "base/access/address_space.h"
#include "base/events/counts.h"

namespace drywarp {

struct WarpStep {
  uint32_t block = 0;
  LaneMask lanes = 0;
  uint32_t repeats = 1;  // this many executions of the same block by the same lanes, one after the other
};

// One access. Shared: what it costs, no addresses. Global and local: the lines it touches, in WarpTrace::lines.
struct TraceAccess {
  uint32_t step = 0;      // the step before which so many were executed: repeats counted one by one
  uint32_t access = ~0u;  // index into LaunchCounts::accesses, as InstructionInfo::access; a barrier has none
  uint32_t first_line = 0;
  uint16_t line_count = 0;
  AddressSpace space = AddressSpace::Global;
  uint8_t lanes = 0;  // how many took part
  // Shared: wavefronts, and what they would be without conflicts. Loads and stores of global and local memory:
  // wavefronts, if the banks of the L1 conflict as shared memory's do. Global atomics: rounds (of each
  // sector, the most lanes on one address; of each line in TraceLine), and distinct addresses. Barrier: its number, and
  // the threads that it waits for (0: all of the block).
  uint16_t units = 0, ideal_units = 0;
};

// A 128-byte line and which of its four sectors were touched. Of stores also: which of them were written in part only,
// and how many bytes of each of those (the mean of them). Local memory: lines of the thread's window as hardware
// interleaves it, relative to the warp's local memory. Of atomics: the rounds that the line's sectors take.
struct TraceLine {
  uint64_t packed = 0;  // line number, 5 bits of bytes and 4 of parts, or 9 of rounds, 4 of sectors
  static TraceLine of(uint64_t address, unsigned sectors, unsigned parts = 0, unsigned part_bytes = 0) {
    return {address / kLineBytes << 13 | part_bytes << 8 | parts << 4 | sectors};
  }
  [[nodiscard]] uint64_t number() const { return packed >> 13; }
  [[nodiscard]] uint64_t address() const { return number() * kLineBytes; }
  [[nodiscard]] unsigned sectors() const { return packed & 15; }  // bit s: bytes [32 s, 32 s + 32)
  [[nodiscard]] unsigned parts() const { return packed >> 4 & 15; }
  [[nodiscard]] unsigned part_bytes() const { return packed >> 8 & 31; }
  static TraceLine of_atomic(uint64_t address, unsigned sectors, unsigned rounds) {
    return {address / kLineBytes << 13 | rounds << 4 | sectors};
  }
  [[nodiscard]] unsigned rounds() const { return packed >> 4 & 511; }  // of an atomic
};

struct WarpTrace {
  std::pmr::vector<WarpStep> steps;
  std::pmr::vector<TraceAccess> accesses;
  std::pmr::vector<TraceLine> lines;
  [[nodiscard]] uint64_t bytes() const {
    return steps.size() * sizeof(WarpStep) + accesses.size() * sizeof(TraceAccess) + lines.size() * sizeof(TraceLine);
  }
};

struct BlockTrace {
  uint64_t block = 0;  // linear index in the grid, x fastest
  std::vector<WarpTrace> warps;
};

// Which blocks to record. Blocks are recorded from the first on until `bytes` or `instructions` are spent or `blocks`
// are recorded; a block is recorded whole or not at all. The lines that
// `witnesses` sample blocks load, spread over the grid, are noted too: they tell what the recorded blocks share with
// others.
struct TraceRequest {
  uint64_t blocks = 0;  // 0: no trace
  uint64_t bytes = 0;
  uint64_t instructions = ~uint64_t{0};  // PTX instructions, warp level
  uint32_t witnesses = 0;
  // The witness with this number, ascending: one of each of `witnesses` pieces of the grid. Not in the same place of
  // all pieces, which a row of blocks may divide.
  [[nodiscard]] uint64_t witness(uint32_t number, uint64_t blocks_in_grid) const;
  [[nodiscard]] bool is_witness(uint64_t block, uint64_t blocks_in_grid) const;
};

// The lines of global memory that a block loads: a sample by their numbers, each once, in ascending order.
struct BlockLines {
  uint64_t block = 0;
  std::vector<uint64_t> lines;
};

struct LaunchTrace {
  std::shared_ptr<std::pmr::memory_resource> memory;  // that the blocks' streams lie in, if they lie together
  std::vector<BlockTrace> blocks;                     // from the grid's first on
  uint64_t blocks_in_grid = 0;
  std::vector<bool> loads;            // by TraceAccess::access, whether it is one
  std::vector<BlockLines> witnesses;  // in ascending order of their blocks
};

// By TraceAccess::access, whether it is a load.
[[nodiscard]] std::vector<bool> loads_of(const KernelInfo& kernel);
[[nodiscard]] BlockLines lines_of(const BlockTrace& block, const std::vector<bool>& loads);

// PTX instructions, warp level, that the block executed. `sizes`: how many there are in each of the kernel's PTX
// blocks.
[[nodiscard]] uint64_t instructions_of(const BlockTrace& block, const std::vector<uint32_t>& sizes);
// ... for each PTX block of the kernel.
[[nodiscard]] std::vector<uint32_t> block_sizes(const KernelInfo& kernel);

// A digest of where in memory the accesses went, as seen from where each instruction went first: equal for launches
// that do the same with other buffers.
[[nodiscard]] uint64_t places_of(const LaunchTrace& trace);

}  // namespace drywarp
