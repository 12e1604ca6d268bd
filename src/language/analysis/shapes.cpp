#include "language/analysis/shapes.h"
#include "language/ir/warp_exchanges.h"

#include <algorithm>
#include <bit>

namespace drywarp::analysis {
namespace {

using ir::Opcode;
using ir::Operand;
using Kind = Shape::Kind;

std::optional<int32_t> add(std::optional<int32_t> a, std::optional<int32_t> b) {
  if (!a || !b) return std::nullopt;
  return static_cast<int32_t>(static_cast<uint32_t>(*a) + static_cast<uint32_t>(*b));
}
std::optional<int32_t> multiply(std::optional<int32_t> a, std::optional<uint64_t> b) {
  if (a == 0) return 0;
  if (!a || !b) return std::nullopt;
  return static_cast<int32_t>(static_cast<uint32_t>(*a) * static_cast<uint32_t>(*b));
}

Shape join(const Shape& a, const Shape& b) {
  if (a.kind == Kind::Unknown) return b;
  if (b.kind == Kind::Unknown) return a;
  if (a.kind == Kind::Varying || b.kind == Kind::Varying) return Shape::varying();
  if (a.kind == Kind::Uniform && b.kind == Kind::Uniform) return Shape::uniform(std::min(a.alignment, b.alignment));
  auto stride = [](const Shape& s, std::optional<int32_t> known) {
    return s.kind == Kind::Uniform ? std::optional<int32_t>(0) : known;
  };
  auto both = [](std::optional<int32_t> x, std::optional<int32_t> y) { return x == y ? x : std::nullopt; };
  Shape result;
  result.alignment = std::min(a.alignment, b.alignment);
  result.stride1 = both(stride(a, a.stride1), stride(b, b.stride1));
  result.stride2 = both(stride(a, a.stride2), stride(b, b.stride2));
  const bool extended = a.kind == Kind::Extended || b.kind == Kind::Extended;
  const bool affine = a.kind == Kind::Affine || b.kind == Kind::Affine;
  if (extended && affine) return Shape::varying();
  if (extended) {
    if (a.kind == Kind::Extended && b.kind == Kind::Extended && a.is_signed != b.is_signed) return Shape::varying();
    result.is_signed = a.kind == Kind::Extended ? a.is_signed : b.is_signed;
    result.kind = Kind::Extended;
    result.alignment = 0;
    // A uniform value is the addend alone, with scale 0: the stride then stays what it is and the scale is not known.
    if (a.kind == Kind::Extended && b.kind == Kind::Extended) {
      if (a.scale == b.scale) result.scale = a.scale;
    } else {
      const Shape& e = a.kind == Kind::Extended ? a : b;
      result.stride1 = e.stride1, result.stride2 = e.stride2;
    }
    return result;
  }
  result.kind = Kind::Affine;
  return result;
}

class Analysis {
 public:
  Analysis(const ir::Function& f, const ControlFlow& flow, const Liveness& live, const BlockShape& block)
      : f_(f), flow_(flow), live_(live), block_(block) {
    result_.pattern = lane_pattern(block);
    result_.registers.resize(f.registers.size());
    result_.divergent.assign(f.blocks.size(), false);
    result_.kept.assign(f.blocks.size(), RegisterSet(f.registers.size()));
    result_.second.assign(f.blocks.size(), ir::kExit);
  }

  Shapes run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (ir::BlockId b : flow_.order)
        for (uint32_t i = f_.blocks[b].first; i < f_.blocks[b].end; ++i) changed |= visit(f_.instructions[i], b);
      for (ir::BlockId b : flow_.order) changed |= visit_branch(b);
    }
    return std::move(result_);
  }

 private:
  Shape of(const Operand& o) const {
    switch (o.kind) {
      case Operand::Kind::Register:
        return result_.registers[o.id];
      case Operand::Kind::Immediate:
        return Shape::uniform(alignment_of(o.bits));
      case Operand::Kind::Special:
        return shape_of(o.special, block_);
      default:
        return Shape::uniform();
    }
  }
  Shape source(const ir::Instruction& in, size_t i) const {
    return i < in.src.size() ? of(in.src[i]) : Shape::uniform();
  }
  std::optional<uint64_t> constant(const ir::Instruction& in, size_t i) const {
    if (i < in.src.size() && in.src[i].kind == Operand::Kind::Immediate) return in.src[i].bits;
    return std::nullopt;
  }

