#include "faces/check_passes/red_zones.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Alignment.h>

#include <algorithm>
#include <vector>

namespace drywarp::check_passes {
namespace {

// Bytes of padding: as many as the variable has, within bounds. Functions may call themselves, and threads have little
// room for their frames.
constexpr uint64_t kLeastPadding = 32, kMostPadding = 1024;

uint64_t padding_of(uint64_t bytes, bool in_kernel) {
  return in_kernel ? llvm::alignTo(std::clamp(bytes, kLeastPadding, kMostPadding), kLeastPadding) : kLeastPadding;
}
constexpr const char* kMark = "__drywarp_red_zone";

std::vector<llvm::Function*> kernels_of(llvm::Module& module) {
  std::vector<llvm::Function*> kernels;
  const llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations");
  if (!annotations) return kernels;
  for (const llvm::MDNode* node : annotations->operands()) {
    if (node->getNumOperands() < 2) continue;
    auto* function = llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0));
    const auto* kind = llvm::dyn_cast<llvm::MDString>(node->getOperand(1));
    const bool known = std::ranges::find(kernels, function) != kernels.end();
    if (function && !function->isDeclaration() && kind && kind->getString() == "kernel" && !known)
      kernels.push_back(function);
  }
  return kernels;
}

// A variable that is only read and written whole cannot be left by an index. Code that is not optimised has many.
bool is_indexed(const llvm::AllocaInst& variable) {
  return !std::ranges::all_of(variable.users(), [&](const llvm::User* user) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) return load->getType() == variable.getAllocatedType();
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    return store && store->getPointerOperand() == &variable &&
           store->getValueOperand()->getType() == variable.getAllocatedType();
  });
}

std::vector<llvm::AllocaInst*> variables_of(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& i : function.getEntryBlock())
    if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&i);
        variable && variable->isStaticAlloca() && is_indexed(*variable))
      variables.push_back(variable);
  return variables;
}

// Where threads leave the function, but not the kernel: there, nothing runs behind.
std::vector<llvm::Instruction*> returns_of(llvm::Function& function) {
  std::vector<llvm::Instruction*> returns;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (llvm::isa<llvm::ReturnInst>(i)) returns.push_back(&i);
  return returns;
}

// Markers of lifetimes name the variable itself.
void forget_lifetimes(llvm::Function& function) {
  std::vector<llvm::Instruction*> lifetimes;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i); call && call->isLifetimeStartOrEnd())
      lifetimes.push_back(call);
  for (llvm::Instruction* lifetime : lifetimes) lifetime->eraseFromParent();
}

void pad(llvm::AllocaInst* variable, llvm::Instruction* start, const std::vector<llvm::Instruction*>& ends,
         const llvm::FunctionCallee& mark, bool in_kernel) {
  const llvm::DataLayout& layout = variable->getModule()->getDataLayout();
  const uint64_t bytes = layout.getTypeAllocSize(variable->getAllocatedType()).getFixedValue() *
                         llvm::cast<llvm::ConstantInt>(variable->getArraySize())->getZExtValue();
  if (bytes == 0) return;
  const uint64_t behind = padding_of(bytes, in_kernel), before = llvm::alignTo(behind, variable->getAlign());
  llvm::IRBuilder<> at(variable);
  auto* padded = at.CreateAlloca(llvm::ArrayType::get(at.getInt8Ty(), before + bytes + behind),
                                 variable->getAddressSpace(), nullptr, variable->getName());
  padded->setAlignment(variable->getAlign());
  llvm::Value* inner = at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), padded, before);
  variable->replaceAllUsesWith(inner);
  variable->eraseFromParent();
  const auto call = [&](llvm::Instruction* place, uint64_t bytes_before, uint64_t bytes_behind) {
    llvm::IRBuilder<> b(place);
    b.SetCurrentDebugLocation({});
    b.CreateCall(mark, {padded, b.getInt32(static_cast<uint32_t>(bytes_before))});
    b.CreateCall(mark, {b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), padded, before + bytes),
                        b.getInt32(static_cast<uint32_t>(bytes_behind))});
  };
  call(start, before, behind);
  for (llvm::Instruction* end : ends) call(end, 0, 0);
}

}  // namespace

llvm::PreservedAnalyses RedZones::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (!module.getTargetTriple().starts_with("nvptx")) return llvm::PreservedAnalyses::all();
  bool changed = false;
  const std::vector<llvm::Function*> kernels = kernels_of(module);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const std::vector<llvm::AllocaInst*> variables = variables_of(function);
    if (variables.empty()) continue;
    changed = true;
    forget_lifetimes(function);
    const bool is_kernel = std::ranges::find(kernels, &function) != kernels.end();
    const std::vector<llvm::Instruction*> ends = is_kernel ? std::vector<llvm::Instruction*>() : returns_of(function);
    llvm::LLVMContext& context = module.getContext();
    const llvm::FunctionCallee mark = module.getOrInsertFunction(
        kMark, llvm::Type::getVoidTy(context), llvm::PointerType::get(context, 0), llvm::Type::getInt32Ty(context));
    auto start = function.getEntryBlock().begin();
    while (llvm::isa<llvm::AllocaInst>(*start) || start->isDebugOrPseudoInst()) ++start;
    for (llvm::AllocaInst* variable : variables) pad(variable, &*start, ends, mark, is_kernel);
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::check_passes
