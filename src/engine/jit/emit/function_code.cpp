#include "engine/jit/emit/function_code.h"

#include <llvm/IR/Intrinsics.h>

namespace drywarp::jit {

FunctionCode::FunctionCode(llvm::Module& m, llvm::IRBuilder<>& builder, const ir::Module& ptx,
                           const PreparedFunction& p, const CodeOptions& o, Form which, const std::string& symbol)
    : llvm_module(m), b(builder), module(ptx), prepared(p), code(p.code), options(o), form(which) {
  llvm::Type* third = warp_form() ? b.getInt64Ty() : b.getInt32Ty();
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt32Ty(), third}, false);
  function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, llvm_module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addParamAttr(0, llvm::Attribute::NoAlias);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
  context = function->getArg(0);
  mask_slot = entry_slot(b.getInt32Ty(), "mask");
  depth_slot = entry_slot(b.getInt32Ty(), "depth");
  ended_slot = entry_slot(b.getInt32Ty(), "ended");
  b.CreateStore(function->getArg(warp_form() ? 1 : 2), mask_slot);
  frame = warp_form() ? function->getArg(2) : context_field(offsetof(WarpContext, frame), b.getInt64Ty());
  // Lanes that do not run here count as ended: they reach no reconvergence point.
  b.CreateStore(warp_form() ? i32(0) : context_field(offsetof(WarpContext, exited), b.getInt32Ty()), ended_slot);
  return_block = llvm::BasicBlock::Create(b.getContext(), "return", function);
}

llvm::Value* FunctionCode::executing_lanes() {
  if (executing) return executing;
  if (warp_form()) return active_mask();
  return b.CreateOr(active_mask(), context_field(offsetof(WarpContext, exchange_peers), b.getInt32Ty()));
}

llvm::AllocaInst* FunctionCode::entry_slot(llvm::Type* type, const char* name) {
  llvm::BasicBlock& entry = function->getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  return at.CreateAlloca(type, nullptr, name);
}

// The call that follows reads the slot at once, so all spills of one name and type share it.
llvm::Value* FunctionCode::spill(Value* value, const char* name) {
  llvm::AllocaInst*& slot = spilled[{name, value->getType()}];
  if (!slot) slot = entry_slot(value->getType(), name);
  slot->setAlignment(llvm::Align(64));
  b.CreateAlignedStore(value, slot, llvm::Align(64));
  return slot;
}

llvm::Value* FunctionCode::call_runtime(const char* name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> parameters,
                                        llvm::ArrayRef<Value*> arguments) {
  auto* type = llvm::FunctionType::get(result, parameters, false);
  return b.CreateCall(llvm_module.getOrInsertFunction(name, type), arguments);
}

llvm::Value* FunctionCode::context_address(size_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context, offset);
}

llvm::Value* FunctionCode::context_field(size_t offset, llvm::Type* type) {
  llvm::LoadInst* load = b.CreateLoad(type, context_address(offset));
  // While the function runs, only `exited` and `depth` change.
  if (offset != offsetof(WarpContext, exited) && offset != offsetof(WarpContext, depth))
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

llvm::Value* FunctionCode::mask_to_lanes(Value* mask) {
  return b.CreateBitCast(mask, llvm::FixedVectorType::get(b.getInt1Ty(), 32));
}

llvm::Value* FunctionCode::lanes_to_mask(Value* lanes) { return b.CreateBitCast(lanes, b.getInt32Ty()); }

llvm::Value* FunctionCode::active_mask() {
  Value* mask = b.CreateLoad(b.getInt32Ty(), mask_slot);
  return guard ? b.CreateAnd(mask, lanes_to_mask(guard)) : mask;
}

llvm::Value* FunctionCode::active_lanes() { return mask_to_lanes(active_mask()); }

void FunctionCode::add_counter(Value* address, uint64_t offset, Value* amount) {
  Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), address, offset);
  b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), at), amount), at);
}

llvm::Value* FunctionCode::counter(size_t context_offset, uint64_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context_field(context_offset, b.getPtrTy()), offset);
}

llvm::Value* FunctionCode::widen(Value* scalar) {
  return scalar->getType()->isVectorTy() ? scalar : b.CreateVectorSplat(32, scalar);
}

}  // namespace drywarp::jit
