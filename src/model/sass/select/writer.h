// Appends machine operations to a block. Private to select/.
#pragma once

#include <initializer_list>

#include "model/sass/code/code.h"

namespace drywarp::sass {

// The form of a step of a sequence.
inline constexpr Form kInSequence{.in_sequence = true};

[[nodiscard]] uint8_t words(ir::Type type);

// Writes have the guard of the PTX instruction that they come from. References into the block hold until the next one.
class Writer {
 public:
  explicit Writer(Kernel& kernel) : kernel_(kernel) {}
  // What follows comes from instruction `index` of the function, in this block.
  void begin(CodeBlock& block, const ir::Instruction& in, uint32_t index);

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

  [[nodiscard]] Instruction& last() { return block_->code.back(); }
  [[nodiscard]] uint8_t words_of(Register r) const { return kernel_.registers[r].words; }
  [[nodiscard]] bool at_least(uint32_t capability) const { return kernel_.compute_capability >= capability; }

 private:
  Kernel& kernel_;
  CodeBlock* block_ = nullptr;
  const ir::Instruction* at_ = nullptr;
  uint32_t instruction_ = kNone;
};

}  // namespace drywarp::sass
