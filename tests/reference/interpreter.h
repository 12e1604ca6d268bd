// An interpreter of single ir::Instructions, one lane at a time: the independent opinion against which the JIT's
// lowerings are held. It follows the text of PTX ISA 9.0 in integers (number.h) and shares only ir/ with the engine.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::reference {

// Bits of each source operand (registers and immediates alike, predicates 0 or 1, `negate` not applied).
struct State {
  std::vector<uint64_t> sources;
  std::vector<uint64_t> results;
  bool carry = false;
};

// False if the opcode is not one of this interpreter's (exchanges and approximations are below).
bool execute(const ir::Instruction& in, State& state);

// shfl, vote, match, redux on a warp; lanes outside `active` keep what they had.
bool exchange(const ir::Instruction& in, std::array<State, 32>& lanes, uint32_t active);

}  // namespace drywarp::reference
