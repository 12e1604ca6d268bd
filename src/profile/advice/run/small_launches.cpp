// Many launches that are short compared with what it takes to launch them.
#include <fmt/format.h>

#include <algorithm>

#include "base/support/readable.h"
#include "profile/advice/run/run_rules.h"

namespace drywarp::advice {
namespace {

constexpr uint64_t kMany = 20;    // launches
constexpr double kOverhead = 20;  // percent of a kernel's time
constexpr size_t kKernelsOfText = 3;

bool is_small(const KernelOfRun& k) { return 100 * k.overhead_seconds >= kOverhead * k.seconds; }

}  // namespace

std::optional<Finding> small_launches(const RunFacts& facts) {
  double all = 0, small = 0, overhead = 0;
  uint64_t launches = 0;
  std::string names;
  size_t kernels = 0;
  for (const KernelOfRun& k : facts.kernels) {
    all += k.seconds;
    if (!is_small(k)) continue;
    launches += k.launches, small += k.seconds, overhead += k.overhead_seconds;
    if (++kernels > kKernelsOfText) continue;
    const std::string name = k.name.substr(0, k.name.find('('));
    names += fmt::format("{}{} ({} of {})", names.empty() ? "" : ", ", name, k.launches,
                         readable_seconds(k.seconds / double(k.launches)));
  }
  if (launches < kMany || 100 * overhead < kOverhead * all) return std::nullopt;
  if (kernels > kKernelsOfText) names += fmt::format(" and {} more", kernels - kKernelsOfText);
  Finding finding;
  finding.headline = fmt::format("launch less often: {} launches are short", launches);
  finding.observation =
      fmt::format("{} launches take {} in all, of which {} ({:.0f} %) pass before their first blocks start: {}",
                  launches, readable_seconds(small), readable_seconds(overhead), 100 * overhead / small, names);
  finding.cure =
      "Fuse kernels that follow each other, let one launch do several steps (a loop in the kernel, with a grid-wide "
      "barrier where steps depend on each other), or record the launches in a graph, which also saves the host's part. "
      "The gain is that of one launch for all of them.";
  finding.sketch = {"cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);", "... the launches of one step ...",
                    "cudaStreamEndCapture(stream, &graph);  // then cudaGraphLaunch(executable, stream)"};
  const double saved = overhead * double(launches - 1) / double(launches);
  finding.gain = Gain{all / (all - saved), launches, launches};
  finding.evidence = {{"launches", double(launches), "launch"}, {"launch_overhead", 100 * overhead / all, "%"}};
  return finding;
}

}  // namespace drywarp::advice
