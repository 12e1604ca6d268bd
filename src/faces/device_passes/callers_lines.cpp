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
      const llvm::DILocation* at = instruction.getDebugLoc();
      while (at && at->getInlinedAt() && ours(at)) at = at->getInlinedAt();
      if (at != instruction.getDebugLoc().get()) instruction.setDebugLoc(at);
    }
  return llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::device_passes