  bool set(ir::RegisterId r, Shape shape, bool guarded_by_lanes, ir::BlockId block) {
    // Lanes that do not take part keep their old value in the same register.
    if (guarded_by_lanes || result_.kept[block].has(r)) shape = Shape::varying();
    if (shape.kind == Kind::Affine && ir::bits(f_.registers[r].type) != 32) shape = Shape::varying();
    if (shape.kind == Kind::Extended && ir::bits(f_.registers[r].type) != 64) shape = Shape::varying();
    Shape joined = join(result_.registers[r], shape);
    if (joined == result_.registers[r]) return false;
    result_.registers[r] = joined;
    return true;
  }

  bool visit(const ir::Instruction& in, ir::BlockId block) {
    bool changed = false;
    const bool varying_guard = in.guard && !result_.registers[in.guard.reg].is_uniform();
    for (size_t i = 0; i < in.dst.size(); ++i) {
      if (in.dst[i].kind != Operand::Kind::Register) continue;
      changed |= set(in.dst[i].id, transfer(in, i), varying_guard, block);
    }
    for (const Operand& d : in.call_results)
      if (d.kind == Operand::Kind::Register) changed |= set(d.id, Shape::varying(), varying_guard, block);
    return changed;
  }

  // Every register source uniform (addresses included).
  bool all_uniform(const ir::Instruction& in) const {
    for (const Operand& s : in.src)
      if (!of(s).is_uniform()) return false;
    for (const auto* a : {&in.address, &in.address2})
      if (a->has_value() && (*a)->reg != ir::kNone && !result_.registers[(*a)->reg].is_uniform()) return false;
    return true;
  }

  Shape transfer(const ir::Instruction& in, size_t result) const {
    switch (ir::traits(ir::info(in.op).family).results) {
      case ir::Results::Varying:
        return Shape::varying();
      case ir::Results::Uniform:
        return Shape::uniform();
      case ir::Results::Loaded:
        if (in.mods.space == AddressSpace::Local || in.mods.space == AddressSpace::ParamFunc) return Shape::varying();
        return all_uniform(in) ? Shape::uniform() : Shape::varying();
      case ir::Results::Exchanged:
        return exchange(in);
      case ir::Results::ByOperands:
        break;
    }
    if (in.op == Opcode::Mov || in.op == Opcode::Cvta) return move(in, result);
    if (in.op == Opcode::Mapa || in.op == Opcode::Getctarank)
      return all_uniform(in) ? Shape::uniform() : Shape::varying();
    if (in.op == Opcode::Alloca || in.op == Opcode::Stacksave) return Shape::varying();
    // There is a carry flag for each lane.
    if (in.mods.carry_out || in.op == Opcode::Addc || in.op == Opcode::Subc || in.op == Opcode::Madc)
      return Shape::varying();
    if (all_uniform(in)) return uniform_result(in);
    return arithmetic(in);
  }

  Shape exchange(const ir::Instruction& in) const {
    if (!ir::warp_exchange(in.op)->one_answer) return Shape::varying();
    // Tiles of a warp name different masks in the same instruction.
    const std::optional<size_t> mask = ir::member_mask(in);
    return !mask || of(in.src[*mask]).is_uniform() ? Shape::uniform() : Shape::varying();
  }

  Shape move(const ir::Instruction& in, size_t result) const {
    if (in.dst.size() == 1 && in.src.size() == 1) {
      const Operand& s = in.src[0];
      // The address of a local variable differs from thread to thread once it is generic.
      if (in.op == Opcode::Cvta && in.mods.space == AddressSpace::Local) return Shape::varying();
      if (s.kind == Operand::Kind::Special) return shape_of(s.special, block_);
      return of(s);
    }
    return all_uniform(in) ? Shape::uniform() : Shape::varying();
  }

