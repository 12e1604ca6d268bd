// Lowered code in progress: machine operations on virtual registers. Private to model/sass.
//
// Selection writes one CodeBlock per PTX block; optimization rewrites those; form_regions() copies them into the
// regions that become machine blocks; scheduling and allocation finish each region.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "language/ir/kernel.h"
#include "model/machine/machine_code.h"
#include "model/machine/operand_list.h"

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
  uint8_t modifiers = 0;  // free on an operand: 1 negated, 2 absolute, 4 inverted, 8 a half
  uint8_t words = 1;      // Constant: words read
  Register reg = kNone;
  uint64_t value = 0;  // Immediate: bits; Constant: offset in the bank, as select numbers it; a half: its number
  [[nodiscard]] bool is_register() const { return kind == Kind::Register; }
  [[nodiscard]] bool is_immediate() const { return kind == Kind::Immediate; }
  [[nodiscard]] bool is_constant() const { return kind == Kind::Constant; }
  explicit operator bool() const { return kind != Kind::None; }
  bool operator==(const Source&) const = default;

  static Source of(Register r) { return {Kind::Register, 0, 1, r, 0}; }
  static Source half_of(Register r, uint64_t number) { return {Kind::Register, 8, 1, r, number}; }
  static Source immediate(uint64_t bits) { return {Kind::Immediate, 0, 1, kNone, bits}; }
  static Source constant(uint64_t offset, uint8_t words) { return {Kind::Constant, 0, words, kNone, offset}; }
};

using Sources = machine::OperandList<Source, Source{}, 4>;
using Destinations = machine::OperandList<Register, kNone, 4>;

// Modifiers of a Source.
inline constexpr uint8_t kNegated = 1, kAbsolute = 2, kInverted = 4;
// Of a register, the instruction takes the 16 bits with number `value`: of a word, 0 the lower, 1 the upper ones. An
// instruction on two halves takes them for both.
inline constexpr uint8_t kHalf = 8;

// Truth tables of LOP3 and PLOP3: the bit of row 4a + 2b + c is the result for operands a, b and c; operands that an
// instruction lacks are zero.
inline constexpr uint8_t kAnd = 0xc0, kOr = 0xfc, kXor = 0x3c, kNot = 0x0f;
inline constexpr uint8_t kAll = 0x80;       // a & b & c, where operands that the instruction lacks are true
inline constexpr uint8_t kChosen = 0xe4;    // c ? a : b, by bits
inline constexpr uint8_t kInserted = 0xb8;  // b ? c : a, by bits

enum class Shift : uint8_t { None, Left, Right, RightArithmetic, FunnelLeft, FunnelRight };
enum class Function : uint8_t { None, Rcp, Rsq, Sqrt, Sin, Cos, Lg2, Ex2, Tanh, Rcp64, Rsq64 };
// What an IMNMX of three operands computes.
enum class Minimum : uint8_t { OfTwo, OfSum, OfThree };  // OfSum: of a + b and c

