// Which launches of a program are drawn: one of each kernel, about the longest. The choice depends only on modelled
// times, which are the same in every run, whether they are simulated or cached.
#pragma once

#include <map>

#include "base/events/counts.h"

namespace drywarp::cuda {

class Drawings {
 public:
  // `wanted`: whether any launch is drawn.
  explicit Drawings(bool wanted) : wanted_(wanted) {}

  [[nodiscard]] bool wanted() const { return wanted_; }
  // Whether a launch of the kernel that takes so long becomes its drawn launch: it is the first, or clearly longer than
  // the drawn one. Slightly longer launches would replace each other again and again.
  [[nodiscard]] bool take(const KernelInfo& kernel, double nanoseconds);

 private:
  static constexpr double kClearlyLonger = 1.25;

  bool wanted_;
  std::map<const KernelInfo*, double> drawn_;  // nanoseconds
};

}  // namespace drywarp::cuda
