// The addresses of an access: one for the warp, a base and strides along the lanes, or 32 addresses.
#include "engine/jit/memory/addresses.h"

namespace drywarp::jit {

using ir::Operand;
using Kind = analysis::Shape::Kind;

namespace {

// The space as the host stores it: parameters of calls are in local memory. Of a cluster's shared memory: as addresses
// are, before they are made generic.
AddressSpace space_on_host(AddressSpace space) {
  switch (space) {
    case AddressSpace::Global:
      return AddressSpace::Global;
    case AddressSpace::Shared:
    case AddressSpace::SharedCluster:
      return AddressSpace::Shared;
    case AddressSpace::Local:
    case AddressSpace::ParamFunc:
      return AddressSpace::Local;
    case AddressSpace::Const:
      return AddressSpace::Const;
    case AddressSpace::Param:
      return AddressSpace::Param;
    default:
      return AddressSpace::Generic;
  }
}

}  // namespace

Location Addresses::location(const ir::Address& address, AddressSpace space) {
  Location at = plain_location(address, space);
  if (space == AddressSpace::SharedCluster) return generic(at);
  if (at.space != AddressSpace::Local || !at.uniform) return at;
  // One offset in local memory for all threads is affine: their memories are a fixed distance apart.
  const unsigned width = f.prepared.shapes.pattern.width;
  Value* stride = f.context_field(offsetof(WarpContext, local_stride), b.getInt64Ty());
  Value* base = b.CreatePtrToInt(f.context_field(offsetof(WarpContext, local), b.getPtrTy()), b.getInt64Ty());
  at.affine =
      ExtendedValue{{i32(0), i32(1), i32(width == 32 ? 0 : width)}, false, stride, b.CreateAdd(base, at.uniform)};
  at.uniform = nullptr;
  at.on_host = true;
  return at;
}

// The same place, by its generic address.
Location Addresses::generic(const Location& at) {
  Location made;
  made.space = AddressSpace::Generic;
  if (at.uniform)
    made.uniform = to_host(at, at.uniform);
  else
    made.lanes = lane_addresses(at);
  return made;
}

Location Addresses::plain_location(const ir::Address& address, AddressSpace space) {
  Location at;
  at.space = space_on_host(space);
  const auto offset = static_cast<uint64_t>(address.offset);
  if (address.symbol != ir::kNone) {
    if (f.module.symbols[address.symbol].space == AddressSpace::ParamFunc) at.space = AddressSpace::Local;
    at.uniform = values_.symbol_address(address.symbol, address.offset);
    return at;
  }
  if (address.reg == ir::kNone) {
    at.uniform = i64(offset);
    return at;
  }
  const Operand reg{Operand::Kind::Register, false, {}, address.reg, 0, 0, {}};
  const bool narrow = ir::bits(f.code.registers[address.reg].type) == 32;
  // [register + offset] with a 32-bit register is a 32-bit sum, which wraps around (a negative index plus an offset).
  // Shared and local addresses have 32 bits: the upper half of a 64-bit register is ignored.
  const bool short_space = at.space == AddressSpace::Shared || at.space == AddressSpace::Local;
  const auto sum = [&](unsigned width) {
    const auto known = [&](Value* value) { return width == 1 ? value : f.widen(value); };
    if (!narrow) {
      Value* place = b.CreateAdd(values_.value_of(reg, ir::Type::B64, width), known(i64(offset)));
      return short_space ? b.CreateAnd(place, known(i64(UINT32_MAX))) : place;
    }
    Value* place = b.CreateAdd(values_.value_of(reg, ir::Type::B32, width), known(i32(static_cast<uint32_t>(offset))));
    return b.CreateZExt(place, known(i64(0))->getType());
  };
  if (values_.is_uniform(reg)) {
    at.uniform = sum(1);
  } else if (values_.shape(address.reg).kind == Kind::Affine && narrow) {
    AffineValue index = *values_.read_affine(reg);
    index.base = b.CreateAdd(index.base, i32(static_cast<uint32_t>(offset)));
    at.affine = ExtendedValue{index, false, i64(1), i64(0)};
  } else if (values_.shape(address.reg).kind == Kind::Extended) {
    at.affine = values_.read_extended(reg);
    at.affine->addend = b.CreateAdd(at.affine->addend, i64(offset));
  } else {
    at.lanes = sum(32);
  }
  return at;
}

// A 64-bit host address from an address in the location's space. Each lane has its own local memory.
llvm::Value* Addresses::to_host(const Location& at, Value* address) {
  const unsigned width = address->getType()->isVectorTy() ? 32 : 1;
  if (at.on_host) return address;
  switch (at.space) {
    case AddressSpace::Shared:
      return b.CreateAdd(address, values_.generic_base(AddressSpace::Shared, width));
    case AddressSpace::Param:
      return b.CreateAdd(address, values_.generic_base(AddressSpace::Param, width));
    case AddressSpace::Local:
      return b.CreateAdd(f.widen(address), values_.generic_base(AddressSpace::Local, 32));
    default:
      return address;
  }
}

llvm::Value* Addresses::lane_addresses(const Location& at) {
  Value* lanes = at.lanes ? at.lanes : at.affine ? values_.expand(*at.affine) : f.widen(at.uniform);
  if (at.affine && !at.on_host && (at.space == AddressSpace::Shared || at.space == AddressSpace::Local))
    lanes = b.CreateAnd(lanes, f.widen(i64(UINT32_MAX)));
  return to_host(at, lanes);
}

AffineAccess Addresses::affine_access(const ExtendedValue& v) {
  llvm::Type* wide = b.getInt64Ty();
  Value* index = v.is_signed ? b.CreateSExt(v.index.base, wide) : b.CreateZExt(v.index.base, wide);
  // A stride of zero stays a known constant, even if the scale is not.
  auto scaled = [&](Value* stride) {
    return known(stride) == 0 ? i64(0) : b.CreateMul(b.CreateSExt(stride, wide), v.scale);
  };
  return {b.CreateAdd(b.CreateMul(index, v.scale), v.addend), scaled(v.index.stride1), scaled(v.index.stride2)};
}

llvm::Value* Addresses::spill_addresses(Value* addresses) {
  if (!address_buffer_) {
    address_buffer_ = f.entry_slot(llvm::FixedVectorType::get(b.getInt64Ty(), 32), "addresses");
    address_buffer_->setAlignment(llvm::Align(64));
  }
  b.CreateAlignedStore(addresses, address_buffer_, llvm::Align(64));
  return address_buffer_;
}

}  // namespace drywarp::jit