  Shape uniform_result(const ir::Instruction& in) const {
    const uint8_t a = source(in, 0).alignment, b = source(in, 1).alignment, c = source(in, 2).alignment;
    auto cap = [](int x) { return static_cast<uint8_t>(std::clamp(x, 0, 32)); };
    if (ir::is_float(in.type) || ir::is_float(in.type2)) return Shape::uniform();
    switch (in.op) {
      case Opcode::Add:
      case Opcode::Sub:
      case Opcode::Or:
        return Shape::uniform(std::min(a, b));
      case Opcode::And:
        return Shape::uniform(std::max(a, b));
      case Opcode::Mul:
        return in.mods.part == ir::Part::Hi ? Shape::uniform() : Shape::uniform(cap(a + b));
      case Opcode::Mad:
        return in.mods.part == ir::Part::Hi ? Shape::uniform() : Shape::uniform(std::min(cap(a + b), c));
      case Opcode::Shl:
        if (auto k = constant(in, 1)) return Shape::uniform(cap(a + static_cast<int>(std::min<uint64_t>(*k, 32))));
        return Shape::uniform(a);
      case Opcode::Shr:
        if (auto k = constant(in, 1)) return Shape::uniform(cap(int(a) - static_cast<int>(std::min<uint64_t>(*k, 32))));
        return Shape::uniform();
      case Opcode::Cvt:
        return ir::bits(in.type) >= 32 && ir::bits(in.type2) >= 32 ? Shape::uniform(a) : Shape::uniform();
      default:
        return Shape::uniform();
    }
  }

  // The value lies in one aligned window of 2^k for every lane: base aligned to it and the strides inside it.
  bool within(const Shape& s, unsigned k) const {
    if (s.kind != Kind::Affine || !s.stride1 || !s.stride2 || *s.stride1 < 0 || *s.stride2 < 0) return false;
    const uint64_t reach =
        uint64_t(*s.stride1) * (result_.pattern.width - 1) + uint64_t(*s.stride2) * (result_.pattern.rows() - 1);
    return k <= 32 && s.alignment >= k && reach < (uint64_t{1} << k);
  }

