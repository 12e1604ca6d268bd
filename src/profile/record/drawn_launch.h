// A launch that a profile keeps in enough detail to draw it: at most one of each kernel. Everything is modelled except
// the steps, which are what the program executed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/events/block_steps.h"
#include "model/machine/machine_code.h"
#include "model/sm/timeline.h"

namespace drywarp::record {

// An instruction of the modelled machine code: an estimate of what ptxas would generate, in the order in which it would
// be issued, with its registers. No SASS is read.
struct ListedInstruction {
  std::string text;                       // "@P0 FFMA R5, R2, R3, R5"
  std::string operation, pipe;            // "FFMA", "fma"
  uint32_t instruction = machine::kNone;  // index into KernelInfo::instructions; kNone: lowering added it
  uint32_t file = machine::kNone;         // index into KernelInfo::files
  uint32_t line = 0;                      // source line; 0: not known
  uint32_t region = 0;                    // index into MachineListing::regions
  bool operator==(const ListedInstruction&) const = default;
};

struct MachineListing {
  std::vector<std::vector<uint32_t>> regions;   // of each region: the code blocks of its path
  std::vector<ListedInstruction> instructions;  // as Timeline::Issue::instruction
};

// With the kernel's texts, if it has them.
[[nodiscard]] MachineListing list(const machine::MachineKernel& kernel);

struct DrawnLaunch {
  uint64_t launch = 0;  // index into Profile::launches
  MachineListing code;
  sm::Timeline timeline;
  BlockSteps steps;
};

}  // namespace drywarp::record
