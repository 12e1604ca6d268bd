// Copies between host and device that take longer than all kernels together.
#include <fmt/format.h>

#include <algorithm>

#include "base/support/plural.h"
#include "base/support/readable.h"
#include "profile/advice/run/run_rules.h"

namespace drywarp::advice {
namespace {

constexpr double kDominates = 1;  // times the kernels' time

std::string text_of(const CopiesOfRun& c, const char* where) {
  return fmt::format("{} to the {} {} {} in {}", plural(c.count, "copy"), where, c.count == 1 ? "moves" : "move",
                     readable_bytes(double(c.bytes)), readable_seconds(c.seconds));
}

}  // namespace

std::optional<Finding> copies_dominate(const RunFacts& facts) {
  const CopiesOfRun &in = facts.to_device, &out = facts.to_host;
  // A sum that lacks some of its parts says nothing of their order.
  if (facts.kernels.empty() || facts.launches_without_time != 0 || in.without_time + out.without_time != 0) return {};
  double kernels = 0;
  for (const KernelOfRun& k : facts.kernels) kernels += k.seconds;
  const double copies = in.seconds + out.seconds, all = kernels + copies;
  if (copies <= kDominates * kernels) return std::nullopt;
  Finding finding;
  finding.headline = fmt::format("copy less between host and device: {:.0f} % of the time", 100 * copies / all);
  if (in.count != 0) finding.observation += text_of(in, "device");
  if (out.count != 0) finding.observation += (in.count != 0 ? ", " : "") + text_of(out, "host");
  finding.observation += fmt::format("; the kernels take {}", readable_seconds(kernels));
  finding.cure = "Keep data on the device between kernels, copy only what changed, and join small copies.";
  const uint64_t pageable = in.pageable + out.pageable;
  if (pageable != 0)
    finding.cure += fmt::format(
        " Page-locked memory (cudaMallocHost, cudaHostRegister): {} of {} copies use other memory, which the host "
        "copies first: on an H100 such copies of 64 MB took 3.4 times as long.",
        pageable, in.count + out.count);
  const bool is_known = facts.whole_seconds > 0 && facts.pipelined_seconds > 0;
  if (is_known && facts.overlapped_percent > 0)
    finding.observation += fmt::format("; {:.0f} % of what could overlap does", facts.overlapped_percent);
  const double gain = is_known ? facts.whole_seconds / facts.pipelined_seconds : 0;
  if (is_known && gain >= kLeastGain) {
    finding.cure +=
        " Cut the work into parts and copy one in a stream of its own while a kernel works on another: the gain is "
        "that of eight parts in eight streams with no call that waits in between, if kernels do as well on a part.";
    finding.sketch = {"cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream[i]);",
                      "kernel<<<grid, block, 0, stream[i]>>>(...);"};
    finding.gain = Gain{gain, 0, 0};
  }
  // Without a time line: both directions and the kernels can run at the same time, each in its own engine.
  if (!is_known && in.in_other_streams + out.in_other_streams == 0) {
    finding.cure +=
        " Cut the work into parts and copy one in a stream of its own while a kernel works on another: the gain is "
        "that of full overlap.";
    finding.sketch = {"cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream[i]);",
                      "kernel<<<grid, block, 0, stream[i]>>>(...);"};
    finding.gain = Gain{all / std::max({kernels, in.seconds, out.seconds}), 0, 0};
  }
  finding.evidence = {{"copies", 1e6 * copies, "us"}, {"kernels", 1e6 * kernels, "us"}};
  return finding;
}

}  // namespace drywarp::advice
