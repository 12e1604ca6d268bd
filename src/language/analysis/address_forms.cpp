#include "language/analysis/address_forms.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "language/analysis/parameter_places.h"
#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::Compare;
using ir::Opcode;
using ir::Operand;

constexpr uint32_t kLane = 6;
// Registers that wait for each other: a chain that is longer is no address, but a hash or a cipher, and the stack is
// finite.
constexpr size_t kLongestChain = 400;

bool is_integer(ir::Type type) { return !ir::is_float(type) && type != ir::Type::Pred && ir::bits(type) >= 32; }

// A 32-bit register holds a number modulo 2^32: takes the value nearest to 0.
LinearForm narrowed(LinearForm form) {
  if (!form.known) return LinearForm::unknown();
  form.constant = static_cast<int32_t>(form.constant);
  for (LinearForm::Term& t : form.terms) t.factor = static_cast<int32_t>(t.factor);
  std::erase_if(form.terms, [](const LinearForm::Term& t) { return t.factor == 0; });
  form.allocation = 0;
  return form;
}

Compare inverse(Compare c) {
  switch (c) {
    case Compare::Eq:
      return Compare::Ne;
    case Compare::Ne:
      return Compare::Eq;
    case Compare::Lt:
      return Compare::Ge;
    case Compare::Le:
      return Compare::Gt;
    case Compare::Gt:
      return Compare::Le;
    case Compare::Ge:
      return Compare::Lt;
    case Compare::Lo:
      return Compare::Hs;
    case Compare::Ls:
      return Compare::Hi;
    case Compare::Hi:
      return Compare::Ls;
    case Compare::Hs:
      return Compare::Lo;
    default:
      return Compare::None;
  }
}

}  // namespace

AddressForms::AddressForms(const ir::Module& module, const ir::Function& function, const ControlFlow& flow,
                           const LaunchFacts& facts)
    : module_(module),
      code_(function),
      flow_(flow),
      facts_(facts),
      dominators_(immediate_dominators(function, flow)),
      definitions_(function.registers.size()),
      block_of_(function.instructions.size()),
      states_(function.registers.size(), State::New),
      forms_(function.registers.size()) {
  for (const uint32_t blocks : facts.grid) add_variable(LaunchVariable::Kind::Block, {0, int64_t{blocks} - 1});
  for (const uint32_t threads : facts.block) add_variable(LaunchVariable::Kind::Thread, {0, int64_t{threads} - 1});
  add_variable(LaunchVariable::Kind::Thread, {0, 31});
  for (const ir::BlockId b : flow.order) {
    for (uint32_t i = code_.blocks[b].first; i < code_.blocks[b].end; ++i) {
      block_of_[i] = b;
      for_each_definition(code_.instructions[i], [&](ir::RegisterId r) { definitions_[r].push_back(i); });
    }
  }
}

uint32_t AddressForms::add_variable(LaunchVariable::Kind kind, Range range) {
  variables_.push_back({kind, range});
  return static_cast<uint32_t>(variables_.size() - 1);
}

const AddressForms::Remainder* AddressForms::remainder(uint32_t variable) const {
  const auto found =
      std::find_if(remainders_.begin(), remainders_.end(), [&](const Remainder& r) { return r.variable == variable; });
  return found == remainders_.end() ? nullptr : &*found;
}

const ir::Instruction* AddressForms::only_definition(ir::RegisterId r) const {
  return definitions_[r].size() == 1 ? &code_.instructions[definitions_[r][0]] : nullptr;
}

const LinearForm& AddressForms::of(ir::RegisterId r) {
  if (states_[r] == State::Done) return forms_[r];
  static const LinearForm nothing = LinearForm::unknown();
  if (states_[r] == State::Begun || definitions_[r].empty()) return nothing;
  if (begun_.size() >= kLongestChain || budget_-- <= 0) return nothing;
  states_[r] = State::Begun;
  begun_.push_back(r);
  LinearForm form = definitions_[r].size() == 1 ? evaluate(code_.instructions[definitions_[r][0]], r) : joined(r);
  begun_.pop_back();
  forms_[r] = std::move(form);
  states_[r] = State::Done;
  return forms_[r];
}

