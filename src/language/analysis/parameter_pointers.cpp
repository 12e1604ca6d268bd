#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::Opcode;
using ir::Operand;

// What a register holds: a number, the bytes of a parameter that may be a pointer, an address computed from one, or
// something that nobody can tell. In this order, values of a register only rise.
struct PointerValue {
  enum class Holds : uint8_t { Unset, Number, Parameter, Address, Many };
  Holds kind = Holds::Unset;
  uint64_t offset = 0;  // of the parameter
  bool operator==(const PointerValue&) const = default;
};
using Holds = PointerValue::Holds;
constexpr PointerValue kPlainNumber{Holds::Number, 0}, kAnyPointer{Holds::Many, 0};

PointerValue either(const PointerValue& a, const PointerValue& b) {
  if (a.kind == Holds::Unset) return b;
  return b.kind == Holds::Unset || a == b ? a : kAnyPointer;
}
// A parameter that is no pointer yet is a distance.
bool is_distance(const PointerValue& v) { return v.kind == Holds::Number || v.kind == Holds::Parameter; }
PointerValue sum(const PointerValue& a, const PointerValue& b) {
  if (a.kind == Holds::Unset || b.kind == Holds::Unset) return {};
  if (is_distance(a)) return is_distance(b) ? kPlainNumber : b;
  return is_distance(b) ? a : kAnyPointer;
}
PointerValue difference(const PointerValue& a, const PointerValue& b) {
  if (a.kind == Holds::Unset || b.kind == Holds::Unset) return {};
  if (is_distance(b)) return is_distance(a) ? kPlainNumber : a;
  return a.kind == Holds::Address && a == b ? kPlainNumber : kAnyPointer;
}

class PointerValues {
 public:
  PointerValues(const ir::Module& module, const ir::Function& code) : module_(module) {
    size_t known = 0;
    do {
      known = pointers_.size();
      registers_.assign(code.registers.size(), {});
      while (follow(code)) {
      }
    } while (pointers_.size() != known);
  }
  [[nodiscard]] uint64_t parameter_of(const ir::Address& a) const {
    if (a.symbol != ir::kNone || a.reg == ir::kNone) return kNoParameter;
    const PointerValue& v = registers_[a.reg];
    return v.kind == Holds::Address ? v.offset : kNoParameter;
  }

 private:
  bool follow(const ir::Function& code) {
    bool changed = false;
    for (const ir::Instruction& in : code.instructions) {
      const PointerValue value = result(in);
      for_each_definition(in, [&](ir::RegisterId r) {
        const PointerValue joined = either(registers_[r], value);
        changed |= joined != registers_[r];
        registers_[r] = joined;
      });
    }
    return changed;
  }
  // What arithmetic makes of an operand: a pointer that is used as a number is anybody's.
  [[nodiscard]] PointerValue term(const ir::Instruction& in, size_t index) const {
    const PointerValue v = of(in, index);
    return v.kind == Holds::Parameter && pointers_.contains(v.offset) ? kAnyPointer : v;
  }
  [[nodiscard]] PointerValue of(const ir::Instruction& in, size_t index) const {
    const Operand& o = in.src[index];
    if (o.kind == Operand::Kind::Register) return registers_[o.id];
    return o.kind == Operand::Kind::Symbol ? kAnyPointer : kPlainNumber;
  }
  [[nodiscard]] PointerValue result(const ir::Instruction& in) {
    if (in.address) {
      const bool parameter = in.mods.space == AddressSpace::Param && ir::info(in.op).family == ir::Family::Load &&
                             in.address->symbol != ir::kNone && in.address->reg == ir::kNone &&
                             ir::bits(in.type) == 64 && in.dst.size() == 1;
      if (!parameter) return kPlainNumber;  // an index, mostly; of a pointer that is loaded nobody knows whose it is
      return {Holds::Parameter, module_.symbols[in.address->symbol].offset + static_cast<uint64_t>(in.address->offset)};
    }
    const size_t sources = in.src.size();
    if (in.op == Opcode::Call || ir::info(in.op).family == ir::Family::WarpExchange || sources == 0)
      return kPlainNumber;
    if (in.op == Opcode::Mov && sources == 1 && in.dst.size() == 1) return of(in, 0);
    if (in.op == Opcode::Cvta) {
      const PointerValue v = of(in, 0);
      if (v.kind != Holds::Parameter) return v;
      pointers_.insert(v.offset);
      return {Holds::Address, v.offset};
    }
    if (sources == 2 && in.op == Opcode::Add) return sum(term(in, 0), term(in, 1));
    if (in.op == Opcode::Sub) return difference(term(in, 0), term(in, 1));
    if (in.op == Opcode::Selp) return either(term(in, 0), term(in, 1));
    if (in.op == Opcode::Mad && sources == 3) {
      const PointerValue product = sum(term(in, 0), term(in, 1));
      return product.kind == Holds::Number  ? sum(product, term(in, 2))
             : product.kind == Holds::Unset ? PointerValue{}
                                            : kAnyPointer;
    }
    for (size_t s = 0; s < sources; ++s)
      if (const PointerValue v = term(in, s); !is_distance(v))
        return v.kind == Holds::Unset ? PointerValue{} : kAnyPointer;
    return kPlainNumber;
  }

  const ir::Module& module_;
  std::vector<PointerValue> registers_;
  std::set<uint64_t> pointers_;  // parameters that become addresses somewhere
};

}  // namespace

std::vector<uint64_t> parameter_pointers(const ir::Module& module, const ir::Function& code) {
  const PointerValues values(module, code);
  std::vector<uint64_t> found;
  for (const ir::Instruction& in : code.instructions)
    found.push_back(in.address ? values.parameter_of(*in.address) : kNoParameter);
  return found;
}

}  // namespace drywarp::analysis
