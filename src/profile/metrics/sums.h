// The counts of a launch, a source line or one PTX instruction, summed by kind: the input of metric formulas. One
// struct for all of them, so that a metric means the same for a kernel and for one of its lines.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/events/counts.h"

namespace drywarp::metrics {

// Accesses of one kind to one memory: access_counts.def, and
struct AccessSums : AccessCounts {
  uint64_t excess = 0;       // units above ideal, summed over instructions: a broadcast does not hide others' waste
  uint64_t deliverable = 0;  // shared: bytes that the wavefronts could move

  void operator+=(const AccessSums& other);
};

struct InstructionSums {
  uint64_t warps = 0;     // warp level
  uint64_t lanes = 0;     // active lanes
  uint64_t executed = 0;  // lanes with a true guard

  void operator+=(const InstructionSums& other);
};

enum class AccessKind : uint8_t { Load, Store, Atomic };
inline constexpr unsigned kAccessKinds = 3;
enum class Precision : uint8_t { Half, Single, Double };
enum class FlopKind : uint8_t { Add, Mul, Fma, Other };

struct Sums {
  std::array<InstructionSums, kInstructionClasses> classes{};
  std::array<std::array<AccessSums, kAccessKinds>, kMemories> accesses{};
  std::array<std::array<uint64_t, 4>, 3>
      flop_instructions{};          // [Precision][FlopKind]: thread-level, packed forms count 2
  std::array<uint64_t, 3> flops{};  // [Precision]: fma counts 2
  uint64_t branches = 0, divergent = 0, taken = 0;
  uint64_t barriers = 0;            // warp level
  uint64_t divergent_barriers = 0;  // times that a block passed one that threads of it never reached

  // Of a whole launch only; zero for a line or an instruction.
  bool whole = false;
  uint64_t blocks_run = 0, warps_run = 0, threads_run = 0;

  [[nodiscard]] InstructionSums all() const;
  [[nodiscard]] const InstructionSums& of(InstructionClass c) const { return classes[static_cast<size_t>(c)]; }
  [[nodiscard]] const AccessSums& of(Memory m, AccessKind k) const {
    return accesses[static_cast<size_t>(m)][static_cast<size_t>(k)];
  }
  [[nodiscard]] AccessSums loads_and_stores(Memory m) const;
  [[nodiscard]] uint64_t sectors() const;     // of global and local memory, with atomics
  [[nodiscard]] uint64_t wavefronts() const;  // of shared memory, with atomics
  void operator+=(const Sums& other);
};

// Adds one instruction's counts to `sums`. Counts that a launch lacks (it failed before it began) are zero.
void add_instruction(Sums& sums, const InstructionInfo& instruction, const LaunchCounts& counts);

[[nodiscard]] Sums sum_launch(const KernelInfo& kernel, const LaunchCounts& counts);

struct LineSums {
  uint32_t file =
      InstructionInfo::kNone;  // index into KernelInfo::files; kNone: the instructions without a source line
  uint32_t line = 0;
  Sums sums;
};
// Ordered by file and line, without lines that did not run.
[[nodiscard]] std::vector<LineSums> sum_lines(const KernelInfo& kernel, const LaunchCounts& counts);
// One entry per KernelInfo::instructions.
[[nodiscard]] std::vector<Sums> sum_instructions(const KernelInfo& kernel, const LaunchCounts& counts);

}  // namespace drywarp::metrics