// What an instruction says besides its operation and operands. Instructions compute the same value if operation,
// operands and form are equal. A field is set only where the comment names the operation or the kind of operation.
struct Form {
  ir::Type type{};                // comparisons, minima, arithmetic: of the operands; conversions: of the result
  ir::Type from{};                // conversions: of the operand; IDP: of the second operand's elements
  ir::Compare compare{};          // comparisons; minima: Lt for the minimum, Gt for the maximum
  uint8_t table = 0;              // LOP3, PLOP3; comparisons with a third operand: of the comparison and that operand
  ir::Rounding rounding{};        // arithmetic, conversions
  bool flushes = false;           // arithmetic: .ftz
  bool saturates = false;         // arithmetic, conversions
  bool keeps_nan = false;         // minima
  bool changes_sign = false;      // FADD, HADD2, LOP3: only negates, or takes the absolute value of, its operand
  Shift shift{};                  // SHF, LEA; a tuple: moves a word into the other one
  bool wraps = false;             // SHF: takes its distance modulo 32, where others stop at 32
  uint8_t distance = 0;           // LEA: of the shift; that of SHF is an operand
  Minimum minimum{};              // IMNMX
  Function function{};            // MUFU
  ir::Mode mode{};                // SHFL, VOTE, MATCH, REDUX, BAR, PRMT, tests of floating-point classes
  ir::SpecialRegister special{};  // S2R, CS2R
  uint8_t index = 0;              // ... of numbered special registers
  AddressSpace window = AddressSpace::None;  // S2R, IADD3, ISETP: reads, adds or tests for the base of this space
  // The word or part that the instruction takes from its operand. An IADD3 adds its second operand to this word. A
  // LOP3 changes one word of its first operand alone: 1 the low one, 2 the high one.
  uint8_t word = 0;
  bool one_word = false;  // LOP3 of 64 bits: the other word of the result is zero
  // A step of the sequence that one PTX instruction becomes. It stands for what ptxas does there, maybe without all of
  // its operands: equal to another such step, but to no instruction of the program, and no pattern of the passes.
  bool in_sequence = false;
  // ... that ptxas computes again for the next one: of a division or root whose rare cases a subroutine does, the upper
  // word of an addend, or an index that is compared with the places of an array.
  bool beside_slow_path = false;
  bool ends_name = false;  // a copy that gives a register's old name the last value

  friend bool operator==(const Form& a, const Form& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
};
static_assert(std::has_unique_object_representations_v<Form>);  // compared and hashed as bytes

// PRMT: puts its second operand's 16 bits above those of its first.
inline constexpr Form kPairOfHalves{.type = ir::Type::B32, .in_sequence = true};

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
  bool wide = false;  // a 64-bit integer operation: written as two instructions
  Form form;
  // Loads of vectors, matrix instructions and textures name every register of their result. Otherwise: the result, and
  // a second one (a carry, a predicate).
  Destinations destination;
  Sources source;                 // memory: the address, then the stored values
  Source uniform_base;            // memory: a uniform register that is added to the address
  ir::SymbolId variable = kNone;  // constant memory: a variable whose place in the bank is added to the address
  Source guard;
  bool guard_negated = false;
  bool begins_value = false;  // a guarded write before which the register has no value
  // Memory
  AddressSpace space = AddressSpace::None;
  uint8_t bytes = 0;
  int64_t offset = 0;  // of [register + offset]; source[0] is the address
  bool takes_access = false;
  bool ahead = false;  // a load before the loop that the program has it in: takes the first access there
  bool spill = false;
  bool read_only = false;  // a load of what no store of the kernel writes
  bool one_lane = false;   // an atomic that one lane executes for its warp
  machine::ActsIn acts_in = machine::ActsIn::AllWarps;
  // Control
  uint32_t target = kNone;       // BSSY, BSYNC: the block where lanes reconverge; kNone: within this block
  bool reconverges = false;      // BRA, BRX: lanes that it parts wait for each other at a BSYNC
  bool for_exchange = false;     // WARPSYNC, BRA: checks the lanes of the SHFL or VOTE that follows
  bool ends_exchanges = false;   // SHFL, VOTE: the last one behind that BRA; where it branched off comes back behind it
  machine::SystemCall system{};  // CALL: what it calls
  int16_t frame_step = 0;        // words by which it moves the stack pointer
  uint8_t clobbers = 0;  // general registers that the called subroutine needs on top of the values live across it
  // An access that was merged into this one: where it comes from.
  struct Merged {
    uint32_t instruction = kNone;
    uint16_t step = 0;
  };
  std::array<Merged, 3> merged{};
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
  bool whole_loop = false;  // the path has all iterations of a loop, and is entered from outside of it only
  bool fallback = false;    // runs where a trace leaves every other region; a compiler would not emit it
};

struct Kernel {
  const ir::Module* module = nullptr;
  const ir::Function* function = nullptr;
  uint32_t compute_capability = 90;
  std::vector<RegisterInfo> registers;
  std::vector<CodeBlock> blocks;     // parallel to function->blocks
  std::vector<Register> parameters;  // of a called function: what its caller has written

