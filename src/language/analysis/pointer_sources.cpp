#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "language/analysis/parameter_places.h"
#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::Opcode;
using ir::Operand;
using ir::SymbolId;

// What a register holds: a number; one that may be a pointer, of which nobody knows whose; one from a source that may
// be a pointer; an address computed from one; or from more than one. In this order, values of a register only rise.
struct PointerValue {
  enum class Holds : uint8_t { Unset, Number, Loaded, Source, Address, Many };
  Holds kind = Holds::Unset;
  uint32_t source = ir::kNone;
  bool operator==(const PointerValue&) const = default;
};
using Holds = PointerValue::Holds;
constexpr PointerValue kPlainNumber{Holds::Number}, kLoaded{Holds::Loaded}, kAnyPointer{Holds::Many};
constexpr uint32_t kPointerBytes = 8;

// What is no address yet is a distance.
bool is_distance(const PointerValue& v) {
  return v.kind == Holds::Number || v.kind == Holds::Loaded || v.kind == Holds::Source;
}
PointerValue either(const PointerValue& a, const PointerValue& b) {
  if (a.kind == Holds::Unset) return b;
  if (b.kind == Holds::Unset || a == b) return a;
  return is_distance(a) && is_distance(b) ? kLoaded : kAnyPointer;
}
PointerValue sum(const PointerValue& a, const PointerValue& b) {
  if (a.kind == Holds::Unset || b.kind == Holds::Unset) return {};
  if (!is_distance(a)) return is_distance(b) ? a : kAnyPointer;
  if (!is_distance(b)) return b;
  if (a.kind == Holds::Number) return b;
  return b.kind == Holds::Number ? a : kLoaded;
}
PointerValue difference(const PointerValue& a, const PointerValue& b) {
  if (a.kind == Holds::Unset || b.kind == Holds::Unset) return {};
  if (!is_distance(b)) return a.kind == Holds::Address && a == b ? kPlainNumber : kAnyPointer;
  return !is_distance(a) || b.kind == Holds::Number ? a : kPlainNumber;
}

bool may_be_pointer(ir::Type type) { return ir::bits(type) == 64 && !ir::is_float(type); }

class PointerValues {
 public:
  PointerValues(const ir::Module& module, const ir::Function& code) : module_(module) {
    find_parameters(code);
    size_t known = 0;
    do {
      known = pointers_.size();
      registers_.assign(code.registers.size(), {});
      while (follow(code)) {
      }
    } while (pointers_.size() != known);
  }
  [[nodiscard]] std::vector<bool> computed() const {
    std::vector<bool> are(registers_.size());
    bool any = false;
    for (size_t r = 0; r < registers_.size(); ++r) {
      const PointerValue& v = registers_[r];
      if (v.kind != Holds::Address || distances_.contains(v.source)) continue;
      using Kind = PointerSource::Kind;
      const Kind kind = sources_[v.source].kind;
      are[r] = kind == Kind::Listed || kind == Kind::InVariable || kind == Kind::Beyond;
      any |= are[r];
    }
    return any ? are : std::vector<bool>();
  }
  [[nodiscard]] PointerSources found(const ir::Function& code) const {
    PointerSources found;
    std::vector<uint32_t> numbers(sources_.size(), ir::kNone);
    for (const ir::Instruction& in : code.instructions) {
      uint32_t& number = found.of.emplace_back(ir::kNone);
      const uint32_t source = in.address ? source_of(*in.address) : ir::kNone;
      if (source == ir::kNone || sources_[source].kind == PointerSource::Kind::OfVariable) continue;
      if (numbers[source] == ir::kNone) {
        numbers[source] = static_cast<uint32_t>(found.all.size());
        found.all.push_back(sources_[source]);
      }
      number = numbers[source];
    }
    return found;
  }

 private:
  [[nodiscard]] uint32_t source_of(const ir::Address& a) const {
    if (a.symbol != ir::kNone || a.reg == ir::kNone) return ir::kNone;
    const PointerValue& v = registers_[a.reg];
    return v.kind == Holds::Address ? v.source : ir::kNone;
  }
  bool follow(const ir::Function& code) {
    bool changed = false;
    for (const ir::Instruction& in : code.instructions) {
      uint32_t element = 0;
      for_each_definition(in, [&](ir::RegisterId r) {
        const PointerValue joined = either(registers_[r], result(in, element++));
        changed |= joined != registers_[r];
        registers_[r] = joined;
      });
      use_address(in);
    }
    return changed;
  }
  // What is used as an address without more is a pointer.
  void use_address(const ir::Instruction& in) {
    const AddressSpace space = in.mods.space;
    const bool global = space == AddressSpace::Global || space == AddressSpace::Generic || space == AddressSpace::Const;
    if (!in.address || in.address->reg == ir::kNone || !global) return;
    const PointerValue& v = registers_[in.address->reg];
    if (v.kind == Holds::Source) pointers_.insert(v.source);
  }

