#include <algorithm>
#include <optional>

#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::Opcode;
using ir::Operand;
using ir::SymbolId;

// What a value is computed from: no variable's address, that of one, or something that nobody can tell. In this order,
// values of a register only rise.
struct Origin {
  enum class From : uint8_t { Unset, None, Variable, Many };
  From kind = From::Unset;
  SymbolId symbol = ir::kNone;
  bool operator==(const Origin&) const = default;
};
using From = Origin::From;
constexpr Origin kNoVariable{From::None, ir::kNone}, kMany{From::Many, ir::kNone};

// A register that holds one or the other.
Origin either(const Origin& a, const Origin& b) {
  if (a.kind == From::Unset) return b;
  return b.kind == From::Unset || a == b ? a : kMany;
}

// An address and a distance.
Origin sum(const Origin& a, const Origin& b) {
  if (a.kind == From::Unset || b.kind == From::Unset) return {};
  if (a.kind == From::None) return b;
  return b.kind == From::None ? a : kMany;
}

// The distance of two addresses in one variable is a number.
Origin difference(const Origin& a, const Origin& b) {
  if (a.kind == From::Unset || b.kind == From::Unset) return {};
  if (b.kind == From::None) return a;
  return a.kind == From::Variable && a == b ? kNoVariable : kMany;
}

class Origins {
 public:
  Origins(const ir::Module& module, const ir::Function& function)
      : module_(module), registers_(function.registers.size()) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const ir::Instruction& in : function.instructions) changed |= follow(in);
    }
  }

  [[nodiscard]] SymbolId of(const ir::Address& a) const {
    if (a.symbol != ir::kNone) return is_shared(a.symbol) ? a.symbol : ir::kNone;
    return a.reg != ir::kNone && registers_[a.reg].kind == From::Variable ? registers_[a.reg].symbol : ir::kNone;
  }

 private:
  [[nodiscard]] bool is_shared(SymbolId symbol) const { return module_.symbols[symbol].space == AddressSpace::Shared; }

  [[nodiscard]] Origin of(const ir::Instruction& in, size_t index) const {
    const Operand& o = in.src[index];
    if (o.kind == Operand::Kind::Register) return registers_[o.id];
    if (o.kind != Operand::Kind::Symbol) return kNoVariable;
    return is_shared(o.id) ? Origin{From::Variable, o.id} : kMany;
  }

  [[nodiscard]] Origin result(const ir::Instruction& in) const {
    const size_t sources = in.src.size();
    // Loads and exchanges: an index, mostly. A pointer that is loaded is no variable's, as far as anyone knows.
    if (!in.address && ir::info(in.op).family != ir::Family::WarpExchange && sources != 0) {
      if (in.op == Opcode::Mov && sources == 1 && in.dst.size() == 1) return of(in, 0);
      if (in.op == Opcode::Cvta || (in.op == Opcode::Cvt && !ir::is_float(in.type))) return of(in, 0);
      if (sources == 2 && (in.op == Opcode::Add || in.op == Opcode::Or || in.op == Opcode::And))
        return sum(of(in, 0), of(in, 1));
      if (in.op == Opcode::Sub) return difference(of(in, 0), of(in, 1));
      if (in.op == Opcode::Selp) return either(of(in, 0), of(in, 1));
      if (in.op == Opcode::Mad && sources == 3) {
        const Origin product = sum(of(in, 0), of(in, 1));
        return product.kind == From::Variable ? kMany : sum(product, of(in, 2));
      }
      for (size_t s = 0; s < sources; ++s)
        if (const Origin o = of(in, s); o.kind != From::None) return o.kind == From::Unset ? Origin{} : kMany;
    }
    return kNoVariable;
  }

  bool follow(const ir::Instruction& in) {
    std::optional<Origin> value;
    bool changed = false;
    for_each_definition(in, [&](ir::RegisterId r) {
      if (!value) value = in.op == Opcode::Call ? kNoVariable : result(in);
      const Origin joined = either(registers_[r], *value);
      changed |= joined != registers_[r];
      registers_[r] = joined;
    });
    return changed;
  }

  const ir::Module& module_;
  std::vector<Origin> registers_;  // whatever the order in which they are written
};

}  // namespace

SharedVariables shared_variables(const ir::Module& module, const ir::Function& function) {
  SharedVariables variables;
  const auto add = [&](SymbolId symbol) {
    if (symbol != ir::kNone && module.symbols[symbol].space == AddressSpace::Shared) variables.all.push_back(symbol);
  };
  for (const SymbolId declared : function.symbols) add(declared);
  for (const ir::Instruction& in : function.instructions) {
    for (const auto* operands : {&in.src, &in.call_arguments})
      for (const Operand& o : *operands)
        if (o.kind == Operand::Kind::Symbol) add(o.id);
    for (const auto* address : {&in.address, &in.address2})
      if (address->has_value()) add((*address)->symbol);
  }
  std::ranges::sort(variables.all);
  const auto repeated = std::ranges::unique(variables.all);
  variables.all.erase(repeated.begin(), repeated.end());
  variables.accessed.assign(function.instructions.size(), ir::kNone);
  if (variables.all.empty()) return variables;
  const Origins origins(module, function);
  for (size_t i = 0; i < function.instructions.size(); ++i)
    if (const auto& address = function.instructions[i].address) variables.accessed[i] = origins.of(*address);
  return variables;
}

}  // namespace drywarp::analysis
