// What a launch did, exactly: plain sums, filled by the engine, merged over workers with +=, and read by metrics.
// Everything here is a count of PTX instructions and of what they did; nothing is modelled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/events/barrier_note.h"
#include "base/events/stray_access.h"

namespace drywarp {

// One basic block of the executed code.
struct BlockCounts {
  uint64_t warps = 0;  // times a warp (or a diverged part of one) ran it
  uint64_t lanes = 0;  // active lanes, summed over those times
  void operator+=(const BlockCounts& o) { warps += o.warps, lanes += o.lanes; }
};

// One guarded instruction that is not a branch: how often at least one lane ran it, and how many lanes.
struct PredicateCounts {
  uint64_t warps = 0;
  uint64_t lanes = 0;
  void operator+=(const PredicateCounts& o) { warps += o.warps, lanes += o.lanes; }
};

// One conditional branch.
struct BranchCounts {
  uint64_t divergent = 0;  // times at least two active lanes took different targets
  uint64_t taken = 0;      // times at least one lane took the branch
  // One execution: `went` of the `active` lanes went to the target.
  void count(uint32_t active, uint32_t went) {
    taken += (went & active) != 0;
    divergent += (went & active) != 0 && (went & active) != active;
  }
  void operator+=(const BranchCounts& o) { divergent += o.divergent, taken += o.taken; }
};

enum class Accumulate : uint8_t { Sum, Most };

// One memory instruction, in one memory. A generic load can have all three.
struct AccessCounts {
#define DW_ACCESS_COUNT(member, how, meaning) uint64_t member = 0;
#include "base/events/access_counts.def"

  // n accesses that cost `o` each.
  void add(const AccessCounts& o, uint64_t n) {
#define DW_ACCESS_COUNT(member, how, meaning) \
  member = Accumulate::how == Accumulate::Sum ? member + n * o.member : std::max(member, o.member);
#include "base/events/access_counts.def"
  }
  void operator+=(const AccessCounts& o) { add(o, 1); }
};

struct AccessCount {
  const char* name;
  uint64_t AccessCounts::* member;
};
inline constexpr AccessCount kAccessCounts[] = {
#define DW_ACCESS_COUNT(member, how, meaning) {#member, &AccessCounts::member},
#include "base/events/access_counts.def"
};

enum class Memory : uint8_t { Global, Shared, Local };
inline constexpr unsigned kMemories = 3;

// The class of an instruction in the instruction mix, after nvprof's inst_* metrics.
enum class InstructionClass : uint8_t {
  Fp16,
  Fp32,
  Fp64,
  Integer,
  BitConvert,
  Control,
  LoadStore,
  Atomic,
  InterThread,
  Barrier,
  Special,
  Matrix,
  Texture,
  Misc,
};
inline constexpr unsigned kInstructionClasses = 14;
[[nodiscard]] const char* name(InstructionClass c);

// Static facts of an instruction: enough to classify and attribute its counts without the IR.
struct InstructionInfo {
  static constexpr uint32_t kNone = ~0u;

