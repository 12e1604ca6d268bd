// The members of Emitter that FunctionEmitter does not override (types, constants, calls of helpers), and the table of
// functions that emit computing instructions.
#include "engine/jit/emit/emitter.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <iterator>

namespace drywarp::jit {

using llvm::Value;

namespace {

llvm::Type* widened(llvm::Type* scalar, unsigned width) {
  return width == 1 ? scalar : llvm::FixedVectorType::get(scalar, width);
}

llvm::Type* int_like(llvm::Type* like) {
  return like->getWithNewType(llvm::IntegerType::get(like->getContext(), like->getScalarSizeInBits()));
}

// Allocated in the entry block, so that a helper in a loop does not grow the stack.
llvm::AllocaInst* frame_slot(llvm::IRBuilder<>& b, llvm::Type* type) {
  llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  llvm::AllocaInst* slot = at.CreateAlloca(type);
  slot->setAlignment(llvm::Align(64));
  return slot;
}

}  // namespace

llvm::Type* Emitter::type(ir::Type t, unsigned width) const {
  if (t == ir::Type::F32) return widened(b.getFloatTy(), width);
  if (t == ir::Type::F64) return widened(b.getDoubleTy(), width);
  return widened(b.getIntNTy(ir::bits(t)), width);
}

llvm::Type* Emitter::int_type(unsigned bits) const { return widened(b.getIntNTy(bits), width_); }

Value* Emitter::constant(llvm::Type* like, uint64_t value) const {
  llvm::Type* ints = int_like(like);
  unsigned bits = ints->getScalarSizeInBits();
  if (bits < 64) value &= (uint64_t{1} << bits) - 1;
  Value* c = llvm::ConstantInt::get(ints, llvm::APInt(bits, value));
  return ints == like ? c : b.CreateBitCast(c, like);
}

Value* Emitter::real(llvm::Type* like, double value) const { return llvm::ConstantFP::get(like, value); }

std::vector<Value*> Emitter::map_lanes(const char* symbol, const std::vector<llvm::Type*>& results,
                                       const std::vector<Value*>& args) {
  const llvm::DataLayout& layout = b.GetInsertBlock()->getModule()->getDataLayout();
  auto size_of = [&](llvm::Type* t) { return layout.getTypeStoreSize(t).getFixedValue(); };
  std::vector<llvm::AllocaInst*> slots;
  // Calls share their slots.
  auto slot = [&](uint64_t bytes) {
    llvm::AllocaInst*& shared = lane_slots_[{slots.size(), bytes}];
    if (!shared) shared = frame_slot(b, llvm::ArrayType::get(b.getInt8Ty(), bytes));
    slots.push_back(shared);
    b.CreateLifetimeStart(slots.back(), b.getInt64(bytes));
    return slots.back();
  };

  uint64_t result_bytes = 0;
  for (llvm::Type* t : results) result_bytes += size_of(t);
  Value* out = slot(result_bytes);
  Value* pointers[3];
  for (size_t i = 0; i < 3; ++i) {
    pointers[i] = llvm::ConstantPointerNull::get(b.getPtrTy());
    if (i >= args.size()) continue;
    uint64_t bytes = size_of(args[i]->getType());
    bool with_fourth = i == 2 && args.size() == 4;
    Value* at = slot(with_fourth ? 2 * bytes : bytes);
    b.CreateAlignedStore(args[i], at, llvm::Align(4));
    if (with_fourth) b.CreateAlignedStore(args[3], b.CreateConstGEP1_64(b.getInt8Ty(), at, bytes), llvm::Align(4));
    pointers[i] = at;
  }

  auto* signature = llvm::FunctionType::get(
      b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getPtrTy(), b.getPtrTy(), b.getInt32Ty()}, false);
  llvm::FunctionCallee callee = b.GetInsertBlock()->getModule()->getOrInsertFunction(symbol, signature);
  llvm::CallInst* call = b.CreateCall(callee, {out, pointers[0], pointers[1], pointers[2], b.getInt32(width_)});
  call->setDoesNotThrow();

  std::vector<Value*> loaded;
  uint64_t offset = 0;
  for (llvm::Type* t : results) {
    loaded.push_back(b.CreateAlignedLoad(t, b.CreateConstGEP1_64(b.getInt8Ty(), out, offset), llvm::Align(4)));
    offset += size_of(t);
  }
  for (llvm::AllocaInst* s : slots) b.CreateLifetimeEnd(s, b.getInt64(s->getAllocatedType()->getArrayNumElements()));
  return loaded;
}

Value* Emitter::intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<Value*> args) {
  return b.CreateIntrinsic(id, {args[0]->getType()}, args);
}

Value* Emitter::flush_denormal(Value* f32) {
  Value* bits = b.CreateBitCast(f32, int_like(f32->getType()));
  Value* tiny = b.CreateFCmpOLT(intrinsic(llvm::Intrinsic::fabs, {f32}), real(f32->getType(), 0x1p-126));
  Value* zero = b.CreateAnd(bits, constant(bits->getType(), 0x80000000u));
  return b.CreateBitCast(b.CreateSelect(tiny, zero, bits), f32->getType());
}

// Both selects match the host's min/max instructions, which return the second operand for a NaN and for equal zeros:
// NaN and -0 become +0, in two instructions.
Value* Emitter::saturate(Value* value) {
  Value* zero = real(value->getType(), 0.0);
  Value* one = real(value->getType(), 1.0);
  Value* low = b.CreateSelect(b.CreateFCmpOGT(value, zero), value, zero);
  return b.CreateSelect(b.CreateFCmpOLT(low, one), low, one);
}

Value* Emitter::resize(Value* integer, unsigned bits, bool is_signed) {
  llvm::Type* to = integer->getType()->getWithNewType(b.getIntNTy(bits));
  return is_signed ? b.CreateSExtOrTrunc(integer, to) : b.CreateZExtOrTrunc(integer, to);
}

Value* Emitter::bitcast(Value* value, ir::Type as) {
  unsigned width = value->getType()->isVectorTy() ? 32 : 1;
  return b.CreateBitCast(value, type(as, width));
}

Value* Emitter::canonical_nan(Value* f32) {
  Value* nan = constant(f32->getType(), 0x7fffffff);
  return b.CreateSelect(b.CreateFCmpUNO(f32, f32), nan, f32);
}

namespace {

enum Support : bool { Parse = false, Run = true };

// Opcodes of other families that FunctionEmitter emits, as they need an address space or the mask.
constexpr bool needs_context(ir::Opcode op) { return op == ir::Opcode::Isspacep || op == ir::Opcode::Activemask; }
constexpr bool has_function(ir::Opcode op, ir::Family family, Support support) {
  return support == Run && ir::traits(family).emission == ir::Emission::Function && !needs_context(op);
}

constexpr EmitFunction kEmitFunctions[] = {
#define DW_OPCODE(name, mnemonic, family, support) \
  has_function(ir::Opcode::name, ir::Family::family, support) ? &emit_##name : nullptr,
#include "language/ptx/isa.def"
};

}  // namespace

EmitFunction emit_function(ir::Opcode op) {
  const auto index = static_cast<size_t>(op);
  return index < std::size(kEmitFunctions) ? kEmitFunctions[index] : nullptr;  // Opcode::Unknown is behind the table
}

}  // namespace drywarp::jit
