// Selection: PTX instructions to machine operations on virtual registers, one at a time. Combinations of several
// (multiply-adds, addresses, three-input logic) are formed by the optimization passes.
//
//   select()       goes through the function
//   handlers.h     one handler for each opcode or family; select_table.cpp says which
//   operands.h     what handlers read: operands of the PTX instruction
//   writer.h       what they write: machine operations
//
// Sequences (division, square root, transcendental functions with range scaling) follow `ptxas -O3` of CUDA 13 for
// sm_90 as nvdisasm shows it; of a sequence with a rare slow path behind a branch, only the common path is written.
#pragma once

#include <optional>

#include "model/sass/code/code.h"

namespace drywarp::sass {

// Offsets in constant bank 0: parameters from kParameters on, below them what the driver writes (block and grid size).
inline constexpr uint64_t kParameters = 0x210;
inline constexpr uint64_t kBlockSize = 0x0;  // three words, followed by the grid size
inline constexpr uint64_t kGridSize = 0xc;
// The constant of %ntid or %nctaid; none: another special register.
Source size_of_launch(ir::SpecialRegister special);
inline constexpr uint64_t kOtherBanks = machine::kConstantBank;  // addresses of variables, 64-bit literals: by number
inline constexpr uint64_t kFunctions = kOtherBanks + 0x10000;    // addresses of functions, by number
// The constant that is the variable's address, and back for a variable of constant memory.
Source address_of(ir::SymbolId variable);
[[nodiscard]] std::optional<ir::SymbolId> constant_variable_at(const ir::Module& module, const Source& address);
// A constant variable's words.
Source words_of(ir::SymbolId variable, uint64_t offset, uint8_t words);

// The function's registers come first in Kernel::registers.
Kernel select(const ir::Module& module, const ir::Function& function, uint32_t compute_capability);

}  // namespace drywarp::sass
