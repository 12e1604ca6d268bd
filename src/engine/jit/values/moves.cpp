// mov, cvta and similar instructions: registers, special registers, addresses of symbols, packing and unpacking.
#include "engine/jit/values/values.h"

namespace drywarp::jit {

using ir::Opcode;
using ir::Operand;
using ir::SpecialRegister;
using Kind = analysis::Shape::Kind;

namespace {

// Special registers that are a field of the context, the same for the whole warp.
struct ContextField {
  SpecialRegister reg;
  size_t offset;
};
constexpr ContextField context_fields[] = {
    {SpecialRegister::CtaidX, offsetof(WarpContext, ctaid)},
    {SpecialRegister::CtaidY, offsetof(WarpContext, ctaid) + 4},
    {SpecialRegister::CtaidZ, offsetof(WarpContext, ctaid) + 8},
    {SpecialRegister::NctaidX, offsetof(WarpContext, nctaid)},
    {SpecialRegister::NctaidY, offsetof(WarpContext, nctaid) + 4},
    {SpecialRegister::NctaidZ, offsetof(WarpContext, nctaid) + 8},
    {SpecialRegister::ClusterIdX, offsetof(WarpContext, clusterid)},
    {SpecialRegister::ClusterIdY, offsetof(WarpContext, clusterid) + 4},
    {SpecialRegister::ClusterIdZ, offsetof(WarpContext, clusterid) + 8},
    {SpecialRegister::NclusterIdX, offsetof(WarpContext, nclusterid)},
    {SpecialRegister::NclusterIdY, offsetof(WarpContext, nclusterid) + 4},
    {SpecialRegister::NclusterIdZ, offsetof(WarpContext, nclusterid) + 8},
    {SpecialRegister::ClusterCtaidX, offsetof(WarpContext, cluster_ctaid)},
    {SpecialRegister::ClusterCtaidY, offsetof(WarpContext, cluster_ctaid) + 4},
    {SpecialRegister::ClusterCtaidZ, offsetof(WarpContext, cluster_ctaid) + 8},
    {SpecialRegister::ClusterNctaidX, offsetof(WarpContext, cluster_nctaid)},
    {SpecialRegister::ClusterNctaidY, offsetof(WarpContext, cluster_nctaid) + 4},
    {SpecialRegister::ClusterNctaidZ, offsetof(WarpContext, cluster_nctaid) + 8},
    {SpecialRegister::ClusterCtarank, offsetof(WarpContext, cluster_ctarank)},
    {SpecialRegister::IsExplicitCluster, offsetof(WarpContext, is_explicit_cluster)},
    {SpecialRegister::ClusterNctarank, offsetof(WarpContext, cluster_nctarank)},
    {SpecialRegister::WarpId, offsetof(WarpContext, warp)},
    {SpecialRegister::DynamicSmemSize, offsetof(WarpContext, dynamic_shared_bytes)},
    {SpecialRegister::TotalSmemSize, offsetof(WarpContext, program_shared_bytes)},
    {SpecialRegister::AggrSmemSize, offsetof(WarpContext, program_shared_bytes)},
};

struct LaneMaskRegister {
  SpecialRegister reg;
  uint32_t (*of_lane)(uint32_t lane, uint32_t width);
};
constexpr LaneMaskRegister lane_masks[] = {
    {SpecialRegister::LanemaskEq, [](uint32_t l, uint32_t) { return 1u << l; }},
    {SpecialRegister::LanemaskLt, [](uint32_t l, uint32_t) { return (1u << l) - 1; }},
    {SpecialRegister::LanemaskLe, [](uint32_t l, uint32_t) { return (2u << l) - 1; }},
    {SpecialRegister::LanemaskGt, [](uint32_t l, uint32_t) { return ~((2u << l) - 1); }},
    {SpecialRegister::LanemaskGe, [](uint32_t l, uint32_t) { return ~((1u << l) - 1); }},
};

}  // namespace

std::optional<AffineValue> Values::special_affine(const Operand& o) {
  const analysis::Shape shape = analysis::shape_of(o.special, f.prepared.block);
  if (shape.is_uniform()) return AffineValue{convert_bits(special(o, 1), ir::Type::B32, ir::Type::B32), i32(0), i32(0)};
  if (shape.kind != Kind::Affine) return std::nullopt;
  Value* base = i32(0);
  if (o.special != SpecialRegister::LaneId) {
    const size_t dimension = o.special == SpecialRegister::TidX ? 0 : o.special == SpecialRegister::TidY ? 1 : 2;
    base = b.CreateLoad(b.getInt32Ty(),
                        f.context_field(offsetof(WarpContext, tid) + dimension * sizeof(void*), b.getPtrTy()));
  }
  return AffineValue{base, i32(static_cast<uint32_t>(*shape.stride1)), i32(static_cast<uint32_t>(*shape.stride2))};
}

llvm::Value* Values::special(const Operand& o, unsigned width) {
  auto fit = [&](Value* v) { return width == 32 ? f.widen(v) : v; };
  for (const ContextField& field : context_fields)
    if (field.reg == o.special) return fit(f.context_field(field.offset, b.getInt32Ty()));
  for (const LaneMaskRegister& m : lane_masks) {
    if (m.reg != o.special) continue;
    Value* lanes = lanes_constant(b.getInt32Ty(), m.of_lane);
    return width == 32 ? lanes : b.CreateExtractElement(lanes, uint64_t{0});
  }
  auto thread_index = [&](unsigned dimension) -> Value* {
    Value* lanes = f.context_field(offsetof(WarpContext, tid) + dimension * sizeof(void*), b.getPtrTy());
    if (width == 1) return b.CreateLoad(b.getInt32Ty(), lanes);
    if (f.warp_form())
      if (auto affine = special_affine(o)) return expand(*affine);
    return b.CreateAlignedLoad(llvm::FixedVectorType::get(b.getInt32Ty(), 32), lanes, llvm::Align(4));
  };
  auto clock = [&](ClockKind kind) { return f.call_runtime(runtime::clock, {f.context, i32(uint32_t(kind))}); };
  auto low = [&](Value* v) { return b.CreateTrunc(v, b.getInt32Ty()); };
  auto high = [&](Value* v) { return b.CreateTrunc(b.CreateLShr(v, 32), b.getInt32Ty()); };
  const analysis::BlockShape& block = f.prepared.block;
  switch (o.special) {
    case SpecialRegister::TidX:
      return fit(thread_index(0));
    case SpecialRegister::TidY:
      return fit(thread_index(1));
    case SpecialRegister::TidZ:
      return fit(thread_index(2));
    case SpecialRegister::NtidX:
      return fit(i32(block.x));
    case SpecialRegister::NtidY:
      return fit(i32(block.y));
    case SpecialRegister::NtidZ:
      return fit(i32(block.z));
    case SpecialRegister::NwarpId:
      return fit(i32((uint64_t(block.x) * block.y * block.z + 31) / 32));
    case SpecialRegister::LaneId: {
      Value* lanes = lanes_constant(b.getInt32Ty(), [](uint32_t l, uint32_t) { return l; });
      return width == 32 ? lanes : i32(0);
    }
    case SpecialRegister::Clock:
      return fit(low(clock(ClockKind::Clock64)));
    case SpecialRegister::ClockHi:
      return fit(high(clock(ClockKind::Clock64)));
    case SpecialRegister::Clock64:
      return fit(clock(ClockKind::Clock64));
    case SpecialRegister::GlobalTimer:
      return fit(clock(ClockKind::GlobalTimer));
    case SpecialRegister::GlobalTimerLo:
      return fit(low(clock(ClockKind::GlobalTimer)));
    case SpecialRegister::GlobalTimerHi:
      return fit(high(clock(ClockKind::GlobalTimer)));
    case SpecialRegister::SmId:
      return fit(low(clock(ClockKind::SmId)));
    case SpecialRegister::NsmId:
      return fit(low(clock(ClockKind::NsmId)));
    case SpecialRegister::GridId:
      return fit(f.context_field(offsetof(WarpContext, grid_id), b.getInt64Ty()));
    case SpecialRegister::Envreg:
      // Registers 1 and 2 hold the address of a cooperative launch's workspace.
      if (o.index == 1 || o.index == 2)
        return fit(f.context_field(offsetof(WarpContext, envreg) + (o.index - 1) * 4, b.getInt32Ty()));
      return fit(i32(0));
    case SpecialRegister::ReservedSmem: {
      // 0: start; 1: end of the used part; 2: size; 3, 4: two parts, which on an H200 both begin at the start.
      if (o.index == 2) return fit(i32(kReservedShared));
      Value* begin =
          b.CreateSub(low(f.context_field(offsetof(WarpContext, shared_bytes), b.getInt64Ty())), i32(kReservedShared));
      if (f.module.uses_clusters) begin = b.CreateAdd(begin, low(window_origin()));
      return fit(o.index == 1 ? b.CreateAdd(begin, i32(kReservedSharedUsed)) : begin);
    }
    default:
      return fit(i32(0));
  }
}

// The address of a symbol inside its own state space; for .global and .const that is the generic address too.
llvm::Value* Values::symbol_address(ir::SymbolId id, int64_t offset) {
  const ir::Symbol& symbol = f.module.symbols[id];
  switch (symbol.space) {
    case AddressSpace::Param:
      return i64(symbol.offset + static_cast<uint64_t>(offset));
    case AddressSpace::Shared: {
      Value* start = symbol.size == 0
                         ? b.CreateZExt(f.context_field(offsetof(WarpContext, static_shared_bytes), b.getInt32Ty()),
                                        b.getInt64Ty())
                         : i64(symbol.offset + (f.options.events.denials ? symbol.padding : 0));
      if (f.module.uses_clusters) start = b.CreateAdd(start, window_origin());
      return b.CreateAdd(start, i64(static_cast<uint64_t>(offset)));
    }
    case AddressSpace::Local:
    case AddressSpace::ParamFunc:
      return b.CreateAdd(f.frame, i64(symbol.offset + static_cast<uint64_t>(offset)));
    default: {
      Value* table = f.context_field(offsetof(WarpContext, symbols), b.getPtrTy());
      llvm::LoadInst* base = b.CreateLoad(b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), table, id));
      base->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
      return b.CreateAdd(base, i64(static_cast<uint64_t>(offset)));
    }
  }
}

