// Lowered code while it is being made: machine operations on virtual registers. Private to src/lowering.
//
// Selection writes one CodeBlock for each block of the PTX kernel; optimisation works on those; paths copies them into
// the regions that become machine blocks; scheduling and allocation finish each region.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "language/ir/kernel.h"
#include "model/machine/machine_code.h"

namespace drywarp::sass {

using machine::Operation;
using machine::RegisterFile;

using Register = uint32_t;  // virtual; the first are the registers of the PTX function
inline constexpr uint32_t kNone = ir::kNone;

struct RegisterInfo {
  RegisterFile file = RegisterFile::General;
  uint8_t words = 1;  // 32-bit registers that it takes; predicates: 1 of their own file
};

struct Source {
  enum class Kind : uint8_t { None, Register, Immediate, Constant };
  Kind kind = Kind::None;
  uint8_t modifiers = 0;  // what an operand carries for free: 1 negated, 2 absolute, 4 inverted
  uint8_t words = 1;      // Constant: words read
  Register reg = kNone;
  uint64_t value = 0;  // Immediate: bits; Constant: which (an offset in the bank, numbered by select)
  [[nodiscard]] bool is_register() const { return kind == Kind::Register; }
  [[nodiscard]] bool is_immediate() const { return kind == Kind::Immediate; }
  [[nodiscard]] bool is_constant() const { return kind == Kind::Constant; }
  explicit operator bool() const { return kind != Kind::None; }
  bool operator==(const Source&) const = default;

  static Source of(Register r) { return {Kind::Register, 0, 1, r, 0}; }
  static Source immediate(uint64_t bits) { return {Kind::Immediate, 0, 1, kNone, bits}; }
  static Source constant(uint64_t offset, uint8_t words) { return {Kind::Constant, 0, words, kNone, offset}; }
};

// Variant of a WARPSYNC that stands before an exchange whose lanes a register names.
inline constexpr uint32_t kBeforeExchange = 1;

// Variant of the IADD3 that ends a multiplication of 64-bit numbers: of the high word.
inline constexpr uint32_t kProduct = 3;

// Variants of LEA: the distance of a left shift, or one of these and the distance of a shift to the right (LEA.HI).
inline constexpr uint32_t kLeaHigh = 1000;
inline constexpr uint32_t kLeaFunnel = 2000;  // of two words: 64 times the variant of its SHF comes to it as well

// What optimisation may do with an instruction.
enum class Role : uint8_t {
  Pure,    // a value of its sources: can be shared, moved, dropped
  Load,    // reads memory: can be dropped, not shared
  Effect,  // stays, in order with other effects
  Branch,  // ends a region; stays last
  Copy,    // op Mov: a move that allocation hopes to make vanish
  Tuple,   // puts registers side by side: no instruction if allocation can arrange it
};

struct Code {
  Operation op{};
  Role role = Role::Pure;
  bool wide = false;     // a 64-bit integer operation: two instructions, see expand
  uint32_t variant = 0;  // tells apart what `op` does not: comparison, function table, type ...
  // A load of several registers names each; they are side by side. Else: the result, and a second (a carry, a
  // predicate).
  std::array<Register, 4> destination{kNone, kNone, kNone, kNone};
  std::array<Source, 6> source{};  // memory: the address, then what is stored
  Source guard;
  bool guard_negated = false;
  // Memory
  AddressSpace space = AddressSpace::None;
  uint8_t bytes = 0;
  int64_t offset = 0;  // of [register + offset]; source[0] is the address
  bool takes_access = false;
  bool spill = false;
  bool one_lane = false;  // an atomic that one lane does for its warp
  uint8_t clobbers = 0;   // general registers that a subroutine behind this branch or call needs beside what lives on
  std::array<uint32_t, 3> merged{kNone, kNone, kNone};  // instructions of the loads that this one makes as well
  // Where it comes from
  uint32_t instruction = kNone;  // of the PTX function
  uint16_t step = 0;
  bool dead = false;
};

struct CodeBlock {
  std::vector<Code> code;
};

struct Step {
  uint32_t block = 0;
  bool optional = false;
};

// What becomes a machine block.
struct Region {
  std::vector<Step> path;
  std::vector<Code> code;
  std::vector<uint32_t> successors;  // blocks of the PTX function where control goes from here
  uint32_t loop_depth = 0;
  bool fallback = false;  // there only for traces that fit no longer path: not laid out by a compiler
};

struct Kernel {
  const ir::Module* module = nullptr;
  const ir::Function* function = nullptr;
  uint32_t compute_capability = 90;
  std::vector<RegisterInfo> registers;
  std::vector<CodeBlock> blocks;  // parallel to function->blocks

  Register make(uint8_t words = 1, RegisterFile file = RegisterFile::General) {
    registers.push_back({file, words});
    return static_cast<Register>(registers.size() - 1);
  }
};

template <class Visit>
void for_each_source(Code& code, Visit visit) {
  for (Source& s : code.source)
    if (s.is_register()) visit(s);
  if (code.guard.is_register()) visit(code.guard);
}
template <class Visit>
void for_each_source(const Code& code, Visit visit) {
  for (const Source& s : code.source)
    if (s.is_register()) visit(s);
  if (code.guard.is_register()) visit(code.guard);
}

}  // namespace drywarp::sass
