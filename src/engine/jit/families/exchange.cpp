// Exchanges between the lanes of a warp: shfl, vote, match, elect, redux, movmatrix. They read all 32 lanes, even at
// width 1.
#include <llvm/IR/IntrinsicsX86.h>

#include <numeric>

#include "engine/jit/families/shared.h"
#include "language/ir/warp_exchanges.h"

namespace drywarp::jit {
namespace {

constexpr unsigned kLanes = 32;

Value* splat(Emitter& e, Value* scalar) { return e.b.CreateVectorSplat(kLanes, scalar); }

// A value that is the same in all lanes, at the width of the instruction.
void set_uniform(Emitter& e, const Instruction& in, unsigned index, Value* scalar, Type as) {
  e.set(in, index, e.width() == 1 ? scalar : splat(e, scalar), as);
}

Value* lane_numbers(Emitter& e) {
  std::vector<uint32_t> numbers(kLanes);
  std::iota(numbers.begin(), numbers.end(), 0);
  return llvm::ConstantDataVector::get(e.b.getContext(), numbers);
}

// The participating lanes: those that execute an exchange, and that the member mask of a .sync form names. PTX leaves
// it undefined if a lane's mask lacks the lane itself; it then gets the values of the lanes that it names.
Value* participants(Emitter& e, const Instruction& in) {
  Value* active = e.active_mask();
  const std::optional<size_t> index = ir::member_mask(in);
  if (!index) return active;
  // The mask is the same in all active lanes.
  Value* members = e.wide_operand(in, static_cast<unsigned>(*index), Type::U32);
  auto* known = llvm::dyn_cast<llvm::Constant>(members);
  if (known && known->isAllOnesValue()) return e.executing_lanes();
  Value* any = e.b.CreateExtractElement(
      members, e.b.CreateAnd(e.b.CreateIntrinsic(llvm::Intrinsic::cttz, {active->getType()}, {active, e.b.getFalse()}),
                             e.b.getInt32(31)));
  return e.b.CreateAnd(e.executing_lanes(), any);
}

Value* mask_of(Emitter& e, Value* lanes) { return e.b.CreateBitCast(lanes, e.b.getInt32Ty()); }
Value* lanes_of(Emitter& e, Value* mask) {
  return e.b.CreateBitCast(mask, llvm::FixedVectorType::get(e.b.getInt1Ty(), kLanes));
}

// values[index[lane]] for 32 lanes of 32 bits.
Value* permute(Emitter& e, Value* values, Value* index) {
  auto& ir = e.b;
  if (auto* known = llvm::dyn_cast<llvm::Constant>(index)) {
    std::vector<int> order;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      auto* element = llvm::dyn_cast_or_null<llvm::ConstantInt>(known->getAggregateElement(lane));
      if (!element) break;
      order.push_back(static_cast<int>(element->getZExtValue()));
    }
    if (order.size() == kLanes) return ir.CreateShuffleVector(values, order);
  }
  if (e.vector_bits() == 512) {
    std::vector<int> first(16), second(16), all(32);
    std::iota(first.begin(), first.end(), 0);
    std::iota(second.begin(), second.end(), 16);
    std::iota(all.begin(), all.end(), 0);
    Value *low = ir.CreateShuffleVector(values, first), *high = ir.CreateShuffleVector(values, second);
    // Chooses from two registers by the low 5 bits.
    auto pick = [&](const std::vector<int>& half) {
      return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
                                {low, ir.CreateShuffleVector(index, half), high});
    };
    return ir.CreateShuffleVector(pick(first), pick(second), all);
  }
  // Hosts with narrower vectors permute fastest through memory, with 32 loads.
  llvm::BasicBlock& entry = ir.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  llvm::AllocaInst* slot = at_entry.CreateAlloca(values->getType());
  slot->setAlignment(llvm::Align(64));
  ir.CreateAlignedStore(values, slot, llvm::Align(64));
  Value* result = llvm::PoisonValue::get(values->getType());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    Value* from = ir.CreateGEP(ir.getInt32Ty(), slot, ir.CreateExtractElement(index, lane));
    result = ir.CreateInsertElement(result, ir.CreateLoad(ir.getInt32Ty(), from), lane);
  }
  return result;
}

struct Source {
  Value* lane;      // the lane that each lane reads; itself if out of range
  Value* in_range;  // the predicate
};

