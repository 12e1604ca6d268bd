// Selection: PTX instructions to machine operations on virtual registers, one at a time. Combinations of several
// (multiply-adds, addresses, three-input logic) are formed by the optimization passes.
//
// Sequences (division, square root, transcendental functions with range scaling) follow `ptxas -O3` of CUDA 13 for
// sm_90 as nvdisasm shows it; of a sequence with a rare slow path behind a branch, only the common path is written.
#pragma once

#include <initializer_list>

#include "model/sass/code/code.h"

namespace drywarp::sass {

// Offsets in constant bank 0: parameters from kParameters on, below them what the driver writes (block and grid size).
inline constexpr uint64_t kParameters = 0x210;
inline constexpr uint64_t kBlockSize = 0x0;  // three words, followed by the grid size
inline constexpr uint64_t kGridSize = 0xc;
// The constant of %ntid or %nctaid; none: another special register.
Source size_of_launch(ir::SpecialRegister special);
inline constexpr uint64_t kOtherBanks = machine::kConstantBank;  // addresses of variables, 64-bit literals: by number

// The form of a step of a sequence.
inline constexpr Form kInSequence{.in_sequence = true};

// The function's registers come first in Kernel::registers.
Kernel select(const ir::Module& module, const ir::Function& function, uint32_t compute_capability);

// The state of selection, and how handlers emit instructions. Private to select*.cpp.
class Selector {
 public:
  Selector(Kernel& kernel, const ir::Function& function);
  void run();

  using Handler = void (Selector::*)(const ir::Instruction&);

  // ---- for handlers (selector.cpp)
  [[nodiscard]] Source source(const ir::Operand& operand, ir::Type type);
  [[nodiscard]] Source source(const ir::Instruction& in, size_t i, ir::Type type);
  [[nodiscard]] Source source(const ir::Instruction& in, size_t i) { return source(in, i, in.type); }
  [[nodiscard]] Register result(const ir::Instruction& in, size_t i = 0) const;  // kNone: discarded
  [[nodiscard]] Register temporary(uint8_t words = 1, RegisterFile file = RegisterFile::General);
  [[nodiscard]] Register predicate() { return temporary(1, RegisterFile::Predicate); }
  Instruction& emit(Operation op, Register destination, std::initializer_list<Source> sources, const Form& form = {});
  Instruction& effect(Operation op, std::initializer_list<Source> sources, const Form& form = {});
  Instruction& wide(Operation op, Register destination, std::initializer_list<Source> sources, const Form& form = {});
  Register value(Operation op, std::initializer_list<Source> sources, const Form& form = {});
  // `count` dependent operations, each on the previous result and `other`; the last writes `destination`.
  void chain(Operation op, unsigned count, Source first, Source other, Register destination);
  void copy(Register destination, Source from);
  // The branch to a rare slow path: a subroutine that needs this many registers.
  void slow_path(Source taken_if, uint8_t registers);
  [[nodiscard]] bool at_least(uint32_t capability) const { return kernel_.compute_capability >= capability; }

  // ---- families
  void add(const ir::Instruction& in);
  void multiply(const ir::Instruction& in);
  void divide(const ir::Instruction& in);
  void minmax(const ir::Instruction& in);
  void negate(const ir::Instruction& in);
  void sad(const ir::Instruction& in);
  void dot(const ir::Instruction& in);
  void carry(const ir::Instruction& in);
  void copysign(const ir::Instruction& in);
  void logic(const ir::Instruction& in);
  void shift(const ir::Instruction& in);
  void funnel(const ir::Instruction& in);
  void bits(const ir::Instruction& in);
  void bitfield(const ir::Instruction& in);
  void permute(const ir::Instruction& in);
  void compare(const ir::Instruction& in);
  void choose(const ir::Instruction& in);
  void move(const ir::Instruction& in);
  void convert(const ir::Instruction& in);
  void special_function(const ir::Instruction& in);
  void video(const ir::Instruction& in);
  void load(const ir::Instruction& in);
  void store(const ir::Instruction& in);
  void atomic(const ir::Instruction& in);
  void async_copy(const ir::Instruction& in);
  void barrier(const ir::Instruction& in);
  void warp_sync(const ir::Instruction& in);
  void fence(const ir::Instruction& in);
  void exchange(const ir::Instruction& in);
  void control(const ir::Instruction& in);
  void mbarrier(const ir::Instruction& in);
  void matrix(const ir::Instruction& in);
  void texture(const ir::Instruction& in);
  void other(const ir::Instruction& in);

 private:
  void float_divide(const ir::Instruction& in);
  void integer_divide(const ir::Instruction& in);
  void long_divide(const ir::Instruction& in);
  void double_divide(const ir::Instruction& in);
  Register loaded_into(Register destination, ir::Type type);
  void extend(Register destination, Register loaded, ir::Type type);
  void address(Instruction& code, const ir::Address& address, AddressSpace space);
  [[nodiscard]] Source symbol_address(ir::SymbolId symbol, int64_t offset, bool generic);
  [[nodiscard]] Source special(const ir::Operand& operand);

  Kernel& kernel_;
  const ir::Function& function_;
  CodeBlock* block_ = nullptr;
  uint32_t instruction_ = kNone;
  const ir::Instruction* at_ = nullptr;
};

[[nodiscard]] Selector::Handler handler(ir::Opcode op);
[[nodiscard]] uint8_t words(ir::Type type);

}  // namespace drywarp::sass