  // Index into LaunchCounts::blocks. kNone: not an instruction of its own but the second access of the one before it
  // (cp.async reads global memory and writes shared memory).
  uint32_t block = 0;
  uint32_t ptx_line = 0;           // in the module's PTX text, 1-based
  uint32_t file = kNone;           // index into KernelInfo::files
  uint32_t line = 0;               // source line; 0: not known
  uint32_t inlined_at = kNone;     // index into KernelInfo::calls, which an inlined line has been called from
  uint32_t predicate = kNone;      // guarded, not a branch: index into LaunchCounts::predicates
  uint32_t branch = kNone;         // conditional branch: index into LaunchCounts::branches
  uint32_t access = kNone;         // memory access: index into LaunchCounts::accesses of its first memory
  Memory memory = Memory::Global;  // of that entry; generic: three entries in the order of Memory
  bool generic = false;
  bool load = false, store = false, atomic = false;
  bool compare_swap = false;  // an atomic that may write nothing. Not kept in profiles
  bool unread = false;        // a load or an atomic: analysis::unread_values. Likewise
  bool barrier = false;       // block-wide barrier
  bool address_only = false;  // its results make addresses and nothing else
  bool loop_exit = false;     // a conditional branch by which lanes leave a loop
  bool active_mask = false;   // an exchange or __syncwarp(): analysis::unread_active_masks
  uint8_t access_bytes = 0;   // bytes a lane; 0: not a memory access
  uint8_t flops = 0;          // per lane, of class Fp16/Fp32/Fp64: fma 2, add and mul 1; packed forms twice that
  bool fma = false, add = false, mul = false;  // which of nvprof's flop_count_*_{fma,add,mul} it is
  InstructionClass klass = InstructionClass::Misc;
  std::string text;  // the PTX instruction as written, for listings: "ld.global.f32 %f1, [%rd4];"
};

// Where a kernel's resources come from.
enum class ResourceSource : uint8_t {
  Estimate,      // the register allocator over lowered PTX: modelled
  Cubin,         // the machine code's own tables
  PtxasInfo,     // what `ptxas -v` printed
  LaunchBounds,  // the estimate, which is as much as __launch_bounds__ or -maxrregcount allow: modelled
};
inline constexpr ResourceSource kLastResourceSource = ResourceSource::LaunchBounds;
// "estimate", "cubin", "ptxas-info", "launch-bounds"
[[nodiscard]] const char* name(ResourceSource source);
// True: a compiler reported them, so they are exact for its machine code.
[[nodiscard]] constexpr bool is_compiled(ResourceSource source) {
  return source == ResourceSource::Cubin || source == ResourceSource::PtxasInfo;
}

// A kernel's name for people:
// "_Z6reduceILi4EEvPKiPii" -> "void reduce<4>(int const*, int*, int)"; what is not mangled stays as it is.
[[nodiscard]] std::string display_name(const std::string& mangled);

// Resources that a compiler assigns to a kernel and that PTX does not state.
struct KernelResources {
  uint32_t registers = 0;  // a thread; 0: not known
  uint32_t barriers = 0;   // named barriers a block
  // Spilled registers, as `ptxas -v` counts them: bytes a thread over all spilling instructions, each once. A cubin
  // does not say.
  std::optional<uint64_t> spill_store_bytes, spill_load_bytes;
  ResourceSource resources_from = ResourceSource::Estimate;
};

// Static facts of a kernel.
// A source line from which code was inlined. Not kept in profiles.
struct InlinedCall {
  uint32_t file = InstructionInfo::kNone, line = 0;
  uint32_t inlined_at = InstructionInfo::kNone;  // index into KernelInfo::calls
};

// How control flows through the kernel's own code, by block as InstructionInfo numbers them; those of functions that it
// calls come behind. Not kept in profiles.
struct CodeFlow {
  std::vector<std::vector<uint32_t>> successors;
  std::vector<bool> only_ends;     // a thread at its beginning does nothing more than end
  std::vector<bool> behind_guard;  // reached from a branch at which other threads end
  std::vector<bool> chosen_ends;   // such a branch, at which the thread's place in its block alone decides
};

struct KernelInfo : KernelResources {
  std::string name;          // as in the PTX (mangled)
  std::string display_name;  // demangled: "reduce<4>(int const*, int*, int)"
  std::vector<std::string> files;
  std::vector<InstructionInfo> instructions;  // in PTX order, inlined calls in place
  std::vector<InlinedCall> calls;
  CodeFlow flow;
  uint64_t static_shared_bytes = 0;
  uint64_t local_bytes = 0;  // a thread, spilled registers included
};

// Of shared memory with 32 banks of 4 bytes.
inline constexpr uint32_t kWavefrontBytes = 128;

// The sums of one launch.
struct LaunchCounts {
  uint64_t blocks_run = 0, warps_run = 0, threads_run = 0;
  uint32_t wavefront_bytes = kWavefrontBytes;  // capacity of a wavefront of shared memory
  std::vector<BlockCounts> blocks;
  std::vector<PredicateCounts> predicates;
  std::vector<BranchCounts> branches;
  std::vector<AccessCounts> accesses;
  std::vector<BarrierNote> barrier_notes;   // by code block; filled without counters too
  std::vector<StrayAccess> stray_accesses;  // by place; likewise. Not kept in profiles

  // Element by element; an empty side takes the other's shape. Both sides must be of the same kernel.
  void operator+=(const LaunchCounts& other);
};

}  // namespace drywarp
