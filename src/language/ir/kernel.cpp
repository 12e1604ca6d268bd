#include "language/ir/kernel.h"

#include <algorithm>

namespace drywarp::ir {
namespace {

enum Support : bool { Parse = false, Run = true };

constexpr OpcodeInfo kOpcodes[] = {
#define DW_OPCODE(name, mnemonic, family, support) {mnemonic, Family::family, support},
#include "language/ptx/isa.def"
};

struct TypeInfo {
  const char* name;
  uint8_t bits;
  bool is_float;
  bool is_signed;
};
// In the order of the enumerators.
constexpr TypeInfo kTypes[] = {
    {"none", 0, false, false},    {"pred", 1, false, false},   {"b8", 8, false, false},     {"b16", 16, false, false},
    {"b32", 32, false, false},    {"b64", 64, false, false},   {"b128", 128, false, false}, {"u8", 8, false, false},
    {"u16", 16, false, false},    {"u32", 32, false, false},   {"u64", 64, false, false},   {"s8", 8, false, true},
    {"s16", 16, false, true},     {"s32", 32, false, true},    {"s64", 64, false, true},    {"f16", 16, true, false},
    {"f16x2", 32, true, false},   {"bf16", 16, true, false},   {"bf16x2", 32, true, false}, {"tf32", 32, true, false},
    {"f32", 32, true, false},     {"f32x2", 64, true, false},  {"f64", 64, true, false},    {"u16x2", 32, false, false},
    {"s16x2", 32, false, true},   {"e4m3", 8, true, false},    {"e5m2", 8, true, false},    {"e4m3x2", 16, true, false},
    {"e5m2x2", 16, true, false},  {"e2m3x2", 16, true, false}, {"e3m2x2", 16, true, false}, {"e2m1x2", 8, true, false},
    {"ue8m0x2", 16, true, false}, {"other", 0, false, false},
};
static_assert(std::size(kTypes) == size_t(Type::Other) + 1);

}  // namespace

const OpcodeInfo& info(Opcode op) { return kOpcodes[size_t(op)]; }

bool runs(const Instruction& in) {
  // Stochastic rounding was never recorded on hardware. Of movmatrix, PTX ISA 9.0 has one form.
  const bool known_form = in.op != Opcode::Movmatrix || (in.mods.extra == ".m8n8.trans" && in.type == Type::B16);
  return info(in.op).runs && in.type != Type::Other && in.type2 != Type::Other && in.mods.rounding != Rounding::Rs &&
         known_form;
}

unsigned bits(Type type) { return kTypes[size_t(type)].bits; }
bool is_float(Type type) { return kTypes[size_t(type)].is_float; }
bool is_signed(Type type) { return kTypes[size_t(type)].is_signed; }
const char* name(Type type) { return kTypes[size_t(type)].name; }

uint64_t dynamic_shared_offset(const Function& kernel) {
  const uint64_t mask = uint64_t{kernel.dynamic_shared_alignment} - 1;
  return (kernel.shared_bytes + mask) & ~mask;
}

FunctionId Module::find_function(const std::string& name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == name; });
  return found == functions.end() ? kNone : FunctionId(found - functions.begin());
}

SymbolId Module::find_symbol(const std::string& name) const {
  for (SymbolId id = 0; id < symbols.size(); ++id) {
    if (symbols[id].of_module && symbols[id].name == name) return id;
  }
  return kNone;
}

}  // namespace drywarp::ir
