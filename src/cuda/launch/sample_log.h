// Logs the costliest access of every memory instruction for `drywarp explain access app.cu:LINE`. It writes a line
// "launch sample" when a launch has a costlier access than all earlier launches of that kernel.
#pragma once

#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/events/access_sample.h"

namespace drywarp::cuda {

class SampleLog {
 public:
  // `path`: empty: disabled. `complain` gets a message if the file cannot be written.
  SampleLog(const std::string& path, const std::function<void(const std::string&)>& complain);
  [[nodiscard]] bool enabled() const { return file_.is_open(); }
  // Call once for every launch, in order of issue; `samples` may be null.
  void add(const KernelInfo& kernel, const std::vector<AccessSample>* samples);

 private:
  std::ofstream file_;
  uint64_t launches_ = 0;
  std::map<std::tuple<std::string, uint32_t, drywarp::Memory>, uint32_t> known_;  // units, by kernel and instruction
};

}  // namespace drywarp::cuda
