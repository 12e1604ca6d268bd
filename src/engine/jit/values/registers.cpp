// Reads and writes registers in the shape that analysis found.
#include "engine/jit/emit/nan_flow.h"
#include "engine/jit/values/values.h"

namespace drywarp::jit {

using ir::Opcode;
using ir::Operand;
using Kind = analysis::Shape::Kind;
using llvm::FixedVectorType;

Values::Values(FunctionCode& code)
    : Emitter(code.b),
      f(code),
      register_stride_(register_stride(code.code)),
      computed_floats_(computed_floats(code.code)) {
  vector_bits_ = f.options.vector_bits;
  llvm::Type* flags = FixedVectorType::get(b.getInt1Ty(), 32);
  carry_slot_ = f.entry_slot(flags, "carry");
  b.CreateStore(llvm::Constant::getNullValue(flags), carry_slot_);
  allocate_registers();
  if (f.warp_form() && f.options.events.pointers) allocate_origins();
}

llvm::Type* Values::register_type(ir::RegisterId r, unsigned width) const {
  return type(f.code.registers[r].type, width);
}

void Values::allocate_registers() {
  registers_.resize(f.code.registers.size());
  for (ir::RegisterId r = 0; r < registers_.size(); ++r) {
    Storage& storage = registers_[r];
    storage.shape = f.prepared.shapes.registers[r];
    if (!f.warp_form()) {
      storage.shape = analysis::Shape::varying();
      continue;  // stored in ctx->registers
    }
    const unsigned components = storage.shape.kind == Kind::Affine ? 3 : storage.shape.kind == Kind::Extended ? 5 : 1;
    for (unsigned i = 0; i < components; ++i) {
      llvm::Type* t = register_type(r, storage.shape.kind == Kind::Varying ? 32 : 1);
      if (components > 1) t = i < 3 ? b.getInt32Ty() : b.getInt64Ty();
      storage.slot[i] = f.entry_slot(t, f.code.registers[r].name.c_str());
    }
  }
}

bool Values::is_uniform(const Operand& o) const {
  if (o.kind == Operand::Kind::Register) return registers_[o.id].shape.is_uniform();
  if (o.kind == Operand::Kind::Special)
    return f.warp_form() ? analysis::shape_of(o.special, f.prepared.block).is_uniform() : false;
  return true;
}

bool Values::preserves_inactive_lanes(ir::RegisterId r) const {
  return !f.warp_form() || f.prepared.shapes.kept[f.current_block].has(r);
}

llvm::Value* Values::lanes_constant(llvm::Type* element, uint32_t (*of_lane)(uint32_t, uint32_t)) {
  std::vector<llvm::Constant*> lanes;
  for (uint32_t l = 0; l < 32; ++l)
    lanes.push_back(llvm::ConstantInt::get(element, of_lane(l, f.prepared.shapes.pattern.width)));
  return llvm::ConstantVector::get(lanes);
}
llvm::Value* Values::pattern1(llvm::Type* element) {
  return lanes_constant(element, [](uint32_t lane, uint32_t width) { return lane % width; });
}
llvm::Value* Values::pattern2(llvm::Type* element) {
  return lanes_constant(element, [](uint32_t lane, uint32_t width) { return lane / width; });
}

llvm::Value* Values::expand(const AffineValue& v) {
  auto is_zero = [](Value* x) {
    auto* c = llvm::dyn_cast<llvm::ConstantInt>(x);
    return c && c->isZero();
  };
  Value* lanes = f.widen(v.base);
  if (!is_zero(v.stride1)) lanes = b.CreateAdd(lanes, b.CreateMul(f.widen(v.stride1), pattern1(b.getInt32Ty())));
  if (f.prepared.shapes.pattern.width != 32 && !is_zero(v.stride2))
    lanes = b.CreateAdd(lanes, b.CreateMul(f.widen(v.stride2), pattern2(b.getInt32Ty())));
  return lanes;
}

llvm::Value* Values::expand(const ExtendedValue& v) {
  llvm::Type* wide = FixedVectorType::get(b.getInt64Ty(), 32);
  Value* index = v.is_signed ? b.CreateSExt(expand(v.index), wide) : b.CreateZExt(expand(v.index), wide);
  return b.CreateAdd(b.CreateMul(index, f.widen(v.scale)), f.widen(v.addend));
}

llvm::Value* Values::read_scalar(ir::RegisterId r) {
  const Storage& s = registers_[r];
  auto load = [&](unsigned i) {
    return b.CreateLoad(llvm::cast<llvm::AllocaInst>(s.slot[i])->getAllocatedType(), s.slot[i]);
  };
  switch (s.shape.kind) {
    case Kind::Affine:
      return b.CreateBitCast(load(0), register_type(r, 1));
    case Kind::Extended: {
      Value* index = s.shape.is_signed ? b.CreateSExt(load(0), b.getInt64Ty()) : b.CreateZExt(load(0), b.getInt64Ty());
      return b.CreateAdd(b.CreateMul(index, load(3)), load(4));
    }
    case Kind::Varying:
      return b.CreateExtractElement(read_wide(r), uint64_t{0});
    default:
      return load(0);
  }
}

llvm::Value* Values::read_wide(ir::RegisterId r) {
  const Storage& s = registers_[r];
  if (!f.warp_form()) {
    return read_file(r);
  }
  Operand o{Operand::Kind::Register, false, {}, r, 0, 0, {}};
  switch (s.shape.kind) {
    case Kind::Affine:
      return b.CreateBitCast(expand(*read_affine(o)), register_type(r, 32));
    case Kind::Extended:
      return expand(*read_extended(o));
    case Kind::Varying:
      return b.CreateLoad(register_type(r, 32), s.slot[0]);
    default:
      return f.widen(read_scalar(r));
  }
}

// A 32-bit operand as base and strides, if its shape is Uniform or Affine.
std::optional<AffineValue> Values::read_affine(const Operand& o) {
  if (o.kind == Operand::Kind::Special) return special_affine(o);
  if (o.kind == Operand::Kind::Register && registers_[o.id].shape.kind == Kind::Affine) {
    const Storage& s = registers_[o.id];
    auto component = [&](unsigned i, std::optional<int32_t> known) -> Value* {
      if (known) return i32(static_cast<uint32_t>(*known));
      return b.CreateLoad(b.getInt32Ty(), s.slot[i]);
    };
    return AffineValue{component(0, {}), component(1, s.shape.stride1), component(2, s.shape.stride2)};
  }
  if (!is_uniform(o)) return std::nullopt;
  return AffineValue{value_of(o, ir::Type::B32, 1), i32(0), i32(0)};
}

std::optional<ExtendedValue> Values::read_extended(const Operand& o) {
  if (o.kind == Operand::Kind::Register && registers_[o.id].shape.kind == Kind::Extended) {
    const Storage& s = registers_[o.id];
    auto component = [&](unsigned i, std::optional<int32_t> known) -> Value* {
      if (known) return i32(static_cast<uint32_t>(*known));
      return b.CreateLoad(i < 3 ? b.getInt32Ty() : b.getInt64Ty(), s.slot[i]);
    };
    return ExtendedValue{{component(0, {}), component(1, s.shape.stride1), component(2, s.shape.stride2)},
                         s.shape.is_signed,
                         s.shape.scale ? i64(static_cast<uint64_t>(*s.shape.scale)) : component(3, {}),
                         component(4, {})};
  }
  if (!is_uniform(o)) return std::nullopt;
  return ExtendedValue{{i32(0), i32(0), i32(0)}, false, i64(0), value_of(o, ir::Type::B64, 1)};
}

void Values::write_affine(ir::RegisterId r, const AffineValue& v) {
  const Storage& s = registers_[r];
  b.CreateStore(v.base, s.slot[0]);
  b.CreateStore(v.stride1, s.slot[1]);
  b.CreateStore(v.stride2, s.slot[2]);
}

void Values::write_extended(ir::RegisterId r, const ExtendedValue& v) {
  const Storage& s = registers_[r];
  Value* components[] = {v.index.base, v.index.stride1, v.index.stride2, v.scale, v.addend};
  for (unsigned i = 0; i < 5; ++i) b.CreateStore(components[i], s.slot[i]);
}

void Values::write(ir::RegisterId r, Value* value) {
  const Storage& s = registers_[r];
  switch (s.shape.kind) {
    case Kind::Affine:
      return write_affine(r, {b.CreateBitCast(value, b.getInt32Ty()), i32(0), i32(0)});
    case Kind::Extended:
      return write_extended(
          r, {{i32(0), i32(0), i32(0)}, s.shape.is_signed, i64(0), b.CreateBitCast(value, b.getInt64Ty())});
    case Kind::Varying:
      break;
    default:
      if (value->getType()->isVectorTy()) value = b.CreateExtractElement(value, uint64_t{0});
      b.CreateStore(value, s.slot[0]);
      return;
  }
  value = f.widen(value);
  if (preserves_inactive_lanes(r)) {
    value = b.CreateSelect(f.active_lanes(), value, read_wide(r));
  } else if (f.guard) {
    value = b.CreateSelect(f.guard, value, read_wide(r));
  }
  if (f.warp_form()) {
    b.CreateStore(value, s.slot[0]);
    return;
  }
  write_file(r, value);
}

void Values::forget(ir::RegisterId r) {
  const Storage& s = registers_[r];
  if (s.shape.kind == Kind::Varying) b.CreateStore(llvm::UndefValue::get(register_type(r, 32)), s.slot[0]);
}

// A register in the file of the lane-group scheduler.
llvm::Value* Values::file_address(ir::RegisterId r) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), f.context_field(offsetof(WarpContext, registers), b.getPtrTy()),
                                      r * register_stride_);
}
llvm::Value* Values::read_file(ir::RegisterId r) {
  if (f.code.registers[r].type == ir::Type::Pred) return f.mask_to_lanes(b.CreateLoad(b.getInt32Ty(), file_address(r)));
  return b.CreateAlignedLoad(register_type(r, 32), file_address(r), llvm::Align(64));
}
void Values::write_file(ir::RegisterId r, Value* wide) {
  if (f.code.registers[r].type == ir::Type::Pred) {
    b.CreateStore(f.lanes_to_mask(wide), file_address(r));
  } else {
    b.CreateAlignedStore(wide, file_address(r), llvm::Align(64));
  }
}

