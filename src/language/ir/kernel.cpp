#include "language/ir/kernel.h"

#include <algorithm>

#include "language/ir/bulk_copies.h"
#include "language/ir/group_products.h"
#include "language/ir/matrix_shapes.h"

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
    {"ue8m0x2", 16, true, false}, {"u4", 4, false, false},     {"s4", 4, false, true},      {"b1", 1, false, false},
    {"other", 0, false, false},
};
static_assert(std::size(kTypes) == size_t(Type::Other) + 1);

}  // namespace

namespace {

// Unknown: geometries of several samples, formats of results of 16 bits, texture references (named by a symbol), and
// depth comparisons, offsets and residency (more words, or a second result).
bool known_texture(const Instruction& in) {
  const Family family = info(in.op).family;
  if (family != Family::Texture && family != Family::Surface) return true;
  if (!in.mods.extra.empty() || !in.address || in.address->symbol != kNone) return false;
  const TextureModifiers& mods = in.mods.texture;
  if (in.op == Opcode::Txq || in.op == Opcode::Suq) return mods.query != TextureQuery::None && in.src.empty();
  if (mods.geometry == Geometry::None) return false;
  const unsigned place = coordinate_operands(mods.geometry);
  if (in.op == Opcode::Sust || in.op == Opcode::Sured) return in.src.size() == place + in.mods.vector;
  if (in.dst.size() != in.mods.vector) return false;
  if (in.op == Opcode::Suld) return in.src.size() == place;
  if (bits(in.type) != 32 || in.dst.size() != 4) return false;
  if (in.op == Opcode::Tld4) return in.src.size() == place;
  const unsigned gradient = mods.geometry == Geometry::D1 || mods.geometry == Geometry::A1d   ? 1
                            : mods.geometry == Geometry::D2 || mods.geometry == Geometry::A2d ? 2
                                                                                              : 4;
  constexpr unsigned kLevel = 1;
  const unsigned more = mods.level == MipLevel::Level ? kLevel : mods.level == MipLevel::Grad ? 2 * gradient : 0;
  return in.src.size() == place + more;
}

}  // namespace

const OpcodeInfo& info(Opcode op) { return kOpcodes[size_t(op)]; }

bool runs(const Instruction& in) {
  // Stochastic rounding was never recorded on hardware. Of movmatrix, PTX ISA 9.0 has one form.
  const bool known_form = in.op != Opcode::Movmatrix || (in.mods.extra == ".m8n8.trans" && in.type == Type::B16);
  // Else it is no form that can be expanded.
  const bool async_store = in.op == Opcode::StAsync || in.op == Opcode::RedAsync;
  if (async_store && in.origin != Origin::Expanded) return false;
  return info(in.op).runs && in.type != Type::Other && in.type2 != Type::Other && in.mods.rounding != Rounding::Rs &&
         known_form && known_texture(in) && known_matrix(in) && known_bulk(in) && known_group_product(in);
}

unsigned coordinates(Geometry geometry) {
  constexpr unsigned kCoordinates[] = {0, 1, 2, 3, 2, 3, 3, 4};  // in the order of the enumerators
  return kCoordinates[size_t(geometry)];
}
unsigned coordinate_operands(Geometry geometry) {
  const unsigned count = coordinates(geometry);
  return count == 3 ? 4 : count;
}
bool is_layered(Geometry geometry) {
  return geometry == Geometry::A1d || geometry == Geometry::A2d || geometry == Geometry::Acube;
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