LinearForm AddressForms::of(const Operand& o, ir::Type type) {
  switch (o.kind) {
    case Operand::Kind::Register:
      return of(o.id);
    case Operand::Kind::Immediate:
      return ir::bits(type) == 32 ? narrowed(LinearForm::number(static_cast<int64_t>(o.bits)))
                                  : LinearForm::number(static_cast<int64_t>(o.bits));
    case Operand::Kind::Special:
      return special(o.special);
    case Operand::Kind::Symbol: {
      const ir::Symbol& symbol = module_.symbols[o.id];
      if (symbol.space != AddressSpace::Global) return LinearForm::unknown(kOwnMemory);
      LinearForm address = LinearForm::number(static_cast<int64_t>(facts_.symbols[o.id] + o.bits));
      address.allocation = facts_.symbols[o.id];
      return address;
    }
    default:
      return LinearForm::unknown();
  }
}

LinearForm AddressForms::of(const ir::Address& address) {
  if (address.symbol != ir::kNone) {
    Operand symbol;
    symbol.kind = Operand::Kind::Symbol, symbol.id = address.symbol;
    symbol.bits = static_cast<uint64_t>(address.offset);
    return of(symbol, ir::Type::U64);
  }
  if (address.reg == ir::kNone || ir::bits(code_.registers[address.reg].type) != 64) return LinearForm::unknown();
  return combined(of(address.reg), LinearForm::number(address.offset));
}

LinearForm AddressForms::special(ir::SpecialRegister reg) const {
  using ir::SpecialRegister;
  const auto variable = [&](uint32_t v) {
    LinearForm form = LinearForm::number(0);
    if (!(variables_[v].range == Range{0, 0})) form.terms.push_back({v, 1});
    return form;
  };
  const auto index = static_cast<uint32_t>(reg);
  const auto from = [&](SpecialRegister first) { return index - static_cast<uint32_t>(first); };
  if (from(SpecialRegister::TidX) < 3) return variable(3 + from(SpecialRegister::TidX));
  if (from(SpecialRegister::NtidX) < 3) return LinearForm::number(facts_.block[from(SpecialRegister::NtidX)]);
  if (from(SpecialRegister::CtaidX) < 3) return variable(from(SpecialRegister::CtaidX));
  if (from(SpecialRegister::NctaidX) < 3) return LinearForm::number(facts_.grid[from(SpecialRegister::NctaidX)]);
  if (reg == SpecialRegister::LaneId) return variable(kLane);
  return LinearForm::unknown();
}

// A kernel parameter: a number, and perhaps the address of an allocation.
LinearForm AddressForms::loaded(const ir::Instruction& in, ir::RegisterId r) const {
  const std::optional<uint64_t> place =
      parameter_place(module_, code_, in, [this](ir::RegisterId reg) { return only_definition(reg); });
  if (!place || ir::bits(in.type) < 32 || ir::bits(in.type) > 64) return LinearForm::unknown();
  const unsigned bytes = ir::bits(in.type) / 8;
  uint64_t at = *place;
  for (size_t c = 0; c < in.dst.size() && in.dst[c].id != r; ++c) at += bytes;
  if (at > facts_.parameter_bytes || bytes > facts_.parameter_bytes - at) return LinearForm::unknown();
  uint64_t bits = 0;
  std::memcpy(&bits, facts_.parameters + at, bytes);
  LinearForm value = LinearForm::number(static_cast<int64_t>(bits));
  if (bytes == 4) return narrowed(value);
  value.allocation = facts_.allocation ? facts_.allocation(bits) : 0;
  return value;
}

LinearForm AddressForms::of_source(const ir::Instruction& in, size_t index) {
  return index < in.src.size() && !in.src[index].negate ? of(in.src[index], in.type) : LinearForm::unknown();
}