// Reinterprets the bits of `v`, of PTX type `from`, as type `as`: truncated or zero-extended where the widths differ.
llvm::Value* Values::convert_bits(Value* v, ir::Type as, ir::Type from) {
  if (as == from || as == ir::Type::None) return v;
  const unsigned width = v->getType()->isVectorTy() ? 32 : 1;
  auto integer = [&](unsigned bits) -> llvm::Type* {
    llvm::Type* t = b.getIntNTy(bits);
    return width == 32 ? FixedVectorType::get(t, 32) : t;
  };
  const unsigned have = std::max(1u, ir::bits(from)), want = std::max(1u, ir::bits(as));
  if (v->getType() != integer(have)) v = b.CreateBitCast(v, integer(have));
  if (have != want) v = b.CreateZExtOrTrunc(v, integer(want));
  return b.CreateBitCast(v, type(as, width));
}

// Whether the operand may be a NaN with a payload that the GPU would not produce: see nan_flow.h.
bool Values::needs_canonical_nan(const Operand& o) const {
  return o.kind == Operand::Kind::Register && f.code.registers[o.id].type == ir::Type::F32 && computed_floats_[o.id];
}

llvm::Value* Values::literal(const Operand& o, ir::Type as, unsigned width) {
  const unsigned bits = std::max(1u, ir::bits(as));
  llvm::Constant* c = llvm::ConstantInt::get(b.getIntNTy(bits), llvm::APInt(64, o.bits).zextOrTrunc(bits));
  Value* v = b.CreateBitCast(c, type(as, 1));
  return width == 32 ? f.widen(v) : v;
}

