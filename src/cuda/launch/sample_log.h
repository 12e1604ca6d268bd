// Writes down, for `drywarp explain access app.cu:LINE`, the costliest access of every memory instruction while a
// program runs: a line "launch sample" each time that a launch has a costlier one than all launches of that kernel
// before it.
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
  // `path`: empty: nothing is wanted. `complain` gets a sentence if the file cannot be written.
  SampleLog(const std::string& path, const std::function<void(const std::string&)>& complain);
  [[nodiscard]] bool wanted() const { return file_.is_open(); }
  // Call once for every launch, in order of issue; `samples` may be null.
  void add(const KernelInfo& kernel, const std::vector<AccessSample>* samples);

 private:
  std::ofstream file_;
  uint64_t launches_ = 0;
  std::map<std::tuple<std::string, uint32_t, drywarp::Memory>, uint32_t> known_;  // units, by kernel and instruction
};

}  // namespace drywarp::cuda
