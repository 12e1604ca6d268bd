#include "faces/explain/source_branches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "faces/explain/source_line.h"
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
  const auto explain = [&](uint32_t kernel, const InstructionInfo& i) {
    std::vector<SourceBranch> branches;
    if (i.branch == InstructionInfo::kNone) return branches;
    branches.push_back(branch_of(profile, kernel, i));
    if (branches.front().launches == 0) branches.clear();
    return branches;
  };
  LineSearch<SourceBranch> search = search_line<SourceBranch>(profile, file, line, explain);
  if (search.found.empty())
    return error(fmt::format("no kernel that ran branches at {}:{}", file, line),
                 search.others.empty() ? "the compiler left no conditional branch in this file's kernels that ran"
                                       : fmt::format("these lines of it do: {}", fmt::join(search.others, ", ")));
  return BranchLine{file, line, report::SourceLines().get(search.path, line), std::move(search.found)};
}

}  // namespace drywarp::explain
