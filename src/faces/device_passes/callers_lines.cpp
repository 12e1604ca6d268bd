#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

// Of our headers, whose folder is the one that has the prelude, or of the standard library or clang (std::max).
bool is_of_headers(const llvm::DIFile* file) {
  llvm::SmallString<256> folder(file->getFilename());
  if (!llvm::sys::path::is_absolute(folder)) {
    folder = file->getDirectory();
    llvm::sys::path::append(folder, file->getFilename());
  }
  if (folder.str().contains("/include/c++/") || folder.str().contains("/lib/clang/")) return true;
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

// The line of the nearest instruction that `neighbours` leads to from `access`, through others that have none.
template <typename Neighbours>
const llvm::DILocation* nearest_line(const llvm::Instruction& access, Neighbours&& neighbours) {
  llvm::SmallVector<const llvm::Instruction*, 16> seen{&access};
  for (size_t i = 0; i < seen.size() && i < 16; ++i)
    for (const llvm::Value* value : neighbours(*seen[i])) {
      const auto* one = llvm::dyn_cast<llvm::Instruction>(value);
      if (one && has_line(*one)) return one->getDebugLoc();
      if (one && !llvm::is_contained(seen, one)) seen.push_back(one);
    }
  return nullptr;
}

// Of an access that has lost its line, as the load of a sum that a loop keeps in a register: the line of what uses the
// value, or makes it, or its address; else of what comes next. A store that ends both sides of a branch has that of one
// side.
const llvm::DILocation* line_of(const llvm::Instruction& access) {
  if (const llvm::DILocation* use = nearest_line(access, [](const auto& at) { return at.users(); })) return use;
  if (const llvm::DILocation* source = nearest_line(access, [](const auto& at) { return at.operand_values(); }))
    return source;
  for (const llvm::Instruction* next = access.getNextNode(); next; next = next->getNextNode())
    if (has_line(*next)) return next->getDebugLoc();
  return nullptr;
}

}  // namespace

llvm::PreservedAnalyses CallersLines::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::DenseMap<const llvm::DIFile*, bool> known;
  const auto of_headers = [&](const llvm::DILocation* at) {
    const auto [found, is_new] = known.try_emplace(at->getFile(), false);
    if (is_new) found->second = is_of_headers(at->getFile());
    return found->second;
  };
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (function.getSubprogram() && instruction.mayReadOrWriteMemory() && !has_line(instruction))
        if (const llvm::DILocation* near = line_of(instruction)) instruction.setDebugLoc(near);
      const llvm::DILocation* at = instruction.getDebugLoc();
      while (at && at->getInlinedAt() && of_headers(at)) at = at->getInlinedAt();
      if (at != instruction.getDebugLoc().get()) instruction.setDebugLoc(at);
    }
  return llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::device_passes
