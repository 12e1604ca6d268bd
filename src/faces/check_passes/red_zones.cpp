#include "faces/check_passes/red_zones.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Alignment.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace drywarp::check_passes {
namespace {

// Bytes of padding: as many as the variable has, within bounds. Functions may call themselves, and threads have little
// room for their frames.
constexpr uint64_t kLeastPadding = 32, kMostPadding = 1024;

uint64_t padding_of(uint64_t bytes, bool in_kernel) {
  return in_kernel ? llvm::alignTo(std::clamp(bytes, kLeastPadding, kMostPadding), kLeastPadding) : kLeastPadding;
}
constexpr const char* kMark = "__drywarp_local_array";

// The variable's name in the program, as words of characters: without what inlining and splitting have added. What
// clang has made for itself has none.
constexpr size_t kNameWords = 3;
std::array<uint64_t, kNameWords> name_of(const llvm::AllocaInst& variable) {
  std::array<uint64_t, kNameWords> words{};
  const llvm::StringRef whole = variable.getName();
  if (whole.contains(".tmp") || whole.starts_with("__")) return words;
  constexpr size_t kMost = kNameWords * sizeof(uint64_t);
  std::string name = whole.take_until([](char c) { return c == '.'; }).str();
  if (name.size() > kMost) name = name.substr(0, kMost - 3) + "...";
  for (size_t at = 0; at < name.size(); ++at)
    words[at / sizeof(uint64_t)] |= uint64_t{static_cast<unsigned char>(name[at])} << at % sizeof(uint64_t) * 8;
  return words;
}

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
  const std::array<uint64_t, kNameWords> name = name_of(*variable);
  variable->replaceAllUsesWith(inner);
  variable->eraseFromParent();
  const auto call = [&](llvm::Instruction* place, const std::array<uint64_t, 3>& sizes, bool named) {
    llvm::IRBuilder<> b(place);
    b.SetCurrentDebugLocation({});
    llvm::SmallVector<llvm::Value*> arguments = {padded};
    for (const uint64_t size : sizes) arguments.push_back(b.getInt32(static_cast<uint32_t>(size)));
    for (const uint64_t word : name) arguments.push_back(b.getInt64(named ? word : 0));
    b.CreateCall(mark, arguments);
  };
  call(start, {before, bytes, behind}, true);
  for (llvm::Instruction* end : ends) call(end, {0, 0, 0}, false);
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
    llvm::Type *const size = llvm::Type::getInt32Ty(context), *const word = llvm::Type::getInt64Ty(context);
    const llvm::FunctionCallee mark = module.getOrInsertFunction(
        kMark, llvm::Type::getVoidTy(context), llvm::PointerType::get(context, 0), size, size, size, word, word, word);
    auto start = function.getEntryBlock().begin();
    while (llvm::isa<llvm::AllocaInst>(*start) || start->isDebugOrPseudoInst()) ++start;
    for (llvm::AllocaInst* variable : variables) pad(variable, &*start, ends, mark, is_kernel);
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::check_passes
