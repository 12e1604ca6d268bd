#include "profile/advice/run/run_facts.h"

#include <algorithm>

#include "profile/record/time_line.h"

namespace drywarp::advice {
namespace {

void add(CopiesOfRun& to, const record::TransferRecord& copy) {
  ++to.count, to.bytes += copy.bytes, to.seconds += copy.gpu_seconds;
  to.without_time += copy.gpu_seconds == 0, to.in_other_streams += copy.stream != 0;
  if (!copy.pinned) ++to.pageable, to.pageable_bytes += static_cast<double>(copy.bytes);
}

}  // namespace

RunFacts run_facts(const record::Profile& profile) {
  RunFacts facts;
  for (const record::LaunchRecord& launch : profile.launches) {
    if (!launch.time) {
      ++facts.launches_without_time;
      continue;
    }
    const KernelInfo& info = *profile.kernels[launch.kernel];
    const std::string& name = info.display_name.empty() ? info.name : info.display_name;
    auto kernel = std::ranges::find(facts.kernels, name, &KernelOfRun::name);
    if (kernel == facts.kernels.end()) kernel = facts.kernels.insert(facts.kernels.end(), KernelOfRun{name});
    ++kernel->launches;
    kernel->seconds += launch.time->summary.duration_ns * 1e-9;
    kernel->overhead_seconds += launch.time->summary.launch_overhead_ns * 1e-9;
  }
  std::ranges::stable_sort(facts.kernels, std::greater{}, &KernelOfRun::seconds);
  for (const record::TransferRecord& t : profile.transfers) {
    if (t.kind == record::TransferKind::HostToDevice) add(facts.to_device, t);
    if (t.kind == record::TransferKind::DeviceToHost) add(facts.to_host, t);
  }
  if (const auto line = record::time_line(profile)) {
    facts.whole_seconds = 1e-9 * line->totals.whole_ns;
    if (line->totals.possible_ns > 0)
      facts.overlapped_percent = 100 * line->totals.together_ns / line->totals.possible_ns;
    facts.pipelined_seconds = record::pipelined_seconds(profile).value_or(0);
  }
  return facts;
}

}  // namespace drywarp::advice
