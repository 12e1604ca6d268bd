#include "model/sass/select/operands.h"

#include <algorithm>
#include <set>

#include "model/sass/select/select.h"

namespace drywarp::sass {

using ir::Operand;
using ir::Type;

// Elements of which each is always accessed by name and as a whole get registers, as by ptxas's calling convention.
Operands::Operands(const ir::Module& module, const ir::Function& function, Writer& write)
    : module_(module), function_(function), write_(write), widths_(function) {
  std::map<ir::SymbolId, std::map<uint64_t, uint8_t>> parts;  // words by offset; no parts: in memory
  std::set<ir::SymbolId> in_memory;
  const auto named = [&](const ir::Operand& o) {
    if (o.kind == Operand::Kind::Symbol) in_memory.insert(o.id);
  };
  for (const ir::Instruction& in : function.instructions) {
    for (const ir::Operand& o : in.src) named(o);
    if (!in.address || in.address->symbol == ir::kNone) continue;
    const ir::SymbolId id = in.address->symbol;
    if (module.symbols[id].space != AddressSpace::ParamFunc) continue;
    const bool by_name = in.address->reg == ir::kNone && (in.op == ir::Opcode::Ld || in.op == ir::Opcode::St);
    if (!by_name) in_memory.insert(id);
    const uint64_t each = std::max(1u, ir::bits(in.type) / 8);
    for (unsigned i = 0; i < in.mods.vector; ++i) {
      const auto [known, is_new] =
          parts[id].try_emplace(static_cast<uint64_t>(in.address->offset) + i * each, words(in.type));
      if (known->second != words(in.type)) in_memory.insert(id);
    }
  }
  for (const auto& [id, elements] : parts) {
    if (in_memory.contains(id)) continue;
    for (const auto& [offset, count] : elements) slots_[id][offset] = write.temporary(count);
  }
}

Register Operands::slot(const std::optional<ir::Address>& address, uint64_t offset) const {
  if (!address || address->symbol == ir::kNone || address->reg != ir::kNone) return kNone;
  const auto known = slots_.find(address->symbol);
  if (known == slots_.end()) return kNone;
  const auto at = known->second.find(static_cast<uint64_t>(address->offset) + offset);
  return at == known->second.end() ? kNone : at->second;
}

std::vector<Register> Operands::slots(ir::SymbolId symbol) const {
  std::vector<Register> out;
  if (const auto known = slots_.find(symbol); known != slots_.end())
    for (const auto& [offset, reg] : known->second) out.push_back(reg);
  return out;
}

bool Operands::is_constant_word(const Operand& operand) const {
  if (operand.kind != Operand::Kind::Register || operand.negate) return false;
  const ir::Instruction* writer = nullptr;
  for (const ir::Instruction& in : function_.instructions)
    for (const std::vector<Operand>* all : {&in.dst, &in.call_results})
      for (const Operand& d : *all) {
        if (d.kind != Operand::Kind::Register || d.id != operand.id) continue;
        if (writer) return false;
        writer = &in;
      }
  if (!writer || writer->op != ir::Opcode::Ld || !writer->address || writer->address->reg != ir::kNone) return false;
  const AddressSpace space = writer->mods.space;
  return space == AddressSpace::Const || (space == AddressSpace::Param && function_.is_kernel);
}

bool Operands::divides_several(const Operand& divisor) const {
  return divisor.kind == Operand::Kind::Register &&
         std::ranges::count_if(function_.instructions, [&](const auto& in) {
           return divides(in) && !ir::is_float(in.type) && in.src[1].kind == divisor.kind && in.src[1].id == divisor.id;
         }) > 1;
}

Register Operands::result(const ir::Instruction& in, size_t i) const {
  if (i >= in.dst.size() || in.dst[i].kind != Operand::Kind::Register) return kNone;
  return in.dst[i].id;
}

Source Operands::source(const ir::Instruction& in, size_t i, Type type) {
  return i < in.src.size() ? source(in.src[i], type) : Source{};
}

Source Operands::source(const Operand& operand, Type type) {
  switch (operand.kind) {
    case Operand::Kind::Register: {
      Source s = Source::of(operand.id);
      if (operand.negate) s.modifiers = kInverted;
      return s;
    }
    case Operand::Kind::Immediate: {
      // A double literal fits an instruction only if its low word is zero.
      if (type == Type::F64 && (operand.bits & 0xffffffffu) != 0) {
        const Register r = write_.temporary(2);
        Instruction& code = write_.emit(Operation::Mov, r, {Source::immediate(operand.bits)});
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
      return Source::constant(kFunctions + operand.id * 8, 2);
    default:
      return {};
  }
}

namespace {
constexpr uint64_t kAddressBytes = 8;
constexpr uint64_t kMostBytes = 0x10000;  // of constant variables
}  // namespace

Source address_of(ir::SymbolId variable) { return Source::constant(kOtherBanks + variable * kAddressBytes, 2); }

std::optional<ir::SymbolId> constant_variable_at(const ir::Module& module, const Source& address) {
  if (!address.is_constant() || address.value < kOtherBanks || address.value >= kFunctions) return std::nullopt;
  const auto variable = static_cast<ir::SymbolId>((address.value - kOtherBanks) / kAddressBytes);
  if (module.symbols[variable].space != AddressSpace::Const) return std::nullopt;
  return variable;
}

Source words_of(ir::SymbolId variable, uint64_t offset, uint8_t words) {
  return Source::constant(2 * kOtherBanks + variable * kMostBytes + offset, words);
}

// Block and grid sizes are in the constant bank; S2R reads the others.
Source Operands::special(const Operand& operand) {
  using R = ir::SpecialRegister;
  if (const Source size = size_of_launch(operand.special)) return size;
  const bool clock = operand.special >= R::Clock && operand.special <= R::GlobalTimerHi;
  const bool two_words = operand.special == R::Clock64 || operand.special == R::GlobalTimer;
  const Register r = write_.temporary(two_words ? 2 : 1);
  Instruction& code = write_.emit(clock ? Operation::Cs2r : Operation::S2r, r, {},
                                  {.special = operand.special, .index = static_cast<uint8_t>(operand.index)});
  code.guard = {};
  if (clock) code.role = Role::Effect;
  return Source::of(r);
}

MemoryPlace Operands::place(const std::optional<ir::Address>& address, AddressSpace space) {
  if (!address) return {};
  const int64_t offset = address->offset;
  if (address->reg != ir::kNone) return {Source::of(address->reg), offset};
  if (address->symbol == ir::kNone) return {{}, offset};
  const ir::Symbol& symbol = module_.symbols[address->symbol];
  if (symbol.space == AddressSpace::Local || symbol.space == AddressSpace::ParamFunc)
    return {{}, offset + static_cast<int64_t>(symbol.offset)};  // from the stack pointer
  const Source base = symbol_address(address->symbol, 0, space == AddressSpace::Generic);
  if (base.is_immediate()) return {{}, offset + static_cast<int64_t>(base.value)};
  return {base, offset};
}

// Shared memory: sm_90 and later add the base of the block's window within its cluster.
Source Operands::symbol_address(ir::SymbolId id, int64_t offset, bool generic) {
  const ir::Symbol& symbol = module_.symbols[id];
  switch (symbol.space) {
    case AddressSpace::Shared: {
      const uint64_t at = (symbol.is_extern ? 0 : symbol.offset) + static_cast<uint64_t>(offset);
      if (!write_.at_least(90)) return Source::immediate(at);
      constexpr uint8_t kWindowSize = 24;  // of a block, in address bits
      const Register window = write_.temporary(), base = write_.temporary();
      write_.emit(Operation::S2r, window, {}, {.window = AddressSpace::Shared}).guard = {};
      write_
          .emit(Operation::Lea, base, {Source::of(window), Source::immediate(kSharedStart + at)},
                {.shift = Shift::Left, .distance = kWindowSize})
          .guard = {};
      return Source::of(base);
    }
    case AddressSpace::Local:
    case AddressSpace::ParamFunc: {
      // The frame starts at the stack pointer.
      const Register r = write_.temporary(generic ? 2 : 1);
      write_
          .emit(Operation::Iadd3, r, {Source::immediate(symbol.offset + static_cast<uint64_t>(offset))},
                {.window = AddressSpace::Local})
          .guard = {};
      return Source::of(r);
    }
    case AddressSpace::Param:
      return Source::immediate(kParameters + symbol.offset + static_cast<uint64_t>(offset));
    default: {
      const Source base = address_of(id);
      if (offset == 0) return base;
      const Register r = write_.temporary(2);
      Instruction& code = write_.wide(Operation::Iadd3, r, {base, Source::immediate(static_cast<uint64_t>(offset))});
      code.guard = {};
      return Source::of(r);
    }
  }
}

}  // namespace drywarp::sass