llvm::Value* Values::value_of(const Operand& o, ir::Type as, unsigned width) {
  switch (o.kind) {
    case Operand::Kind::Register: {
      Value* v = width == 1 ? read_scalar(o.id) : read_wide(o.id);
      if (as != ir::Type::F32 && needs_canonical_nan(o)) v = canonical_nan(v);
      v = convert_bits(v, as, f.code.registers[o.id].type);
      if (o.bits != 0) v = b.CreateAnd(v, llvm::ConstantInt::get(v->getType(), ~(o.bits - 1)));
      return o.negate ? b.CreateNot(v) : v;
    }
    case Operand::Kind::Immediate: {
      Value* v = literal(o, as, width);
      return o.negate ? b.CreateNot(v) : v;
    }
    case Operand::Kind::Special: {
      Value* v = special(o, width);
      return convert_bits(v, as, v->getType()->getScalarSizeInBits() == 64 ? ir::Type::B64 : ir::Type::B32);
    }
    case Operand::Kind::Symbol: {
      Value* v = convert_bits(symbol_address(o.id, static_cast<int64_t>(o.bits)), as, ir::Type::B64);
      return width == 32 ? f.widen(v) : v;
    }
    case Operand::Kind::Function: {
      Value* v = convert_bits(i64(function_token(o.id)), as, ir::Type::B64);
      return width == 32 ? f.widen(v) : v;
    }
    default: {
      Value* zero = llvm::Constant::getNullValue(type(as, width));
      return zero;
    }
  }
}

