#include "model/sass/select/known_widths.h"

#include <algorithm>
#include <bit>

namespace drywarp::sass {
namespace {

constexpr unsigned kMostBits = 64;
// A register that grows so often is a sum around a loop.
constexpr unsigned kMostRises = 6;

unsigned width_of(uint64_t value) { return static_cast<unsigned>(std::bit_width(value)); }

}  // namespace

KnownWidths::KnownWidths(const ir::Function& function)
    : widths_(function.registers.size()), writes_(function.registers.size()) {
  for (const ir::Instruction& in : function.instructions)
    for (const std::vector<ir::Operand>* all : {&in.dst, &in.call_results})
      for (const ir::Operand& d : *all)
        if (d.kind == ir::Operand::Kind::Register) writes_[d.id] = writes_[d.id] == 0 ? 1 : 2;
  for (size_t r = 0; r < widths_.size(); ++r)
    if (writes_[r] == 0) widths_[r] = kMostBits;  // a parameter
  std::vector<uint8_t> rises(widths_.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (const ir::Instruction& in : function.instructions) {
      const auto raise = [&](const ir::Operand& d, unsigned width) {
        if (d.kind != ir::Operand::Kind::Register || widths_[d.id] >= width) return;
        const unsigned most = std::max(ir::bits(function.registers[d.id].type), 1u);
        const unsigned to = ++rises[d.id] > kMostRises ? most : std::min(width, most);
        if (to <= widths_[d.id]) return;
        widths_[d.id] = static_cast<uint8_t>(to);
        changed = true;
      };
      if (!in.dst.empty()) {
        const unsigned width = result(in);
        for (const ir::Operand& d : in.dst) raise(d, width);
      }
      for (const ir::Operand& d : in.call_results) raise(d, kMostBits);
    }
  }
}

unsigned KnownWidths::of(const ir::Operand& operand) const {
  if (operand.kind == ir::Operand::Kind::Immediate) return width_of(operand.bits);
  return operand.kind == ir::Operand::Kind::Register ? widths_[operand.id] : kMostBits;
}

unsigned KnownWidths::result(const ir::Instruction& in) const {
  const auto a = [&](size_t i = 0) { return i < in.src.size() ? of(in.src[i]) : kMostBits; };
  const auto immediate = [&](size_t i) { return i < in.src.size() && in.src[i].kind == ir::Operand::Kind::Immediate; };
  const unsigned bits = ir::bits(in.type);
  const bool no_sign = !ir::is_signed(in.type), several = in.dst.size() > 1;
  switch (in.op) {
    case ir::Opcode::Ld:
    case ir::Opcode::Ldu:
      return no_sign && !ir::is_float(in.type) ? bits : kMostBits;
    case ir::Opcode::Mov:
      return several || in.src.size() != 1 ? kMostBits : a();
    case ir::Opcode::Cvt: {
      if (ir::is_float(in.type) || ir::is_float(in.type2) || in.mods.sat) return kMostBits;
      const unsigned from = ir::bits(in.type2), value = std::min(a(), from);
      return ir::is_signed(in.type2) && value >= from ? kMostBits : value;  // its sign may be set
    }
    case ir::Opcode::And:
      return std::min(a(0), a(1));
    case ir::Opcode::Or:
    case ir::Opcode::Xor:
    case ir::Opcode::Selp:
      return std::max(a(0), a(1));
    case ir::Opcode::Shl:
      return immediate(1) ? static_cast<unsigned>(std::min<uint64_t>(kMostBits, a() + in.src[1].bits)) : kMostBits;
    case ir::Opcode::Shr: {
      if (!no_sign && a() >= bits) return kMostBits;
      const uint64_t amount = immediate(1) ? in.src[1].bits : 0;
      return a() > amount ? static_cast<unsigned>(a() - amount) : 0;
    }
    case ir::Opcode::Add:
      return in.mods.carry_out ? kMostBits : std::max(a(0), a(1)) + 1;
    case ir::Opcode::Mul:
    case ir::Opcode::Mad: {
      if (in.mods.part == ir::Part::Hi || in.mods.carry_out || ir::is_float(in.type)) return kMostBits;
      // Of factors that may be negative, products have any sign.
      if (!no_sign && (a(0) >= bits || a(1) >= bits)) return kMostBits;
      const unsigned product = a(0) + a(1);
      return in.op == ir::Opcode::Mul ? product : std::max(product, a(2)) + 1;
    }
    case ir::Opcode::Div:
      return no_sign ? a(0) : kMostBits;
    case ir::Opcode::Rem:
      return no_sign ? std::min(a(0), a(1)) : kMostBits;
    case ir::Opcode::Min:
      return no_sign ? std::min(a(0), a(1)) : kMostBits;
    case ir::Opcode::Max:
      return no_sign ? std::max(a(0), a(1)) : kMostBits;
    case ir::Opcode::Popc:
    case ir::Opcode::Clz:
      return width_of(kMostBits);
    case ir::Opcode::Bfe:
      return no_sign && immediate(2) ? static_cast<unsigned>(std::min<uint64_t>(kMostBits, in.src[2].bits)) : kMostBits;
    case ir::Opcode::Bfi:
      return immediate(2) && immediate(3) ? static_cast<unsigned>(std::min<uint64_t>(
                                                kMostBits, std::max<uint64_t>(a(1), in.src[2].bits + in.src[3].bits)))
                                          : kMostBits;
    default:
      return kMostBits;
  }
}

}  // namespace drywarp::sass