  Register make(uint8_t words = 1, RegisterFile file = RegisterFile::General) {
    registers.push_back({file, words});
    return static_cast<Register>(registers.size() - 1);
  }
};

// A value that its operation and operands describe in full.
inline bool is_plain_register(const Source& s) { return s.is_register() && s.modifiers == 0; }
inline bool is_plain(const Instruction& c) { return c.role == Role::Pure && c.form == Form{}; }
// Behind the last instruction that is no branch: branches end a block and stay last.
inline std::vector<Instruction>::iterator before_branches(std::vector<Instruction>& code) {
  auto at = code.end();
  while (at != code.begin() && (at - 1)->role == Role::Branch) --at;
  return at;
}
// Stays beside the instructions that it is for: not shared, not hoisted.
inline bool is_repeated(const Instruction& c) { return c.form.in_sequence && c.form.beside_slow_path; }
// Loads a literal into registers. A double's words go into uniform ones, from which an instruction reads both.
inline bool moves_literal(const Instruction& c) {
  return (c.op == Operation::Mov || (c.op == Operation::Umov && c.wide)) && c.source[0].is_immediate();
}
// Where the lanes of a division's or root's subroutine come back.
inline bool ends_slow_path(const Instruction& c) { return c.op == Operation::Bsync && c.target == kNone; }
inline constexpr uint64_t kSharedStart = 0x400;  // of variables in the block's window of shared memory (sm_90)
// A LEA that adds an array's offset to the base of shared memory (sm_90).
inline bool is_shared_base(const Instruction& c) {
  constexpr uint8_t kRankShift = 24;
  return (c.op == Operation::Lea || c.op == Operation::Ulea) && c.role == Role::Pure &&
         c.form == Form{.shift = Shift::Left, .distance = kRankShift} && c.source[1].is_immediate() && !c.source[2];
}
// On sm_90 something else stands between two of these, and be it a NOP (ptxas 13: 138 of 138).
inline bool needs_gap(const Kernel& kernel, const Instruction& c) {
  return c.op == Operation::Dmma884 && kernel.compute_capability == 90;
}
inline bool is_call(const Instruction& c) { return c.op == Operation::Call || c.op == Operation::CallPointer; }
// Shared memory has no floating-point additions, and of 64 bits only exchanges: the others are a loop of
// compare-and-swaps.
inline bool is_swap_loop(const ir::Instruction& in) {
  const bool atomic = in.op == ir::Opcode::Atom || in.op == ir::Opcode::Red;
  if (!atomic || in.mods.space != AddressSpace::Shared) return false;
  if (ir::is_float(in.type)) return in.mods.atom == ir::AtomOp::Add;
  return ir::bits(in.type) == 64 && in.mods.atom != ir::AtomOp::Cas && in.mods.atom != ir::AtomOp::Exch;
}
inline bool adds_float(const ir::Instruction& in) {
  const bool atomic = in.op == ir::Opcode::Atom || in.op == ir::Opcode::Red;
  return atomic && ir::is_float(in.type) && in.mods.atom == ir::AtomOp::Add && in.mods.vector == 1;
}
// The L2 adds two halves in one operation. One half is added by a loop of compare-and-swaps of its word. (In shared
// memory: is_swap_loop().)
inline bool adds_half(const ir::Instruction& in) {
  const bool in_global = in.mods.space == AddressSpace::Global || in.mods.space == AddressSpace::Generic;
  return adds_float(in) && in_global && ir::bits(in.type) == 16;
}
// The GPU adds floats in global memory alone. At a generic address a predicate says whether it found that.
inline bool adds_at_generic(const ir::Instruction& in) {
  return adds_float(in) && in.mods.space == AddressSpace::Generic;
}
// Such a loop is left without a swap where the word would not change: few lanes swap.
inline bool swaps_rarely(const ir::Instruction& in) {
  return in.mods.atom == ir::AtomOp::Min || in.mods.atom == ir::AtomOp::Max;
}
// The direction of a SHF or USHF that shifts one value; None: another instruction.
inline Shift shift_of(const Instruction& c) {
  const bool shifts = c.op == Operation::Shf || c.op == Operation::Ushf;
  return shifts && c.form == Form{.shift = c.form.shift} ? c.form.shift : Shift::None;
}
// Whether a LOP3 or ULOP3 is described by its truth table.
inline bool is_logic(const Instruction& c) {
  const bool logic = c.op == Operation::Lop3 || c.op == Operation::Ulop3;
  return logic && c.role == Role::Pure && c.form == Form{.table = c.form.table};
}
// The IADD3 that ends a 64-bit multiplication: it adds to the high word.
inline bool ends_product(const Instruction& c) { return c.op == Operation::Iadd3 && c.form == Form{.word = 1}; }
// A 64-bit shift by a word: no instruction, for the word is there, and the other one is zero.
inline bool moves_word(const Instruction& c) { return c.role == Role::Tuple && c.form.shift != Shift::None; }
// cvt.s64.s32: both words of a 32-bit value.
inline bool extends_word(const Instruction& c) {
  return c.op == Operation::Shf && c.form == Form{.shift = Shift::RightArithmetic, .in_sequence = true} && !c.wide;
}
// The move by which a loop begins that makes a pair of a pointer's words.
inline bool makes_pair_of_pointer(const Instruction& c) {
  return c.op == Operation::Mov && c.wide && c.form == Form{.in_sequence = true} && c.source[0].is_register() &&
         !c.source[1];
}
// A comparison of two values, and nothing else, that sets one predicate.
inline bool is_comparison(const Instruction& c) {
  return (c.op == Operation::Isetp || c.op == Operation::Uisetp) && !c.guard && c.destination[1] == kNone &&
         !c.source[2] && c.form == Form{.type = c.form.type, .compare = c.form.compare};
}
// A move that allocation tries to coalesce. `instruction`: of the PTX function.
inline Instruction copy_of(Register from, Register to, uint32_t instruction = kNone) {
  Instruction copy;
  copy.op = Operation::Mov;
  copy.role = Role::Copy;
  copy.source.set(0, Source::of(from));
  copy.destination.set(0, to);
  copy.instruction = instruction;
  return copy;
}
// div and rem, of integers and of floating-point numbers.
inline bool divides(const ir::Instruction& in) { return in.op == ir::Opcode::Div || in.op == ir::Opcode::Rem; }
inline bool divides_integers(const ir::Instruction& in) { return divides(in) && !ir::is_float(in.type); }

