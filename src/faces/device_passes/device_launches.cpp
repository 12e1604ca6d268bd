#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MD5.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

// What compile/device_launches writes around a launch, and our headers declare.
constexpr llvm::StringLiteral kConfigure = "__drywarp_configure_launch", kLaunched = "__drywarp_launched";
constexpr llvm::StringLiteral kAnnotations = "nvvm.annotations";
constexpr llvm::StringLiteral kUnit = "__drywarp_source";  // the id of the source, a string

// The call in front of the mark: that of the kernel.
llvm::CallInst* call_before(llvm::Instruction* mark) {
  for (llvm::Instruction* at = mark->getPrevNode(); at; at = at->getPrevNode()) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(at);
    if (call && !llvm::isa<llvm::IntrinsicInst>(call)) return call;
  }
  return nullptr;
}

// The nearest configuration that every path to the call passes.
llvm::CallInst* configuration_of(llvm::CallInst* call, const llvm::Function* configure,
                                 const llvm::DominatorTree& dominators) {
  llvm::Instruction* at = call->getPrevNode();
  for (const auto* node = dominators.getNode(call->getParent()); node;) {
    for (; at; at = at->getPrevNode()) {
      auto* found = llvm::dyn_cast<llvm::CallInst>(at);
      if (found && found->getCalledFunction() == configure) return found;
    }
    node = node->getIDom();
    if (node) at = node->getBlock()->getTerminator();
  }
  return nullptr;
}

struct Runtime {
  llvm::FunctionCallee buffer, launch;
};

// Of libcudadevrt; `size`: dim3.
Runtime runtime(llvm::Module& module, llvm::Type* size) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* const pointer = llvm::PointerType::get(context, 0);
  llvm::Type* const word = llvm::Type::getInt32Ty(context);
  Runtime out;
  out.buffer = module.getOrInsertFunction("__cudaCDP2GetParameterBufferV2", pointer, pointer, size, size, word);
  out.launch = module.getOrInsertFunction("__cudaCDP2LaunchDeviceV2", word, pointer, pointer);
  for (llvm::FunctionCallee function : {out.buffer, out.launch}) {
    auto* const declared = llvm::cast<llvm::Function>(function.getCallee());
    declared->addFnAttr(llvm::Attribute::Convergent);
    declared->addFnAttr(llvm::Attribute::NoUnwind);
  }
  return out;
}

// Writes the arguments of the call as the kernel's parameters lie in memory.
void store_arguments(llvm::IRBuilder<>& builder, const llvm::CallInst& call, llvm::Value* buffer) {
  const llvm::DataLayout& layout = call.getModule()->getDataLayout();
  uint64_t offset = 0;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    llvm::Value* argument = call.getArgOperand(i);
    llvm::Type* const by_value = call.getParamByValType(i);
    if (argument->getType()->isIntegerTy(1)) argument = builder.CreateZExt(argument, builder.getInt8Ty());
    llvm::Type* const type = by_value ? by_value : argument->getType();
    const llvm::Align align =
        by_value ? call.getParamAlign(i).value_or(layout.getABITypeAlign(type)) : layout.getABITypeAlign(type);
    offset = llvm::alignTo(offset, align);
    llvm::Value* const to = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), buffer, offset);
    const uint64_t bytes = layout.getTypeAllocSize(type);
    if (by_value)
      builder.CreateMemCpy(to, align, argument, align, bytes);
    else
      builder.CreateAlignedStore(argument, to, align);
    offset += bytes;
  }
}

// Kernels of other sources are declared as kernels.
void declare_kernel(llvm::Function& kernel) {
  llvm::LLVMContext& context = kernel.getContext();
  llvm::Metadata* const words[] = {
      llvm::ConstantAsMetadata::get(&kernel), llvm::MDString::get(context, "kernel"),
      llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 1))};
  kernel.getParent()->getOrInsertNamedMetadata(kAnnotations)->addOperand(llvm::MDNode::get(context, words));
}