// Where the window of the block's shared memory begins among those of its cluster.
llvm::Value* Values::window_origin() {
  Value* rank = f.context_field(offsetof(WarpContext, cluster_ctarank), b.getInt32Ty());
  return b.CreateShl(b.CreateZExt(rank, b.getInt64Ty()), i64(kSharedWindowBits));
}

llvm::Value* Values::own_shared() {
  return b.CreatePtrToInt(f.context_field(offsetof(WarpContext, shared), b.getPtrTy()), b.getInt64Ty());
}

// The difference between the generic address and the address in the state space; null: they are the same.
llvm::Value* Values::generic_base(AddressSpace space, unsigned width) {
  auto pointer = [&](size_t offset) { return b.CreatePtrToInt(f.context_field(offset, b.getPtrTy()), b.getInt64Ty()); };
  switch (space) {
    case AddressSpace::Shared:
    case AddressSpace::SharedCluster: {
      Value* base = f.module.uses_clusters ? pointer(offsetof(WarpContext, cluster_shared)) : own_shared();
      return width == 32 ? f.widen(base) : base;
    }
    case AddressSpace::Param: {
      Value* base = pointer(offsetof(WarpContext, parameters));
      return width == 32 ? f.widen(base) : base;
    }
    case AddressSpace::Local:
    case AddressSpace::ParamFunc: {
      Value* lane = lanes_constant(b.getInt64Ty(), [](uint32_t l, uint32_t) { return l; });
      Value* stride = f.context_field(offsetof(WarpContext, local_stride), b.getInt64Ty());
      return b.CreateAdd(f.widen(pointer(offsetof(WarpContext, local))), b.CreateMul(f.widen(stride), lane));
    }
    default:
      return nullptr;
  }
}