  Shape arithmetic(const ir::Instruction& in) const {
    const Shape a = source(in, 0), b = source(in, 1), c = source(in, 2);
    const unsigned width = ir::bits(in.type);
    if (in.mods.sat || in.mods.carry_out || ir::is_float(in.type)) return Shape::varying();
    auto lift = [](const Shape& s) {  // Uniform as an affine value with stride 0
      return s.is_uniform() ? Shape::affine(s.alignment, 0, 0) : s;
    };
    switch (in.op) {
      case Opcode::Add:
      case Opcode::Sub: {
        if (width == 32 && lift(a).kind == Kind::Affine && lift(b).kind == Kind::Affine) {
          const Shape x = lift(a), y = lift(b);
          auto sign = [&](std::optional<int32_t> s) { return in.op == Opcode::Sub ? multiply(s, ~uint64_t{0}) : s; };
          return Shape::affine(std::min(x.alignment, y.alignment), add(x.stride1, sign(y.stride1)),
                               add(x.stride2, sign(y.stride2)));
        }
        if (width == 64 && a.kind == Kind::Extended && b.is_uniform()) return a;
        if (width == 64 && b.kind == Kind::Extended && a.is_uniform()) {
          Shape other = b;
          if (in.op == Opcode::Sub) other.scale.reset();
          return other;
        }
        return Shape::varying();
      }
      case Opcode::Neg:
        if (width == 32 && a.kind == Kind::Affine)
          return Shape::affine(a.alignment, multiply(a.stride1, ~uint64_t{0}), multiply(a.stride2, ~uint64_t{0}));
        return Shape::varying();
      case Opcode::Mul:
      case Opcode::Mad: {
        const bool first = b.is_uniform();
        const Shape& x = first ? a : b;
        const Shape& factor = first ? b : a;
        if (!factor.is_uniform() || x.kind == Kind::Varying) return Shape::varying();
        const auto k = constant(in, first ? 1 : 0);
        if (in.mods.part == ir::Part::Wide) {
          if (width != 32 || x.kind != Kind::Affine) return Shape::varying();
          if (in.op == Opcode::Mad && !c.is_uniform()) return Shape::varying();
          Shape wide{Kind::Extended, ir::is_signed(in.type), 0, x.stride1, x.stride2, {}};
          if (k)
            wide.scale =
                ir::is_signed(in.type) ? int64_t{static_cast<int32_t>(*k)} : int64_t{static_cast<uint32_t>(*k)};
          return wide;
        }
        if (in.mods.part == ir::Part::Hi) return Shape::varying();
        if (width == 32 && lift(x).kind == Kind::Affine) {
          const Shape l = lift(x);
          Shape product = Shape::affine(std::min(32, l.alignment + factor.alignment), multiply(l.stride1, k),
                                        multiply(l.stride2, k));
          if (in.op == Opcode::Mul) return product;
          const Shape y = lift(c);
          if (y.kind != Kind::Affine) return Shape::varying();
          return Shape::affine(std::min(product.alignment, y.alignment), add(product.stride1, y.stride1),
                               add(product.stride2, y.stride2));
        }
        if (width == 64 && x.kind == Kind::Extended && (in.op == Opcode::Mul || c.is_uniform())) {
          Shape product = x;
          if (product.scale && k) {
            product.scale = static_cast<int64_t>(static_cast<uint64_t>(*product.scale) * *k);
          } else {
            product.scale.reset();
          }
          return product;
        }
        if (width == 64 && x.is_uniform() && in.op == Opcode::Mad && c.kind == Kind::Extended) return c;
        return Shape::varying();
      }
      case Opcode::Shl: {
        if (!b.is_uniform()) return Shape::varying();
        const auto k = constant(in, 1);
        if (width == 32 && a.kind == Kind::Affine && k && *k < 32)
          return Shape::affine(std::min<uint64_t>(32, a.alignment + *k), multiply(a.stride1, uint64_t{1} << *k),
                               multiply(a.stride2, uint64_t{1} << *k));
        if (width == 64 && a.kind == Kind::Extended && k && *k < 64) {
          Shape shifted = a;
          if (shifted.scale) shifted.scale = static_cast<int64_t>(static_cast<uint64_t>(*shifted.scale) << *k);
          return shifted;
        }
        return Shape::varying();
      }
      case Opcode::Shr: {
        const auto k = constant(in, 1);
        if (width == 32 && k && *k < 32 && within(a, *k))
          return Shape::uniform(std::max(0, int(a.alignment) - int(*k)));
        return Shape::varying();
      }
      case Opcode::And: {
        const auto mask = constant(in, 1);
        if (width != 32 || !mask || a.kind != Kind::Affine) return Shape::varying();
        for (unsigned k = 0; k <= 32; ++k) {
          if (!within(a, k)) continue;
          // Bits below k that can be set: multiples of the strides have none below the strides' own.
          const unsigned step = alignment_of(static_cast<uint32_t>(*a.stride1) | static_cast<uint32_t>(*a.stride2));
          const uint64_t low = (uint64_t{1} << k) - (uint64_t{1} << std::min(k, step));
          if ((*mask & low) == 0) return Shape::uniform(std::max<uint8_t>(a.alignment, alignment_of(*mask)));
          if ((*mask & low) == low) return Shape::affine(a.alignment, a.stride1, a.stride2);
        }
        return Shape::varying();
      }
      case Opcode::Or: {  // disjoint bits: an addition
        const Shape& x = a.kind == Kind::Affine ? a : b;
        const Shape& u = a.kind == Kind::Affine ? b : a;
        if (width != 32 || x.kind != Kind::Affine || !u.is_uniform()) return Shape::varying();
        // Only when the affine value is pure lane pattern (base a multiple of 2^k) and the other has no bits below k in
        // common: base | u stays uniform and the low bits come from the lanes alone.
        for (unsigned k = 0; k <= 32; ++k)
          if (within(x, k) && u.alignment >= k) return Shape::affine(0, x.stride1, x.stride2);
        return Shape::varying();
      }
      case Opcode::Cvt:
        return convert(in, a);
      case Opcode::Setp:
        return compare(in, a, b);
      case Opcode::Selp: {
        if (!c.is_uniform()) return Shape::varying();
        return join(a, b);
      }
      default:
        return Shape::varying();
    }
  }

