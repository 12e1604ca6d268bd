// Checks of the program's calls (memcheck): those that fail, and what is wrong with them. The program sees the same
// errors as without. Callers hold the session's lock.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/events/finding.h"
#include "cuda/device/error.h"

namespace drywarp::cuda {

class CallChecks {
 public:
  using Found = std::function<void(const std::vector<Finding>&)>;
  // `errors`: calls that fail are findings, too, not only those that are explained.
  CallChecks(bool errors, Found found) : errors_(errors), found_(std::move(found)) {}

  // What is wrong with the call that is running: its kind, what it is, the allocation, another call. The first of a
  // call counts.
  void explain(Finding finding);
  void ended(const char* name, Error error);

 private:
  const bool errors_;
  const Found found_;
  std::optional<Finding> explained_;
};

}  // namespace drywarp::cuda