// Extends 32 bits to 64: the same number unless it wraps around.
LinearForm AddressForms::extended(const LinearForm& form, bool is_signed) const {
  const Range range = range_of(form, variables_, false);
  const bool same = is_signed ? range.inside(INT32_MIN, INT32_MAX) : range.inside(0, UINT32_MAX);
  return form.known && same ? form : LinearForm::unknown();
}

// form / divisor, or the remainder. Terms that the divisor divides are taken out; the rest must depend on threads only.
LinearForm AddressForms::divided(const LinearForm& form, int64_t divisor, bool quotient) {
  if (!form.known || divisor <= 0 || range_of(form, variables_, false).low < 0) return LinearForm::unknown();
  LinearForm whole = LinearForm::number(0), rest = LinearForm::number(0);
  rest.constant = (form.constant % divisor + divisor) % divisor;
  whole.constant = (form.constant - rest.constant) / divisor;
  bool of_threads = true;
  for (const LinearForm::Term& t : form.terms) {
    if (t.factor % divisor == 0) {
      whole.terms.push_back({t.variable, t.factor / divisor});
    } else {
      rest.terms.push_back(t);
      of_threads = of_threads && variables_[t.variable].kind == LaunchVariable::Kind::Thread;
    }
  }
  const Range left = range_of(rest, variables_);
  if (left.inside(0, divisor - 1)) return quotient ? whole : rest;
  if (!of_threads || left.low < 0) return LinearForm::unknown();
  LinearForm part = LinearForm::number(0);
  const Range values = quotient ? Range{left.low / divisor, left.high / divisor} : Range{0, divisor - 1};
  part.terms.push_back({add_variable(LaunchVariable::Kind::Thread, values), 1});
  if (!quotient) remainders_.push_back({part.terms[0].variable, rest, divisor});
  return quotient ? combined(whole, part) : part;
}

LinearForm AddressForms::evaluate(const ir::Instruction& in, ir::RegisterId r) {
  if (ir::info(in.op).family == ir::Family::Load) return loaded(in, r);
  if (in.dst.size() != 1 || in.mods.sat || in.mods.carry_out) return LinearForm::unknown();
  if (in.op == Opcode::Cvta) {
    return in.mods.space != AddressSpace::Global && !in.mods.to ? LinearForm::unknown(kOwnMemory) : of_source(in, 0);
  }
  if (!is_integer(in.type)) return LinearForm::unknown();
  const bool narrow = ir::bits(in.type) == 32;
  const auto result = [&](LinearForm form) { return narrow ? narrowed(std::move(form)) : form; };
  const LinearForm a = of_source(in, 0), b = of_source(in, 1);
  const bool low = in.mods.part != ir::Part::Hi;
  switch (in.op) {
    case Opcode::Mov:
      return in.src.size() == 1 ? a : LinearForm::unknown();
    case Opcode::Cvt:
      if (!is_integer(in.type2)) return LinearForm::unknown();
      if (narrow) return narrowed(a);
      return ir::bits(in.type2) == 64 ? a : extended(a, ir::is_signed(in.type2));
    case Opcode::Add:
      return result(combined(a, b));
    case Opcode::Sub: {
      if (b.allocation != 0) return LinearForm::unknown();
      return result(combined(a, b.known ? b.scaled(-1) : b));
    }
    case Opcode::Neg:
      return result(a.scaled(-1));
    case Opcode::Mul:
    case Opcode::Mad: {
      if (!low) return LinearForm::unknown();
      const bool wide = in.mods.part == ir::Part::Wide;
      const LinearForm x = wide ? extended(a, ir::is_signed(in.type)) : a;
      const LinearForm y = wide ? extended(b, ir::is_signed(in.type)) : b;
      LinearForm product = y.is_number()   ? x.scaled(y.constant)
                           : x.is_number() ? y.scaled(x.constant)
                                           : LinearForm::unknown();
      if (in.op == Opcode::Mad) {
        const LinearForm c = wide && in.src.size() > 2 && in.src[2].kind == Operand::Kind::Immediate
                                 ? LinearForm::number(static_cast<int64_t>(in.src[2].bits))
                                 : of_source(in, 2);
        product = combined(product, c);
      }
      return narrow && !wide ? narrowed(std::move(product)) : product;
    }
    case Opcode::Shl:
      if (!b.is_number() || b.constant < 0 || b.constant >= 32) return LinearForm::unknown();
      return result(a.scaled(int64_t{1} << b.constant));
    case Opcode::Shr:
      if (!b.is_number() || b.constant < 0 || b.constant >= 32) return LinearForm::unknown();
      return divided(a, int64_t{1} << b.constant, true);
    case Opcode::Div:
    case Opcode::Rem:
      return b.is_number() ? divided(a, b.constant, in.op == Opcode::Div) : LinearForm::unknown();
    case Opcode::And: {
      const LinearForm& mask = b.is_number() ? b : a;
      const LinearForm& other = b.is_number() ? a : b;
      if (!mask.is_number() || mask.constant <= 0 || !std::has_single_bit(static_cast<uint64_t>(mask.constant) + 1))
        return LinearForm::unknown();
      return divided(other, mask.constant + 1, false);
    }
    case Opcode::Or:
      // Disjoint bits: an addition.
      for (const auto& [high, rest] : {std::pair{&a, &b}, {&b, &a}}) {
        const Range range = range_of(*rest, variables_);
        if (!high->known || !range.inside(0, kUnbounded - 1)) continue;
        const auto unit = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(range.high) + 1));
        const bool apart =
            high->constant % unit == 0 && std::all_of(high->terms.begin(), high->terms.end(),
                                                      [&](const LinearForm::Term& t) { return t.factor % unit == 0; });
        if (apart) return result(combined(a, b));
      }
      return LinearForm::unknown();
    case Opcode::Selp:
    case Opcode::Min:
    case Opcode::Max:
      return LinearForm::unknown(a.allocation == b.allocation ? a.allocation : 0);
    default:
      return LinearForm::unknown();
  }
}

