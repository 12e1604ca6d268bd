// Lowered code in progress: machine operations on virtual registers. Private to model/sass.
//
// Selection writes one CodeBlock per PTX block; optimization rewrites those; form_regions() copies them into the
// regions that become machine blocks; scheduling and allocation finish each region.
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
  uint8_t words = 1;  // registers of its file that it occupies
};

struct Source {
  enum class Kind : uint8_t { None, Register, Immediate, Constant };
  Kind kind = Kind::None;
  uint8_t modifiers = 0;  // free on an operand: 1 negated, 2 absolute, 4 inverted
  uint8_t words = 1;      // Constant: words read
  Register reg = kNone;
  uint64_t value = 0;  // Immediate: bits; Constant: offset in the bank, as select numbers it
  [[nodiscard]] bool is_register() const { return kind == Kind::Register; }
  [[nodiscard]] bool is_immediate() const { return kind == Kind::Immediate; }
  [[nodiscard]] bool is_constant() const { return kind == Kind::Constant; }
  explicit operator bool() const { return kind != Kind::None; }
  bool operator==(const Source&) const = default;

  static Source of(Register r) { return {Kind::Register, 0, 1, r, 0}; }
  static Source immediate(uint64_t bits) { return {Kind::Immediate, 0, 1, kNone, bits}; }
  static Source constant(uint64_t offset, uint8_t words) { return {Kind::Constant, 0, words, kNone, offset}; }
};

// Variant of the WARPSYNC before an exchange whose member mask is in a register.
inline constexpr uint32_t kBeforeExchange = 1;

// Variant of the IADD3 that ends a 64-bit multiplication: it adds the high word.
inline constexpr uint32_t kProduct = 3;

// Variants of LEA: the left shift distance, or for right shifts (LEA.HI) one of these plus the distance.
inline constexpr uint32_t kLeaHigh = 1000;
inline constexpr uint32_t kLeaFunnel = 2000;  // funnel shift: plus 64 times the variant of the SHF

// What optimization may do with an instruction.
enum class Role : uint8_t {
  Pure,    // depends on its sources only: can be shared, moved, dropped
  Load,    // reads memory: can be dropped, not shared
  Effect,  // stays, ordered with other effects
  Branch,  // ends a region; stays last
  Copy,    // op Mov: a move that allocation tries to coalesce
  Tuple,   // places registers side by side: no instruction if allocation can arrange it
};

// A machine operation on virtual registers.
struct Instruction {
  Operation op{};
  Role role = Role::Pure;
  bool wide = false;     // a 64-bit integer operation: written as two instructions
  uint32_t variant = 0;  // distinguishes what `op` does not: comparison, function table, type ...
  // A vector load names every register of its result, which are adjacent. Otherwise: the result, and a second one (a
  // carry, a predicate).
  std::array<Register, 4> destination{kNone, kNone, kNone, kNone};
  std::array<Source, 6> source{};  // memory: the address, then the stored values
  Source guard;
  bool guard_negated = false;
  // Memory
  AddressSpace space = AddressSpace::None;
  uint8_t bytes = 0;
  int64_t offset = 0;  // of [register + offset]; source[0] is the address
  bool takes_access = false;
  bool spill = false;
  bool one_lane = false;  // an atomic that one lane executes for its warp
  uint8_t clobbers = 0;   // general registers that the called subroutine needs on top of the values live across it
  std::array<uint32_t, 3> merged{kNone, kNone, kNone};  // PTX instructions of the loads merged into this one
  // Origin
  uint32_t instruction = kNone;  // of the PTX function
  uint16_t step = 0;
  bool dead = false;
};

struct CodeBlock {
  std::vector<Instruction> code;
};

struct Step {
  uint32_t block = 0;
  bool optional = false;
};

// A path of PTX blocks that becomes one machine block.
struct Region {
  std::vector<Step> path;
  std::vector<Instruction> code;
  std::vector<uint32_t> successors;  // PTX blocks that may run next
  uint32_t loop_depth = 0;
  bool fallback = false;  // runs where a trace leaves every other region; a compiler would not emit it
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
void for_each_source(Instruction& code, Visit visit) {
  for (Source& s : code.source)
    if (s.is_register()) visit(s);
  if (code.guard.is_register()) visit(code.guard);
}
template <class Visit>
void for_each_source(const Instruction& code, Visit visit) {
  for (const Source& s : code.source)
    if (s.is_register()) visit(s);
  if (code.guard.is_register()) visit(code.guard);
}

}  // namespace drywarp::sass