llvm::Value* Values::operand(const ir::Instruction& in, unsigned index, ir::Type as) {
  return value_of(index < in.src.size() ? in.src[index] : Operand{}, as, width_);
}
llvm::Value* Values::wide_operand(const ir::Instruction& in, unsigned index, ir::Type as) {
  return value_of(index < in.src.size() ? in.src[index] : Operand{}, as, 32);
}

void Values::set(const ir::Instruction& in, unsigned index, Value* value, ir::Type as) {
  if (unused(in, index)) return;
  const ir::RegisterId r = in.dst[index].id;
  const ir::Type to = f.code.registers[r].type;
  const unsigned width = value->getType()->isVectorTy() ? 32 : 1;
  auto integer = [&](unsigned bits) -> llvm::Type* {
    llvm::Type* t = b.getIntNTy(bits);
    return width == 32 ? FixedVectorType::get(t, 32) : t;
  };
  const unsigned have = std::max(1u, ir::bits(as)), want = std::max(1u, ir::bits(to));
  value = b.CreateBitCast(value, integer(have));
  if (have < want) value = ir::is_signed(as) ? b.CreateSExt(value, integer(want)) : b.CreateZExt(value, integer(want));
  if (have > want) value = b.CreateTrunc(value, integer(want));
  write(r, b.CreateBitCast(value, type(to, width)));
}

llvm::Value* Values::carry() { return b.CreateLoad(llvm::FixedVectorType::get(b.getInt1Ty(), 32), carry_slot_); }

void Values::set_carry(Value* flag) {
  if (!flag->getType()->isVectorTy()) flag = b.CreateVectorSplat(32, flag);
  b.CreateStore(flag, carry_slot_);
}

bool Values::unused(const ir::Instruction& in, unsigned index) const {
  return index >= in.dst.size() || in.dst[index].kind != ir::Operand::Kind::Register;
}

}  // namespace drywarp::jit