void AddressForms::conditions(ir::RegisterId predicate, bool value, std::vector<Comparison>& out,
                              unsigned depth) const {
  const ir::Instruction* in = only_definition(predicate);
  if (!in || in->guard || depth > 8) return;
  const auto of_operand = [&](size_t i, bool wanted) {
    if (i < in->src.size() && in->src[i].kind == Operand::Kind::Register)
      conditions(in->src[i].id, wanted != in->src[i].negate, out, depth + 1);
  };
  switch (in->op) {
    case Opcode::Setp: {
      if (!is_integer(in->type) || in->dst.empty() || in->dst[0].id != predicate || in->dst[0].negate) return;
      const bool combined_with = in->mods.combine != ir::BoolOp::None;
      // If `a op b and p` is true, both are true; if `a op b or p` is false, both are false.
      if (combined_with && (in->mods.combine == ir::BoolOp::Xor || value != (in->mods.combine == ir::BoolOp::And)))
        return;
      if (combined_with) of_operand(2, value);
      const Compare compare = value ? in->mods.compare : inverse(in->mods.compare);
      const auto place = static_cast<uint32_t>(in - code_.instructions.data());
      out.push_back({compare, in->src[0], in->src[1], in->type, place});
      // The maximum of two is below a limit: so are both.
      const bool upper = compare == Compare::Lt || compare == Compare::Le;
      const bool lower = compare == Compare::Gt || compare == Compare::Ge;
      const ir::Instruction* chosen =
          in->src[0].kind == Operand::Kind::Register ? only_definition(in->src[0].id) : nullptr;
      if (chosen && !chosen->guard && chosen->type == in->type &&
          ((upper && chosen->op == Opcode::Max) || (lower && chosen->op == Opcode::Min)))
        for (const Operand& o : chosen->src) out.push_back({compare, o, in->src[1], in->type, place});
      return;
    }
    case Opcode::And:
    case Opcode::Or:
      if (value != (in->op == Opcode::And)) return;
      of_operand(0, value);
      of_operand(1, value);
      return;
    case Opcode::Not:
      return of_operand(0, !value);
    case Opcode::Mov:
      return of_operand(0, value);
    default:
      return;
  }
}

}  // namespace drywarp::analysis
