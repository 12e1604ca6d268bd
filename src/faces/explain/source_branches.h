// A program's branches at a source line: for each, how many warps reach it and diverge, in the launch in which most do.
// A profile counts branches; it does not record which lanes go where.
#pragma once

#include <string>
#include <vector>

#include "base/support/result.h"
#include "profile/record/profile.h"

namespace drywarp::explain {

struct SourceBranch {
  std::string kernel;       // demangled
  std::string instruction;  // as PTX writes it
  uint32_t ptx_line = 0;
  uint64_t launches = 0;  // that reach it
  // The launch with the most divergent branches.
  uint64_t launch = 0;
  record::Extent grid, block;
  uint64_t warps = 0;      // times a warp, or a diverged part of one, reaches it
  uint64_t lanes = 0;      // active then, summed
  uint64_t divergent = 0;  // times in which the active lanes take both sides: two passes
  uint64_t taken = 0;      // times in which at least one lane takes the branch
};

struct BranchLine {
  std::string file;  // as the user named it
  uint32_t line = 0;
  std::string source;
  std::vector<SourceBranch> branches;  // by kernel and instruction
};

// `file`: the compiler's path or its end. Errors: the line has no branch (the hint lists lines that have one).
Result<BranchLine> explain_branches(const record::Profile& profile, const std::string& file, uint32_t line);

}  // namespace drywarp::explain