// buffer = get(kernel, grid, block, shared); if (buffer) { *buffer = arguments; launch(buffer, stream); }
void launch(llvm::CallInst* call, llvm::CallInst* configuration) {
  llvm::Type* const size = configuration->getParamByValType(0);
  const Runtime functions = runtime(*call->getModule(), size);
  // As values: variables whose addresses are passed would stay in local memory.
  llvm::IRBuilder<> builder(configuration);
  llvm::Value* const grid = builder.CreateLoad(size, configuration->getArgOperand(0));
  llvm::Value* const block = builder.CreateLoad(size, configuration->getArgOperand(1));
  builder.SetInsertPoint(call);
  llvm::CallInst* const buffer = builder.CreateCall(
      functions.buffer, {call->getCalledOperand(), grid, block,
                         builder.CreateTrunc(configuration->getArgOperand(2), builder.getInt32Ty())});
  builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(builder.CreateIsNotNull(buffer), call, false));
  builder.SetCurrentDebugLocation(call->getDebugLoc());
  store_arguments(builder, *call, buffer);
  builder.CreateCall(functions.launch, {buffer, configuration->getArgOperand(3)});
  llvm::Function* const kernel = call->getCalledFunction();
  if (kernel && kernel->isDeclaration()) declare_kernel(*kernel);
  call->eraseFromParent();
}

void replace_launches(llvm::Module& module) {
  llvm::Function* const configure = module.getFunction(kConfigure);
  llvm::Function* const launched = module.getFunction(kLaunched);
  if (!configure || !launched) return;
  llvm::SmallVector<llvm::CallInst*, 8> marks;
  for (llvm::User* user : launched->users())
    if (auto* mark = llvm::dyn_cast<llvm::CallInst>(user)) marks.push_back(mark);
  for (llvm::CallInst* mark : marks) {
    llvm::CallInst* const call = call_before(mark);
    if (!call) continue;
    if (llvm::CallInst* configuration = configuration_of(call, configure, llvm::DominatorTree(*mark->getFunction())))
      launch(call, configuration);
  }
  for (llvm::Function* function : {launched, configure}) {
    for (llvm::User* user : llvm::make_early_inc_range(function->users()))
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) call->eraseFromParent();
    if (function->use_empty()) function->eraseFromParent();
  }
}

// Static kernels get the names that clang gives them otherwise, by which the host looks for them.
void name_static_kernels(llvm::Module& module, const llvm::GlobalVariable& unit) {
  const auto* text = unit.hasInitializer() ? llvm::dyn_cast<llvm::ConstantDataArray>(unit.getInitializer()) : nullptr;
  const llvm::NamedMDNode* const annotations = module.getNamedMetadata(kAnnotations);
  if (!text || !text->isCString() || !annotations) return;
  const std::string mark = "__intern__" + llvm::utohexstr(llvm::MD5Hash(text->getAsCString()), /*LowerCase=*/true);
  for (const llvm::MDNode* node : annotations->operands()) {
    const auto* kind = node->getNumOperands() > 1 ? llvm::dyn_cast<llvm::MDString>(node->getOperand(1)) : nullptr;
    if (!kind || kind->getString() != "kernel") continue;
    auto* const kernel = llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0));
    if (!kernel || !kernel->hasInternalLinkage()) continue;
    kernel->setLinkage(llvm::GlobalValue::ExternalLinkage);
    kernel->setName(kernel->getName() + mark);
  }
}

}  // namespace

llvm::PreservedAnalyses DeviceLaunches::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::GlobalVariable* const unit = module.getGlobalVariable(kUnit, /*AllowInternal=*/true);
  if (!unit) return llvm::PreservedAnalyses::all();
  name_static_kernels(module, *unit);
  replace_launches(module);
  llvm::removeFromUsedLists(module, [&](llvm::Constant* used) { return used->stripPointerCasts() == unit; });
  unit->removeDeadConstantUsers();
  if (unit->use_empty()) unit->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

}  // namespace drywarp::device_passes