template <class Visit>
void for_each_source(Instruction& code, Visit visit) {
  for (Source& s : code.source)
    if (s.is_register()) visit(s);
  if (code.uniform_base.is_register()) visit(code.uniform_base);
  if (code.guard.is_register()) visit(code.guard);
}
template <class Visit>
void for_each_source(const Instruction& code, Visit visit) {
  for (const Source& s : code.source)
    if (s.is_register()) visit(s);
  if (code.uniform_base.is_register()) visit(code.uniform_base);
  if (code.guard.is_register()) visit(code.guard);
}

inline bool reads_register(const Instruction& c, Register r) {
  bool found = false;
  for_each_source(c, [&](const Source& s) { found = found || s.reg == r; });
  return found;
}
inline bool writes_register(const Instruction& c, Register r) {
  return std::ranges::find(c.destination, r) != c.destination.end();
}
inline bool touches_register(const Instruction& c, Register r) { return reads_register(c, r) || writes_register(c, r); }

// By register: how many instructions write it.
inline std::vector<unsigned> count_writes(const Kernel& kernel) {
  std::vector<unsigned> writes(kernel.registers.size());
  for (const CodeBlock& block : kernel.blocks)
    for (const Instruction& c : block.code)
      for (const Register d : c.destination)
        if (d != kNone) ++writes[d];
  return writes;
}

}  // namespace drywarp::sass
