#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

// Our headers' folder is the one that has the prelude.
bool is_ours(const llvm::DIFile* file) {
  llvm::SmallString<256> folder(file->getFilename());
  if (!llvm::sys::path::is_absolute(folder)) {
    folder = file->getDirectory();
    llvm::sys::path::append(folder, file->getFilename());
  }
  while (llvm::sys::path::has_parent_path(folder)) {
    llvm::sys::path::remove_filename(folder);
    llvm::SmallString<256> prelude(folder);
    llvm::sys::path::append(prelude, "drywarp_prelude.h");
    if (llvm::sys::fs::exists(prelude)) return true;
  }
  return false;
}

bool has_line(const llvm::Instruction& instruction) {
  return instruction.getDebugLoc() && instruction.getDebugLoc().getLine() != 0;
}

// Of an access that has lost its line, as the load of a sum that a loop keeps in a register: the line of what uses the
// value, or makes it, or its address; else of what comes next.
const llvm::DILocation* line_of(const llvm::Instruction& access) {
  llvm::SmallVector<const llvm::Instruction*, 16> users{&access};
  for (size_t i = 0; i < users.size() && i < 16; ++i)
    for (const llvm::User* user : users[i]->users()) {
      const auto* one = llvm::dyn_cast<llvm::Instruction>(user);
      if (one && has_line(*one)) return one->getDebugLoc();
      if (one && !llvm::is_contained(users, one)) users.push_back(one);
    }
  for (const llvm::Value* operand : access.operand_values()) {
    const auto* one = llvm::dyn_cast<llvm::Instruction>(operand);
    if (one && has_line(*one)) return one->getDebugLoc();
  }
  for (const llvm::Instruction* next = access.getNextNode(); next; next = next->getNextNode())
    if (has_line(*next)) return next->getDebugLoc();
  return nullptr;
}

}  // namespace

llvm::PreservedAnalyses CallersLines::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::DenseMap<const llvm::DIFile*, bool> known;
  const auto ours = [&](const llvm::DILocation* at) {
    const auto [found, is_new] = known.try_emplace(at->getFile(), false);
    if (is_new) found->second = is_ours(at->getFile());
    return found->second;
  };
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (function.getSubprogram() && instruction.mayReadOrWriteMemory() && !has_line(instruction))
        if (const llvm::DILocation* near = line_of(instruction)) instruction.setDebugLoc(near);
      const llvm::DILocation* at = instruction.getDebugLoc();
      while (at && at->getInlinedAt() && ours(at)) at = at->getInlinedAt();
      if (at != instruction.getDebugLoc().get()) instruction.setDebugLoc(at);
    }
  return llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::device_passes
