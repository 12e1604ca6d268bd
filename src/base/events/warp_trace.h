// The execution of warps, in order: the input of the timing model. Recorded for a sample of a launch's blocks.
//
// A warp's trace is two streams. `steps`: the blocks of the PTX kernel that it ran (numbers as in LaunchCounts::blocks)
// with the lanes that ran them, in the order in which they ran; where lanes diverge, one side's steps come before the
// other's, as on hardware. `accesses`: what the memory instructions and barriers in those blocks did, in order, with
// the step that they belong to; an instruction whose guard is false in every lane leaves no entry.
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
#include "base/events/block_rows.h"
#include "base/events/counts.h"

namespace drywarp {

struct WarpStep {
  uint32_t block = 0;
  LaneMask lanes = 0;
  uint32_t repeats = 1;  // consecutive executions of the same block by the same lanes
  bool operator==(const WarpStep&) const = default;
};

// What an access of shared memory would cost if it moved the aligned 8 or 16 bytes around each lane's words: ptxas
// merges those of adjacent words. 0 units: it moves as many bytes itself, or lanes begin at different places of them.
struct WiderLoad {
  uint8_t units = 0, ideal_units = 0;
  bool operator==(const WiderLoad&) const = default;
};

// One access, barrier, rare case of a division or root, or match of values. Shared: what it costs, no addresses. Global
// and local: the lines it touches, in WarpTrace::lines.
struct TraceAccess {
  uint32_t step = 0;  // index of its step, repeats counted one by one
  // Index into LaunchCounts::accesses, as InstructionInfo::access; a barrier has none. Rare case, match: its
  // instruction, in KernelInfo::instructions.
  uint32_t access = ~0u;
  // Shared memory has no lines: there it holds the wider loads. But of swaps (AccessKind::Swap) there, WarpTrace::lines
  // has each word and how many lanes are at it.
  uint32_t first_line = 0;
  uint16_t line_count = 0;
  AddressSpace space = AddressSpace::Global;
  uint8_t lanes = 0;  // how many took part
  // Shared: wavefronts, and wavefronts without conflicts. Global and local loads and stores: wavefronts, if the banks
  // of the L1 conflict as shared memory's do. Global atomics: rounds (for each sector the most lanes on one address;
  // TraceLine has those of a line), and distinct addresses. Barrier: its number, and the threads that it waits for (0:
  // the whole block). Shared memory of another block of the cluster (space SharedCluster): pieces of 128 bytes.
  // Constants: different words, of which lanes load more than one. Rare case: a bit for each RareCase that lanes have.
  // Match: different values, of which lanes have more than one.
  uint16_t units = 0, ideal_units = 0;

  [[nodiscard]] bool is_barrier() const { return space == AddressSpace::None && access == ~0u; }
  [[nodiscard]] bool is_of_instruction() const { return space == AddressSpace::None && access != ~0u; }
  // Of 8 or 16 bytes; only of shared memory.
  [[nodiscard]] WiderLoad wider(unsigned bytes) const {
    const uint32_t packed = first_line >> shift_of(bytes);
    return {static_cast<uint8_t>(packed & 0xff), static_cast<uint8_t>(packed >> 8 & 0xff)};
  }
  void set_wider(unsigned bytes, WiderLoad load) {
    first_line &= ~(0xffffu << shift_of(bytes));
    first_line |= uint32_t{load.units} << shift_of(bytes) | uint32_t{load.ideal_units} << (shift_of(bytes) + 8);
  }