bool Values::emit_move(const ir::Instruction& in) {
  auto affine_destination = [&](Kind kind) {
    return in.dst.size() == 1 && in.dst[0].kind == Operand::Kind::Register &&
           registers_[in.dst[0].id].shape.kind == kind;
  };
  auto uniform_destination = [&] {
    return in.dst.size() == 1 && in.dst[0].kind == Operand::Kind::Register &&
           registers_[in.dst[0].id].shape.is_uniform();
  };
  switch (in.op) {
    case Opcode::Mov: {
      const unsigned pieces = std::max(in.dst.size(), in.src.size());
      if (pieces <= 1) {
        if (in.src.empty()) return true;
        if (affine_destination(Kind::Affine))
          if (auto v = read_affine(in.src[0])) return write_affine(in.dst[0].id, *v), true;
        if (affine_destination(Kind::Extended))
          if (auto v = read_extended(in.src[0])) return write_extended(in.dst[0].id, *v), true;
        width_ = is_uniform(in.src[0]) || uniform_destination() ? 1 : 32;
        Value* v = value_of(in.src[0], in.type, width_);
        set(in, 0, v, in.type);
        return true;
      }
      bool all_uniform = true;
      for (const Operand& s : in.src) all_uniform &= is_uniform(s);
      width_ = all_uniform ? 1 : 32;
      const unsigned bits = ir::bits(in.type) / pieces;
      auto integer_type = [&](unsigned n) { return int_type(n); };
      if (in.dst.size() > 1) {  // unpack
        Value* whole = b.CreateBitCast(value_of(in.src[0], in.type, width_), integer_type(ir::bits(in.type)));
        for (unsigned i = 0; i < pieces; ++i) {
          if (unused(in, i)) continue;
          Value* piece =
              b.CreateTrunc(b.CreateLShr(whole, constant(whole->getType(), uint64_t(i) * bits)), integer_type(bits));
          set(in, i, piece,
              bits == 8    ? ir::Type::B8
              : bits == 16 ? ir::Type::B16
              : bits == 32 ? ir::Type::B32
                           : ir::Type::B64);
        }
        return true;
      }
      const ir::Type piece_type = bits == 8    ? ir::Type::B8
                                  : bits == 16 ? ir::Type::B16
                                  : bits == 32 ? ir::Type::B32
                                               : ir::Type::B64;
      Value* whole = nullptr;
      for (unsigned i = 0; i < pieces; ++i) {
        Value* piece = b.CreateZExt(b.CreateBitCast(value_of(in.src[i], piece_type, width_), integer_type(bits)),
                                    integer_type(ir::bits(in.type)));
        if (i != 0) piece = b.CreateShl(piece, constant(piece->getType(), uint64_t(i) * bits));
        whole = whole ? b.CreateOr(whole, piece) : piece;
      }
      set(in, 0, whole, in.type);
      return true;
    }
    case Opcode::Cvta: {
      if (in.src.empty()) return true;
      const bool varies = in.mods.space == AddressSpace::Local;
      if (affine_destination(Kind::Extended) && !varies) {
        if (auto v = read_extended(in.src[0])) {
          if (Value* base = generic_base(in.mods.space, 1))
            v->addend = in.mods.to ? b.CreateSub(v->addend, base) : b.CreateAdd(v->addend, base);
          return write_extended(in.dst[0].id, *v), true;
        }
      }
      width_ = !varies && (is_uniform(in.src[0]) || uniform_destination()) ? 1 : 32;
      Value* v = value_of(in.src[0], ir::Type::B64, width_);
      if (ir::bits(in.type) == 32) v = value_of(in.src[0], ir::Type::B64, width_);
      if (Value* base = generic_base(in.mods.space, width_))
        v = in.mods.to ? b.CreateSub(v, base) : b.CreateAdd(v, base);
      set(in, 0, v, ir::Type::B64);
      return true;
    }
    // A generic address, or one of .shared::cluster, which has the block's rank in its upper bits.
    case Opcode::Mapa:
    case Opcode::Getctarank: {
      width_ = is_uniform(in.src[0]) && (in.src.size() < 2 || is_uniform(in.src[1])) ? 1 : 32;
      const auto known = [&](uint64_t value) { return width_ == 32 ? f.widen(i64(value)) : i64(value); };
      Value* address = value_of(in.src[0], ir::bits(in.type) == 32 ? ir::Type::B32 : ir::Type::B64, width_);
      address = b.CreateZExt(address, known(0)->getType());
      Value* base =
          in.mods.space == AddressSpace::Generic ? generic_base(AddressSpace::SharedCluster, width_) : known(0);
      Value* place = b.CreateSub(address, base);
      if (in.op == Opcode::Getctarank) {
        set(in, 0, b.CreateTrunc(b.CreateLShr(place, known(kSharedWindowBits)), int_type(32)), ir::Type::B32);
        return true;
      }
      Value* rank = b.CreateZExt(value_of(in.src[1], ir::Type::B32, width_), known(0)->getType());
      Value* offset = b.CreateAnd(place, known((uint64_t{1} << kSharedWindowBits) - 1));
      Value* mapped = b.CreateAdd(base, b.CreateOr(b.CreateShl(rank, known(kSharedWindowBits)), offset));
      if (ir::bits(in.type) == 32) mapped = b.CreateTrunc(mapped, int_type(32));
      set(in, 0, mapped, ir::bits(in.type) == 32 ? ir::Type::B32 : ir::Type::B64);
      return true;
    }
    case Opcode::Isspacep: {
      bool uniform = is_uniform(in.src[0]);
      width_ = uniform && in.mods.space != AddressSpace::Local ? 1 : 32;
      Value* address = value_of(in.src[0], ir::Type::B64, width_);
      auto inside = [&](Value* base, Value* size) {
        if (width_ == 32) base = f.widen(base), size = f.widen(size);
        return b.CreateICmpULT(b.CreateSub(address, base), size);
      };
      auto pointer = [&](size_t offset) {
        return b.CreatePtrToInt(f.context_field(offset, b.getPtrTy()), b.getInt64Ty());
      };
      Value* shared = inside(pointer(offsetof(WarpContext, shared)),
                             f.context_field(offsetof(WarpContext, shared_bytes), b.getInt64Ty()));
      Value* local = inside(pointer(offsetof(WarpContext, local)),
                            b.CreateMul(f.context_field(offsetof(WarpContext, local_stride), b.getInt64Ty()), i64(32)));
      Value* param = inside(pointer(offsetof(WarpContext, parameters)), i64(f.code.parameter_bytes));
      // Constant memory consists of the module's constant variables.
      auto constant = [&] {
        Value* found = llvm::Constant::getNullValue(shared->getType());
        for (ir::SymbolId id = 0; id < f.module.symbols.size(); ++id)
          if (const ir::Symbol& symbol = f.module.symbols[id]; symbol.space == AddressSpace::Const && symbol.size != 0)
            found = b.CreateOr(found, inside(symbol_address(id, 0), i64(symbol.size)));
        return found;
      };
      Value* result;
      switch (in.mods.space) {
        case AddressSpace::Shared:
          result = shared;
          break;
        case AddressSpace::SharedCluster: {
          Value* blocks =
              b.CreateZExt(f.context_field(offsetof(WarpContext, cluster_nctarank), b.getInt32Ty()), b.getInt64Ty());
          result = f.module.uses_clusters ? inside(generic_base(AddressSpace::SharedCluster, 1),
                                                   b.CreateShl(blocks, i64(kSharedWindowBits)))
                                          : shared;
          break;
        }
        case AddressSpace::Local:
          result = local;
          break;
        case AddressSpace::Param:
          result = param;
          break;
        case AddressSpace::Const:
          result = constant();
          break;
        default:
          result = b.CreateNot(b.CreateOr(b.CreateOr(shared, local), b.CreateOr(param, constant())));
          break;
      }
      set(in, 0, result, ir::Type::Pred);
      return true;
    }
    case Opcode::Activemask:
      width_ = 1;
      set(in, 0, f.active_mask(), ir::Type::B32);
      return true;
    case Opcode::Stacksave:
    case Opcode::Createpolicy:
      set(in, 0, llvm::Constant::getNullValue(type(ir::Type::B64)), ir::Type::B64);
      return true;
    default:
      return false;
  }
}

}  // namespace drywarp::jit
