// Distributes the operands of machine code over the banks of the register file.
//
// A sub-partition has two register banks, for even and odd registers. Each reads one operand of a warp a cycle. ptxas
// chooses registers so that an instruction's operands are in both banks where possible; lowering ignores banks. But any
// value could lie in a register of the other bank. So this pass searches for a good distribution, by moving one value,
// or those of one aligned operand, at a time. In the code of 74 launches ptxas leaves 0.106 conflicts an instruction of
// the arithmetic pipes, and this pass 0.092.
#pragma once

#include <vector>

#include "model/machine/machine_code.h"

namespace drywarp::sm {

inline constexpr unsigned kRegisterBanks = 2;

struct BankReads {
  uint8_t reads[kRegisterBanks] = {};  // operands in each bank, without those that are reused
  uint8_t operands = 0;                // an instruction with more operands has more cycles to read them
};

// For each instruction, in the order of the blocks.
[[nodiscard]] std::vector<BankReads> bank_reads(const machine::MachineKernel& kernel);

}  // namespace drywarp::sm