 private:
  static constexpr unsigned shift_of(unsigned bytes) { return bytes == 16 ? 16 : 0; }
};

// A 128-byte line and which of its four sectors an access touched. Stores: also which sectors are written partially,
// and the mean of the bytes written to those. Local memory: lines of the hardware's interleaved layout, relative to the
// warp's local memory. Atomics: the rounds of the line's sectors. Swaps in shared memory: a word, and its lanes.
struct TraceLine {
  uint64_t packed = 0;  // line number; 5 bits of bytes and 4 of partial sectors, or 9 of rounds; 4 of sectors
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
  static TraceLine of_word(uint64_t word, unsigned lanes) { return {word << 13 | lanes}; }
  [[nodiscard]] unsigned lanes() const { return packed & 63; }  // of a swap in shared memory, at word number()
};

// What the lanes of an instruction do to a barrier object (mbarrier), or wait for. Waits that do not pass are no part
// of a trace, and neither is the iteration of a loop that does nothing but such a wait.
struct ObjectUse {
  enum class Kind : uint8_t { Init, Change, Wait };
  uint32_t step = 0;         // as TraceAccess::step
  uint32_t instruction = 0;  // in KernelInfo::instructions; a copy of many bytes has those bytes
  uint32_t object = 0;       // its place in the block's shared memory
  uint32_t arrivals = 0;     // Init: of each phase
  int32_t bytes = 0;         // Change: that are to come; less than 0: that have come
  uint16_t dropped = 0;      // Change: arrivals that later phases do not wait for
  Kind kind = Kind::Wait;
  uint8_t phase = 0;  // Wait: the lowest bit of the phase that has to be complete
  bool operator==(const ObjectUse&) const = default;
};

// A store or an atomic of a launch.
struct WriteId {
  uint64_t block = 0;
  uint32_t warp = 0;
  uint32_t access = 0;  // in WarpTrace::accesses
  auto operator<=>(const WriteId&) const = default;
};

// A loop that polls a word of global memory has seen what another warp wrote there. Iterations that saw nothing new are
// no part of a trace; the one that did goes on as soon as the write has reached the L2.
struct AwaitedWrite {
  uint32_t access = 0;  // the poll, in WarpTrace::accesses
  LaneMask lanes = 0;   // that saw it
  WriteId write;
  bool operator==(const AwaitedWrite&) const = default;
};

// What a write leaves in memory builds on another one, which has come before: a counter's value on the addition before,
// a flag's on the addition by which its warp has learned that it is the last to arrive. Whoever sees the write sees
// that all these have come.
struct BuiltOn {
  WriteId write, before;
  bool operator==(const BuiltOn&) const = default;
};

struct WarpTrace {
  std::pmr::vector<WarpStep> steps;
  std::pmr::vector<TraceAccess> accesses;
  std::pmr::vector<TraceLine> lines;
  std::pmr::vector<ObjectUse> objects;
  std::vector<AwaitedWrite> awaited;  // ascending by poll
  [[nodiscard]] uint64_t bytes() const {
    return steps.size() * sizeof(WarpStep) + accesses.size() * sizeof(TraceAccess) + lines.size() * sizeof(TraceLine) +
           objects.size() * sizeof(ObjectUse) + awaited.size() * sizeof(AwaitedWrite);
  }
};

struct BlockTrace {
  uint64_t block = 0;  // linear index in the grid, x fastest
  std::vector<WarpTrace> warps;
  uint64_t polls = 0;  // PTX instructions, warp level, of iterations that waited in vain, which the trace lacks
};

// So many SMs, and what may be recorded of their blocks.
struct TraceWidth {
  uint32_t sms = 0;
  uint64_t instructions = 0;  // PTX instructions, warp level
};

// Which blocks to record. Blocks are recorded from the first on until `bytes` or `instructions` are spent or `blocks`
// are recorded; a block is recorded whole or not at all. With `widths`, the blocks of fewer and fewer SMs are kept as
// more than theirs is recorded, and only those of the last are recorded in part. The lines that `sample_blocks` blocks
// spread over the grid load are recorded too: they estimate what the recorded blocks share with others.
struct TraceRequest {
  uint64_t blocks = 0;  // 0: no trace
  uint64_t bytes = 0;
  uint64_t instructions = ~uint64_t{0};  // PTX instructions, warp level
  uint32_t sample_blocks = 0;
  uint64_t resident = 0;  // blocks that the device runs at once: so many run in turn if blocks poll; 0: not known
  std::vector<TraceWidth> widths = {};  // falling, the first with all SMs; none: blocks in turn
  // The sample block with this number, ascending: one from each of `sample_blocks` pieces of the grid. Its position
  // varies from piece to piece, because rows of blocks may repeat at the same distance.
  [[nodiscard]] uint64_t sample_block(uint32_t number, uint64_t blocks_in_grid) const;
  [[nodiscard]] bool is_sample_block(uint64_t block, uint64_t blocks_in_grid) const;
};

// The lines of global memory that a block loads: a sample by their numbers, each once, in ascending order.
struct BlockLines {
  static constexpr uint64_t kOther = ~uint64_t{0};
  uint64_t block = 0;
  uint64_t place = kOther;  // in LaunchTrace::blocks, if it is one of their rows
  std::vector<uint64_t> lines;
};

struct LaunchTrace {
  std::shared_ptr<std::pmr::memory_resource> memory;  // that holds the blocks' streams, if they are packed
  std::vector<BlockTrace> blocks;                     // of the rows, from block 0 on
  BlockRows rows;
  uint64_t blocks_in_grid = 0;
  std::vector<bool> loads;                   // by TraceAccess::access: whether it is a load
  std::vector<BlockLines> sample_blocks;     // lines of the sample blocks, in ascending order
  std::vector<BuiltOn> built;                // of awaited writes, and of those that they build on; ascending by write
  [[nodiscard]] bool uses_objects() const;   // whether warps use barrier objects
  [[nodiscard]] bool awaits_writes() const;  // whether warps poll what other warps write
};

// By TraceAccess::access: whether it is a load.
[[nodiscard]] std::vector<bool> loads_of(const KernelInfo& kernel);
[[nodiscard]] BlockLines lines_of(const BlockTrace& block, const std::vector<bool>& loads);

// PTX instructions, warp level, that the trace of the block has. `sizes`: how many there are in each of the kernel's
// PTX blocks.
[[nodiscard]] uint64_t instructions_of(const BlockTrace& block, const std::vector<uint32_t>& sizes);
[[nodiscard]] uint64_t instructions_of(const WarpTrace& warp, const std::vector<uint32_t>& sizes);
// ... for each PTX block of the kernel.
[[nodiscard]] std::vector<uint32_t> block_sizes(const KernelInfo& kernel);

// A digest of the accessed addresses and of rare cases: equal for launches that do the same on other buffers. Addresses
// of global memory count relative to the first of their instruction, of local memory as they are.
[[nodiscard]] uint64_t digest_of_addresses(const LaunchTrace& trace);

}  // namespace drywarp