// ISA 9.7.9.6: c holds the clamp in bits 0-4 and the segment mask in bits 8-12.
Source source_lanes(Emitter& e, ir::Mode mode, Value* b, Value* c) {
  auto& ir = e.b;
  auto k = [&](uint32_t v) { return e.constant(b->getType(), v); };
  Value* lane = lane_numbers(e);
  Value* offset = ir.CreateAnd(b, k(31));
  Value* clamp = ir.CreateAnd(c, k(31));
  Value* segment = ir.CreateAnd(ir.CreateLShr(c, k(8)), k(31));
  Value* others = ir.CreateXor(segment, k(31));
  Value* least = ir.CreateAnd(lane, segment);
  Value* most = ir.CreateOr(least, ir.CreateAnd(clamp, others));
  Value* from = nullptr;
  switch (mode) {
    case ir::Mode::ShflUp:
      from = ir.CreateSub(lane, offset);
      break;
    case ir::Mode::ShflDown:
      from = ir.CreateAdd(lane, offset);
      break;
    case ir::Mode::ShflBfly:
      from = ir.CreateXor(lane, offset);
      break;
    default:
      from = ir.CreateOr(least, ir.CreateAnd(offset, others));
      break;
  }
  Value* in_range = mode == ir::Mode::ShflUp ? ir.CreateICmpSGE(from, most) : ir.CreateICmpSLE(from, most);
  return {ir.CreateSelect(in_range, from, lane), in_range};
}

// The operation's identity, for lanes that do not participate.
uint64_t identity(ir::Mode mode, bool is_signed) {
  switch (mode) {
    case ir::Mode::ReduxMin:
      return is_signed ? 0x7fffffffu : 0xffffffffu;
    case ir::Mode::ReduxMax:
      return is_signed ? 0x80000000u : 0;
    case ir::Mode::ReduxAnd:
      return 0xffffffffu;
    default:
      return 0;
  }
}

Value* reduce_int(Emitter& e, Value* v, ir::Mode mode, bool is_signed) {
  auto& ir = e.b;
  switch (mode) {
    case ir::Mode::ReduxAdd:
      return ir.CreateAddReduce(v);
    case ir::Mode::ReduxMin:
      return ir.CreateIntMinReduce(v, is_signed);
    case ir::Mode::ReduxMax:
      return ir.CreateIntMaxReduce(v, is_signed);
    case ir::Mode::ReduxAnd:
      return ir.CreateAndReduce(v);
    case ir::Mode::ReduxOr:
      return ir.CreateOrReduce(v);
    default:
      return ir.CreateXorReduce(v);
  }
}

// min or max of floats, halving the vector in each step. The operation ignores a NaN, so it can mark missing lanes.
Value* reduce_float(Emitter& e, Value* v, bool is_max) {
  for (unsigned count = kLanes / 2; count >= 1; count /= 2) {
    std::vector<int> low(count), high(count);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), static_cast<int>(count));
    v = ordered_min_max(e, e.b.CreateShuffleVector(v, low), e.b.CreateShuffleVector(v, high), is_max, false);
  }
  return e.b.CreateExtractElement(v, uint64_t{0});
}

void redux_float(Emitter& e, const Instruction& in) {
  auto& ir = e.b;
  Value* v = e.wide_operand(in, 0, Type::F32);
  if (in.mods.abs) v = fabs_of(e, v);
  Value* lanes = lanes_of(e, participants(e, in));
  Value* nan = e.constant(v->getType(), 0x7fffffff);
  Value* result = reduce_float(e, ir.CreateSelect(lanes, v, nan), in.mods.mode == ir::Mode::ReduxMax);
  Value* is_nan = ir.CreateFCmpUNO(result, result);
  if (in.mods.nan) {
    Value* nans = mask_of(e, ir.CreateAnd(ir.CreateFCmpUNO(v, v), lanes));
    is_nan = ir.CreateOr(is_nan, ir.CreateICmpNE(nans, ir.getInt32(0)));
  }
  result = ir.CreateSelect(is_nan, e.constant(result->getType(), 0x7fffffff), result);
  set_uniform(e, in, 0, result, Type::F32);
}

}  // namespace

// A lane that reads an inactive lane gets the value in that lane's register.
void emit_Shfl(Emitter& e, const Instruction& in) {
  Source from = source_lanes(e, in.mods.mode, e.wide_operand(in, 1, Type::U32), e.wide_operand(in, 2, Type::U32));
  if (e.width() == 1)
    e.set(in, 0, e.operand(in, 0, Type::B32), Type::B32);
  else
    e.set(in, 0, permute(e, e.wide_operand(in, 0, Type::B32), from.lane), Type::B32);
  if (in.dst.size() > 1 && !e.unused(in, 1)) e.set(in, 1, from.in_range, Type::Pred);
}

