#include "model/sass/select/writer.h"

#include <utility>

namespace drywarp::sass {

uint8_t words(ir::Type type) {
  const unsigned bits = ir::bits(type);
  return bits > 64 ? 4 : bits > 32 ? 2 : 1;
}

void Writer::begin(CodeBlock& block, const ir::Instruction& in, uint32_t index) {
  block_ = &block;
  at_ = &in;
  instruction_ = index;
}

Register Writer::temporary(uint8_t words, RegisterFile file) { return kernel_.make(words, file); }

Instruction& Writer::emit(Operation op, Register destination, std::initializer_list<Source> sources, const Form& form) {
  Instruction code;
  code.op = op;
  code.destination.set(0, destination);
  code.form = form;
  code.source = sources;
  if (at_->guard) code.guard = Source::of(at_->guard.reg), code.guard_negated = at_->guard.negate;
  code.instruction = instruction_;
  block_->code.push_back(std::move(code));
  return block_->code.back();
}

Instruction& Writer::effect(Operation op, std::initializer_list<Source> sources, const Form& form) {
  Instruction& code = emit(op, kNone, sources, form);
  code.role = Role::Effect;
  return code;
}

Instruction& Writer::wide(Operation op, Register destination, std::initializer_list<Source> sources, const Form& form) {
  Instruction& code = emit(op, destination, sources, form);
  code.wide = true;
  return code;
}

Register Writer::value(Operation op, std::initializer_list<Source> sources, const Form& form) {
  const Register r = temporary();
  emit(op, r, sources, form);
  return r;
}

void Writer::chain(Operation op, unsigned count, Source first, Source other, Register destination) {
  const uint8_t w = kernel_.registers[destination].words;
  for (unsigned i = 0; i < count; ++i) {
    const Register r = i + 1 == count ? destination : temporary(w);
    emit(op, r, {first, other}, kInSequence);
    first = Source::of(r);
  }
}

void Writer::copy(Register destination, Source from) {
  if (destination == kNone) return;
  Instruction& code = emit(Operation::Mov, destination, {from});
  code.role = Role::Copy;
}

void Writer::slow_path(Source taken_if, uint8_t registers) { effect(Operation::Bra, {taken_if}).clobbers = registers; }

}  // namespace drywarp::sass
