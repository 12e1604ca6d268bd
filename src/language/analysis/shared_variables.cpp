#include <algorithm>
#include <cstdint>
#include <map>
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

// Arguments and results of functions: a variable of the function's, and an offset in it.
using Slot = std::pair<SymbolId, int64_t>;

class Origins {
 public:
  Origins(const ir::Module& module, std::span<const CalledCode> parts) : module_(module), parts_(parts) {
    for (const CalledCode& part : parts) registers_of_.emplace_back(part.code->registers.size());
    // Parameters that are registers are not followed.
    for (size_t part = 0; part < parts.size(); ++part)
      for (const ir::Parameter& p : module.functions[parts[part].id].parameters)
        if (p.reg != ir::kNone) registers_of_[part][p.reg] = kMany;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t part = 0; part < parts.size(); ++part) {
        registers_ = &registers_of_[part];
        for (const ir::Instruction& in : parts[part].code->instructions) changed |= follow(in);
      }
    }
  }

  [[nodiscard]] SymbolId of(size_t part, const ir::Address& a) const {
    if (a.symbol != ir::kNone) return is_shared(a.symbol) ? a.symbol : ir::kNone;
    if (a.reg == ir::kNone) return ir::kNone;
    const Origin& origin = registers_of_[part][a.reg];
    return origin.kind == From::Variable ? origin.symbol : ir::kNone;
  }

 private:
  [[nodiscard]] bool is_shared(SymbolId symbol) const { return module_.symbols[symbol].space == AddressSpace::Shared; }

  [[nodiscard]] Origin of(const Operand& o) const {
    if (o.kind == Operand::Kind::Register) return (*registers_)[o.id];
    if (o.kind != Operand::Kind::Symbol) return kNoVariable;
    return is_shared(o.id) ? Origin{From::Variable, o.id} : kMany;
  }
  [[nodiscard]] Origin of(const ir::Instruction& in, size_t index) const { return of(in.src[index]); }

  // Of a load or a store of a slot, the slot of its element; nothing: it accesses none.
  [[nodiscard]] static std::optional<Slot> slot_of(const ir::Instruction& in, size_t element) {
    if (in.mods.space != AddressSpace::ParamFunc || !in.address || in.address->symbol == ir::kNone ||
        in.address->reg != ir::kNone)
      return std::nullopt;
    const auto bytes = static_cast<int64_t>(ir::bits(in.type) / 8);
    return Slot{in.address->symbol, in.address->offset + static_cast<int64_t>(element) * bytes};
  }

  bool put(const Slot& slot, const Origin& value) {
    Origin& to = slots_[slot];
    const Origin joined = either(to, value);
    const bool changed = joined != to;
    to = joined;
    return changed;
  }

  [[nodiscard]] Origin in_slot(const Slot& slot) const {
    const auto known = slots_.find(slot);
    return known == slots_.end() ? Origin{} : known->second;
  }

  bool copy(SymbolId from, SymbolId to) {
    std::vector<std::pair<Slot, Origin>> copied;
    for (auto slot = slots_.lower_bound({from, INT64_MIN}); slot != slots_.end() && slot->first.first == from; ++slot)
      copied.push_back({{to, slot->first.second}, slot->second});
    bool changed = false;
    for (const auto& [slot, value] : copied) changed |= put(slot, value);
    return changed;
  }

  bool call(const ir::Instruction& in) {
    if (!really_calls(module_, in)) return false;
    if (in.callee != ir::kNone) return call(in, module_.functions[in.callee]);
    // Through a pointer: it may be any function that fits.
    bool changed = false;
    for (const CalledCode& part : parts_) {
      const ir::Function& callee = module_.functions[part.id];
      if (!callee.is_kernel && callee.parameters.size() == in.call_arguments.size() &&
          callee.results.size() == in.call_results.size())
        changed |= call(in, callee);
    }
    return changed;
  }

  // Arguments go in, and results come back, by slots or registers.
  bool call(const ir::Instruction& in, const ir::Function& callee) {
    bool changed = false;
    for (size_t i = 0; i < std::min(in.call_arguments.size(), callee.parameters.size()); ++i) {
      const Operand& given = in.call_arguments[i];
      const SymbolId formal = callee.parameters[i].symbol;
      if (formal == ir::kNone) continue;
      changed |= given.kind == Operand::Kind::Symbol ? copy(given.id, formal) : put({formal, 0}, of(given));
    }
    for (size_t i = 0; i < std::min(in.call_results.size(), callee.results.size()); ++i) {
      const Operand& taken = in.call_results[i];
      const SymbolId formal = callee.results[i].symbol;
      if (formal == ir::kNone) continue;
      if (taken.kind == Operand::Kind::Symbol) changed |= copy(formal, taken.id);
      if (taken.kind == Operand::Kind::Register) changed |= join(taken.id, in_slot({formal, 0}));
    }
    return changed;
  }

  bool join(ir::RegisterId r, const Origin& value) {
    Origin& to = (*registers_)[r];
    const Origin joined = either(to, value);
    const bool changed = joined != to;
    to = joined;
    return changed;
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
    if (in.op == Opcode::Call) {
      bool changed = call(in);
      // What comes back from elsewhere is an index, mostly.
      if (!really_calls(module_, in))
        for_each_definition(in, [&](ir::RegisterId r) { changed |= join(r, kNoVariable); });
      return changed;
    }
    bool changed = false;
    if (slot_of(in, 0) && ir::info(in.op).family == ir::Family::Store) {
      for (size_t e = 0; e < in.src.size(); ++e) changed |= put(*slot_of(in, e), of(in, e));
      return changed;
    }
    if (slot_of(in, 0) && ir::info(in.op).family == ir::Family::Load) {
      for (size_t e = 0; e < in.dst.size(); ++e)
        if (in.dst[e].kind == Operand::Kind::Register) changed |= join(in.dst[e].id, in_slot(*slot_of(in, e)));
      return changed;
    }
    std::optional<Origin> value;
    for_each_definition(in, [&](ir::RegisterId r) {
      if (!value) value = result(in);
      changed |= join(r, *value);
    });
    return changed;
  }

  const ir::Module& module_;
  std::span<const CalledCode> parts_;
  // By part and register, whatever the order in which they are written.
  std::vector<std::vector<Origin>> registers_of_;
  std::vector<Origin>* registers_ = nullptr;  // of the part that is followed
  std::map<Slot, Origin> slots_;
};

SharedVariables variables_of(const ir::Module& module, const ir::Function& function) {
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
  return variables;
}

}  // namespace

std::vector<SharedVariables> shared_variables(const ir::Module& module, std::span<const CalledCode> parts) {
  std::vector<SharedVariables> found;
  for (const CalledCode& part : parts) found.push_back(variables_of(module, *part.code));
  if (std::ranges::all_of(found, [](const SharedVariables& v) { return v.all.empty(); })) return found;
  const Origins origins(module, parts);
  for (size_t part = 0; part < parts.size(); ++part)
    for (size_t i = 0; i < found[part].accessed.size(); ++i)
      if (const auto& address = parts[part].code->instructions[i].address)
        found[part].accessed[i] = origins.of(part, *address);
  return found;
}

}  // namespace drywarp::analysis