void emit_Vote(Emitter& e, const Instruction& in) {
  auto& ir = e.b;
  Value* lanes = participants(e, in);
  Value* yes = ir.CreateAnd(mask_of(e, e.wide_operand(in, 0, Type::Pred)), lanes);
  Value* zero = ir.getInt32(0);
  switch (in.mods.mode) {
    case ir::Mode::VoteBallot:
      return set_uniform(e, in, 0, yes, Type::B32);
    case ir::Mode::VoteAll:
      return set_uniform(e, in, 0, ir.CreateICmpEQ(yes, lanes), Type::Pred);
    case ir::Mode::VoteAny:
      return set_uniform(e, in, 0, ir.CreateICmpNE(yes, zero), Type::Pred);
    default: {
      Value* one_side = ir.CreateOr(ir.CreateICmpEQ(yes, lanes), ir.CreateICmpEQ(yes, zero));
      return set_uniform(e, in, 0, one_side, Type::Pred);
    }
  }
}

void emit_Match(Emitter& e, const Instruction& in) {
  auto& ir = e.b;
  Value* v = e.wide_operand(in, 0, in.type);
  Value* lanes = participants(e, in);
  auto equal_to = [&](Value* scalar) { return ir.CreateAnd(mask_of(e, ir.CreateICmpEQ(v, splat(e, scalar))), lanes); };
  if (in.mods.mode == ir::Mode::MatchAll) {
    Value* first = ir.CreateIntrinsic(llvm::Intrinsic::cttz, {lanes->getType()}, {lanes, ir.getFalse()});
    first = ir.CreateAnd(first, ir.getInt32(31));
    Value* all = ir.CreateICmpEQ(equal_to(ir.CreateExtractElement(v, first)), lanes);
    set_uniform(e, in, 0, ir.CreateSelect(all, lanes, ir.getInt32(0)), Type::B32);
    if (in.dst.size() > 1) set_uniform(e, in, 1, all, Type::Pred);
    return;
  }
  Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(ir.getInt32Ty(), kLanes));
  for (unsigned lane = 0; lane < kLanes; ++lane)
    result = ir.CreateInsertElement(result, equal_to(ir.CreateExtractElement(v, lane)), lane);
  if (e.width() == 1) {
    // One value in all lanes: they all match.
    return e.set(in, 0, lanes, Type::B32);
  }
  e.set(in, 0, result, Type::B32);
}

// The leader is the lowest participating lane. All lanes get its number; its predicate alone is true. Lanes outside the
// mask must not execute this instruction; if they do, an H200 counts them as participants.
void emit_ElectSync(Emitter& e, const Instruction& in) {
  auto& ir = e.b;
  Value* lanes = ir.CreateOr(participants(e, in), e.active_mask());
  set_uniform(e, in, 0, ir.CreateIntrinsic(llvm::Intrinsic::cttz, {lanes->getType()}, {lanes, ir.getFalse()}),
              Type::B32);
  e.set(in, 1, lanes_of(e, ir.CreateAnd(lanes, ir.CreateNeg(lanes))), Type::Pred);
}

// An 8x8 matrix of 16-bit elements, a row of which four lanes hold, two elements each: ISA 9.7.14.5.9. Lane 4r + c gets
// elements 2c and 2c + 1 of row r of the transpose, which are of rows 2c and 2c + 1, column r.
void emit_Movmatrix(Emitter& e, const Instruction& in) {
  auto& ir = e.b;
  Value* v = e.wide_operand(in, 0, Type::B32);
  std::vector<int> first(kLanes), second(kLanes);
  std::vector<llvm::Constant*> odd(kLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned row = lane / 4, column = lane % 4;
    first[lane] = static_cast<int>(2 * column * 4 + row / 2);
    second[lane] = first[lane] + 4;
    odd[lane] = ir.getInt1(row % 2);
  }
  Value *low = ir.CreateShuffleVector(v, first), *high = ir.CreateShuffleVector(v, second);
  const auto k = [&](uint32_t bits) { return e.constant(v->getType(), bits); };
  Value* even_row = ir.CreateOr(ir.CreateAnd(low, k(0xffff)), ir.CreateShl(high, k(16)));
  Value* odd_row = ir.CreateOr(ir.CreateLShr(low, k(16)), ir.CreateAnd(high, k(0xffff0000)));
  e.set(in, 0, ir.CreateSelect(llvm::ConstantVector::get(odd), odd_row, even_row), Type::B32);
}

void emit_Redux(Emitter& e, const Instruction& in) {
  if (in.type == Type::F32) return redux_float(e, in);
  Value* v = e.wide_operand(in, 0, in.type);
  bool is_signed = ir::is_signed(in.type);
  Value* lanes = lanes_of(e, participants(e, in));
  v = e.b.CreateSelect(lanes, v, e.constant(v->getType(), identity(in.mods.mode, is_signed)));
  set_uniform(e, in, 0, reduce_int(e, v, in.mods.mode, is_signed), in.type);
}

}  // namespace drywarp::jit
