#include "model/sass/select/selector.h"

namespace drywarp::sass {

using ir::Operand;
using ir::Type;

uint8_t words(Type type) {
  const unsigned bits = ir::bits(type);
  return bits > 64 ? 4 : bits > 32 ? 2 : 1;
}

Kernel select(const ir::Module& module, const ir::Function& function, uint32_t compute_capability) {
  Kernel kernel;
  kernel.module = &module;
  kernel.function = &function;
  kernel.compute_capability = compute_capability;
  for (const ir::Register& r : function.registers)
    kernel.registers.push_back({r.type == Type::Pred ? RegisterFile::Predicate : RegisterFile::General, words(r.type)});
  kernel.blocks.resize(function.blocks.size());
  Selector(kernel, function).run();
  return kernel;
}

Selector::Selector(Kernel& kernel, const ir::Function& function) : kernel_(kernel), function_(function) {}

void Selector::run() {
  for (size_t b = 0; b < function_.blocks.size(); ++b) {
    block_ = &kernel_.blocks[b];
    for (uint32_t i = function_.blocks[b].first; i < function_.blocks[b].end; ++i) {
      const ir::Instruction& in = function_.instructions[i];
      instruction_ = i;
      at_ = &in;
      (this->*handler(in.op))(in);
    }
  }
}

Register Selector::temporary(uint8_t words, RegisterFile file) { return kernel_.make(words, file); }

Register Selector::result(const ir::Instruction& in, size_t i) const {
  if (i >= in.dst.size() || in.dst[i].kind != Operand::Kind::Register) return kNone;
  return in.dst[i].id;
}

Source Selector::source(const ir::Instruction& in, size_t i, Type type) {
  return i < in.src.size() ? source(in.src[i], type) : Source{};
}

Source Selector::source(const Operand& operand, Type type) {
  switch (operand.kind) {
    case Operand::Kind::Register: {
      Source s = Source::of(operand.id);
      if (operand.negate) s.modifiers = kInverted;
      return s;
    }
    case Operand::Kind::Immediate: {
      // A double literal fits an instruction only if its low word is zero.
      if (type == Type::F64 && (operand.bits & 0xffffffffu) != 0) {
        const Register r = temporary(2);
        Instruction& code = emit(Operation::Mov, r, {Source::immediate(operand.bits)});
        code.wide = true;
        code.guard = {};
        return Source::of(r);
      }
      return Source::immediate(operand.bits);
    }
    case Operand::Kind::Special:
      return special(operand);
    case Operand::Kind::Symbol:
      return symbol_address(operand.id, static_cast<int64_t>(operand.bits), false);
    case Operand::Kind::Function:
      return Source::constant(kOtherBanks + 0x10000 + operand.id * 8, 2);
    default:
      return {};
  }
}

Source size_of_launch(ir::SpecialRegister special) {
  using R = ir::SpecialRegister;
  const auto number = static_cast<uint64_t>(special);
  if (special >= R::NtidX && special <= R::NtidZ)
    return Source::constant(kBlockSize + 4 * (number - static_cast<uint64_t>(R::NtidX)), 1);
  if (special >= R::NctaidX && special <= R::NctaidZ)
    return Source::constant(kGridSize + 4 * (number - static_cast<uint64_t>(R::NctaidX)), 1);
  return {};
}

// Block and grid sizes are in the constant bank; S2R reads the others.
Source Selector::special(const Operand& operand) {
  using R = ir::SpecialRegister;
  if (const Source size = size_of_launch(operand.special)) return size;
  const bool clock = operand.special >= R::Clock && operand.special <= R::GlobalTimerHi;
  const bool two_words = operand.special == R::Clock64 || operand.special == R::GlobalTimer;
  const Register r = temporary(two_words ? 2 : 1);
  Instruction& code = emit(clock ? Operation::Cs2r : Operation::S2r, r, {},
                           {.special = operand.special, .index = static_cast<uint8_t>(operand.index)});
  code.guard = {};
  if (clock) code.role = Role::Effect;
  return Source::of(r);
}

Instruction& Selector::emit(Operation op, Register destination, std::initializer_list<Source> sources,
                            const Form& form) {
  Instruction code;
  code.op = op;
  code.destination[0] = destination;
  code.form = form;
  size_t i = 0;
  for (const Source& s : sources)
    if (i < code.source.size()) code.source[i++] = s;
  if (at_->guard) code.guard = Source::of(at_->guard.reg), code.guard_negated = at_->guard.negate;
  code.instruction = instruction_;
  block_->code.push_back(code);
  return block_->code.back();
}

Instruction& Selector::effect(Operation op, std::initializer_list<Source> sources, const Form& form) {
  Instruction& code = emit(op, kNone, sources, form);
  code.role = Role::Effect;
  return code;
}

Instruction& Selector::wide(Operation op, Register destination, std::initializer_list<Source> sources,
                            const Form& form) {
  Instruction& code = emit(op, destination, sources, form);
  code.wide = true;
  return code;
}

Register Selector::value(Operation op, std::initializer_list<Source> sources, const Form& form) {
  const Register r = temporary();
  emit(op, r, sources, form);
  return r;
}

void Selector::chain(Operation op, unsigned count, Source first, Source other, Register destination) {
  const uint8_t w = kernel_.registers[destination].words;
  for (unsigned i = 0; i < count; ++i) {
    const Register r = i + 1 == count ? destination : temporary(w);
    emit(op, r, {first, other}, kInSequence);
    first = Source::of(r);
  }
}

void Selector::copy(Register destination, Source from) {
  if (destination == kNone) return;
  Instruction& code = emit(Operation::Mov, destination, {from});
  code.role = Role::Copy;
}

// Shared memory: sm_90 and later add the base of the block's window within its cluster.
Source Selector::symbol_address(ir::SymbolId id, int64_t offset, bool generic) {
  const ir::Symbol& symbol = kernel_.module->symbols[id];
  switch (symbol.space) {
    case AddressSpace::Shared: {
      const uint64_t at = (symbol.is_extern ? 0 : symbol.offset) + static_cast<uint64_t>(offset);
      if (!at_least(90)) return Source::immediate(at);
      constexpr uint8_t kWindowSize = 24;  // of a block, in address bits
      const Register window = temporary(), base = temporary();
      emit(Operation::S2r, window, {}, {.window = AddressSpace::Shared}).guard = {};
      emit(Operation::Lea, base, {Source::of(window), Source::immediate(0x400 + at)},
           {.shift = Shift::Left, .distance = kWindowSize})
          .guard = {};
      return Source::of(base);
    }
    case AddressSpace::Local:
    case AddressSpace::ParamFunc: {
      // The frame starts at the stack pointer.
      const Register r = temporary(generic ? 2 : 1);
      emit(Operation::Iadd3, r, {Source::immediate(symbol.offset + static_cast<uint64_t>(offset))},
           {.window = AddressSpace::Local})
          .guard = {};
      return Source::of(r);
    }
    case AddressSpace::Param:
      return Source::immediate(kParameters + symbol.offset + static_cast<uint64_t>(offset));
    default: {
      const Source base = Source::constant(kOtherBanks + uint64_t{id} * 8, 2);
      if (offset == 0) return base;
      const Register r = temporary(2);
      Instruction& code = wide(Operation::Iadd3, r, {base, Source::immediate(static_cast<uint64_t>(offset))});
      code.guard = {};
      return Source::of(r);
    }
  }
}

}  // namespace drywarp::sass