  PointerValue from(const PointerSource& source) {
    const auto known = std::ranges::find(sources_, source);
    const auto number = static_cast<uint32_t>(known - sources_.begin());
    if (known == sources_.end()) sources_.push_back(source);
    const bool is_address = source.kind == PointerSource::Kind::OfVariable || pointers_.contains(number);
    return {is_address ? Holds::Address : Holds::Source, number};
  }
  [[nodiscard]] bool is_variable(SymbolId id) const {
    const ir::Symbol& symbol = module_.symbols[id];
    return symbol.of_module && (symbol.space == AddressSpace::Global || symbol.space == AddressSpace::Const);
  }
  PointerValue of(const ir::Instruction& in, size_t index) {
    const Operand& o = in.src[index];
    if (o.kind == Operand::Kind::Register) return registers_[o.id];
    if (o.kind != Operand::Kind::Symbol) return kPlainNumber;
    return is_variable(o.id) ? from({PointerSource::Kind::OfVariable, o.id, 0}) : kAnyPointer;
  }

  PointerValue loaded(const ir::Instruction& in, uint32_t element) {
    if (!may_be_pointer(in.type)) return kPlainNumber;
    const ir::Address& a = *in.address;
    if (ir::info(in.op).family != ir::Family::Load) return kLoaded;
    if (const auto place = places_.find(&in); place != places_.end())
      return from({PointerSource::Kind::Kept, ir::kNone, place->second + uint64_t{element} * kPointerBytes});
    if (a.symbol != ir::kNone) {
      const uint64_t offset = static_cast<uint64_t>(a.offset) + uint64_t{element} * kPointerBytes;
      if (a.reg != ir::kNone) return kLoaded;
      return is_variable(a.symbol) ? from({PointerSource::Kind::Kept, a.symbol, offset}) : kLoaded;
    }
    if (a.reg == ir::kNone) return kLoaded;
    const PointerValue& v = registers_[a.reg];
    if (v.kind == Holds::Unset) return {};
    if (v.kind != Holds::Address) return kLoaded;
    using Kind = PointerSource::Kind;
    const PointerSource table = sources_[v.source];
    if (table.kind == Kind::OfVariable) return from({Kind::InVariable, table.variable, 0});
    return from({table.kind == Kind::Kept ? Kind::Listed : Kind::Beyond, table.variable, table.offset});
  }

  PointerValue result(const ir::Instruction& in, uint32_t element) {
    if (in.address) return loaded(in, element);
    const size_t sources = in.src.size();
    if (in.op == Opcode::Call || ir::info(in.op).family == ir::Family::WarpExchange) return kLoaded;
    if (sources == 0) return kPlainNumber;
    if (in.op == Opcode::Mov && sources == 1 && in.dst.size() == 1) return of(in, 0);
    if (in.op == Opcode::Mov) return may_be_pointer(in.type) ? kLoaded : kPlainNumber;
    if (in.op == Opcode::Cvta) {
      const PointerValue v = of(in, 0);
      if (v.kind != Holds::Source) return v;
      pointers_.insert(v.source);
      return {Holds::Address, v.source};
    }
    if (sources == 2 && in.op == Opcode::Add) return sum(of(in, 0), of(in, 1));
    if (in.op == Opcode::Sub) {
      const PointerValue a = of(in, 0), b = of(in, 1);
      if (a.kind == Holds::Address && a == b) distances_.insert(a.source);
      return difference(a, b);
    }
    if (in.op == Opcode::Selp) return either(of(in, 0), of(in, 1));
    if (in.op == Opcode::Mad && sources == 3) {
      const PointerValue product = sum(of(in, 0), of(in, 1));
      return is_distance(product)           ? sum(kPlainNumber, of(in, 2))
             : product.kind == Holds::Unset ? PointerValue{}
                                            : kAnyPointer;
    }
    for (size_t s = 0; s < sources; ++s)
      if (const PointerValue v = of(in, s); !is_distance(v))
        return v.kind == Holds::Unset ? PointerValue{} : kAnyPointer;
    return kPlainNumber;
  }

  void find_parameters(const ir::Function& code) {
    std::vector<const ir::Instruction*> definitions(code.registers.size(), nullptr);
    std::vector<bool> defined(code.registers.size(), false);
    for (const ir::Instruction& in : code.instructions)
      for_each_definition(in, [&](ir::RegisterId r) {
        definitions[r] = defined[r] ? nullptr : &in;
        defined[r] = true;
      });
    for (const ir::Instruction& in : code.instructions)
      if (const auto place = parameter_place(module_, code, in, [&](ir::RegisterId r) { return definitions[r]; }))
        places_[&in] = *place;
  }

  const ir::Module& module_;
  std::map<const ir::Instruction*, uint64_t> places_;  // in the parameters, of loads from there
  std::vector<PointerValue> registers_;
  std::vector<PointerSource> sources_;
  std::set<uint32_t> pointers_;   // sources whose values become addresses somewhere
  std::set<uint32_t> distances_;  // sources, of which two values are subtracted from each other
};

}  // namespace

PointerSources pointer_sources(const ir::Module& module, const ir::Function& code) {
  return PointerValues(module, code).found(code);
}

std::vector<bool> computed_addresses(const ir::Module& module, const ir::Function& code) {
  return PointerValues(module, code).computed();
}

}  // namespace drywarp::analysis
