#include "faces/explain/source_branches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "faces/explain/source_access.h"
#include "profile/metrics/sums.h"
#include "profile/report/model/parts.h"

namespace drywarp::explain {
namespace {

SourceBranch branch_of(const record::Profile& profile, uint32_t kernel, const InstructionInfo& instruction) {
  SourceBranch out;
  for (size_t i = 0; i < profile.launches.size(); ++i) {
    const record::LaunchRecord& launch = profile.launches[i];
    if (launch.kernel != kernel || !launch.counted) continue;
    metrics::Sums sums;
    metrics::add_instruction(sums, instruction, launch.counts);
    if (sums.branches == 0) continue;
    ++out.launches;
    if (out.launches > 1 && sums.divergent <= out.divergent) continue;
    out.launch = i, out.grid = launch.grid, out.block = launch.block;
    out.warps = sums.branches, out.divergent = sums.divergent, out.taken = sums.taken;
    out.lanes = sums.all().lanes;
  }
  return out;
}

}  // namespace

Result<BranchLine> explain_branches(const record::Profile& profile, const std::string& file, uint32_t line) {
  BranchLine out;
  out.file = file, out.line = line;
  std::set<uint32_t> others;
  std::string path;  // as the compiler names it
  for (uint32_t k = 0; k < profile.kernels.size(); ++k) {
    const KernelInfo& kernel = *profile.kernels[k];
    for (const InstructionInfo& i : kernel.instructions) {
      if (i.branch == InstructionInfo::kNone || i.file >= kernel.files.size() ||
          !names_file(kernel.files[i.file], file))
        continue;
      SourceBranch branch = branch_of(profile, k, i);
      if (branch.launches == 0) continue;
      if (i.line != line) {
        others.insert(i.line);
        continue;
      }
      path = kernel.files[i.file];
      branch.kernel = kernel.display_name;
      branch.instruction = with_single_blanks(i.text);
      branch.ptx_line = i.ptx_line;
      out.branches.push_back(std::move(branch));
    }
  }
  if (out.branches.empty())
    return error(fmt::format("no kernel that ran branches at {}:{}", file, line),
                 others.empty() ? "the compiler left no conditional branch in this file's kernels that ran"
                                : fmt::format("these lines of it do: {}", fmt::join(others, ", ")));
  out.source = report::SourceLines().get(path, line);
  return out;
}

}  // namespace drywarp::explain