  Shape convert(const ir::Instruction& in, const Shape& a) const {
    if (ir::is_float(in.type2)) return Shape::varying();
    const unsigned to = ir::bits(in.type), from = ir::bits(in.type2);
    if (to == 32 && from == 32 && a.kind == Kind::Affine) return a;
    if (to == 64 && from == 32 && a.kind == Kind::Affine)
      return {Kind::Extended, ir::is_signed(in.type2), 0, a.stride1, a.stride2, 1};
    if (to == 64 && from == 64 && a.kind == Kind::Extended) return a;
    if (to == 32 && from == 64 && a.kind == Kind::Extended) return Shape::affine(0, {}, {});
    return Shape::varying();
  }

  // base + lane < bound has one answer for the warp when both base and bound are multiples of the window the lanes
  // span.
  Shape compare(const ir::Instruction& in, const Shape& a, const Shape& b) const {
    if (ir::bits(in.type) != 32 || in.src.size() > 2 || in.dst.size() > 1) return Shape::varying();
    const bool left = a.kind == Kind::Affine && b.is_uniform();
    const bool right = b.kind == Kind::Affine && a.is_uniform();
    if (!left && !right) return Shape::varying();
    const Shape& x = left ? a : b;
    const Shape& bound = left ? b : a;
    const auto literal = constant(in, left ? 1 : 0);
    bool below = false, above = false;  // x < bound (or its negation), x > bound (or its negation)
    switch (in.mods.compare) {
      case ir::Compare::Lt:
      case ir::Compare::Ge:
      case ir::Compare::Lo:
      case ir::Compare::Hs:
        (left ? below : above) = true;
        break;
      case ir::Compare::Gt:
      case ir::Compare::Le:
      case ir::Compare::Hi:
      case ir::Compare::Ls:
        (left ? above : below) = true;
        break;
      default:
        return Shape::varying();
    }
    for (unsigned k = 0; k <= 31; ++k) {
      if (!within(x, k)) continue;
      if (below && bound.alignment >= k) return Shape::uniform();
      // x > literal is x >= literal + 1
      if (above && literal && (static_cast<uint32_t>(*literal) != (ir::is_signed(in.type) ? 0x7fffffffu : ~0u)) &&
          alignment_of(static_cast<uint32_t>(*literal) + 1u) >= k)
        return Shape::uniform();
    }
    return Shape::varying();
  }

  bool visit_branch(ir::BlockId b) {
    if (result_.divergent[b]) return false;
    const ir::Block& block = f_.blocks[b];
    if (block.successors.size() < 2 || block.end == block.first) return false;
    const ir::Instruction& last = f_.instructions[block.end - 1];
    bool varying = last.guard && !result_.registers[last.guard.reg].is_uniform();
    if (last.op == Opcode::BrxIdx && !last.src.empty() && !of(last.src[0]).is_uniform()) varying = true;
    if (!varying) return false;
    result_.divergent[b] = true;
    const ir::BlockId reconvergence = flow_.reconvergence[b];
    RegisterSet needed(f_.registers.size());
    if (reconvergence != ir::kExit) needed.merge(live_.live_in[reconvergence]);
    if (last.op == Opcode::BrxIdx) {
      for (ir::BlockId s : block.successors)
        if (s != ir::kExit) needed.merge(live_.live_in[s]);
    } else {
      const ir::BlockId taken = block.successors[0], next = block.successors[1];
      if (taken != reconvergence && next != reconvergence) result_.second[b] = taken;
      if (result_.second[b] != ir::kExit) needed.merge(live_.live_in[result_.second[b]]);
    }
    const std::vector<bool> region = divergent_region(f_, flow_, b);
    for (ir::BlockId r = 0; r < region.size(); ++r)
      if (region[r]) result_.kept[r].merge(needed);
    return true;
  }

  const ir::Function& f_;
  const ControlFlow& flow_;
  const Liveness& live_;
  const BlockShape block_;
  Shapes result_;
};

}  // namespace

Shapes shapes(const ir::Function& f, const ControlFlow& flow, const Liveness& live, const BlockShape& block) {
  return Analysis(f, flow, live, block).run();
}

}  // namespace drywarp::analysis
