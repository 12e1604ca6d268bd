// How the operands of machine code lie over the banks of the register file.
//
// A sub-partition's registers lie in two banks, the even and the odd ones, each of which gives one operand of a warp a
// cycle. ptxas names registers so that the operands of an instruction lie in both where it can; lowering does not look
// at banks. But a permutation of a kernel's registers is the same kernel: the best is sought here, as far as flipping
// one register, or one pair of 64 bits, at a time finds it.
#pragma once

#include <vector>

#include "model/machine/machine_code.h"

namespace drywarp::sm {

inline constexpr unsigned kRegisterBanks = 2;

struct BankReads {
  uint8_t reads[kRegisterBanks] = {};  // operands of each bank, but for those that the instruction before has left
  uint8_t operands = 0;                // the wider an instruction, the later it can still read
};

// Of each instruction, in the order of the blocks.
[[nodiscard]] std::vector<BankReads> bank_reads(const machine::MachineKernel& kernel);

}  // namespace drywarp::sm
