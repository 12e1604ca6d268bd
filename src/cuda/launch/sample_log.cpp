#include "cuda/launch/sample_log.h"

#include <fmt/format.h>

namespace drywarp::cuda {

SampleLog::SampleLog(const std::string& path, const std::function<void(const std::string&)>& complain) {
  if (path.empty()) return;
  file_.open(path, std::ios::trunc);
  if (!file_) complain(fmt::format("drywarp: '{}' cannot be written", path));
}

void SampleLog::add(const KernelInfo& kernel, const std::vector<AccessSample>* samples) {
  const uint64_t launch = launches_++;
  if (!samples || !enabled()) return;
  for (const AccessSample& sample : *samples) {
    uint32_t& units = known_[{kernel.name, sample.access, sample.memory}];
    if (sample.units <= units) continue;
    units = sample.units;
    file_ << launch << ' ' << to_line(sample) << '\n';
  }
  file_.flush();
}

}  // namespace drywarp::cuda
