// Checks of the program's calls (memcheck): those that fail, and what is wrong with them. The program sees the same
// errors as without. Callers hold the session's lock.
#pragma once

#include <cstdint>
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
  enum class Errors : uint8_t {
    Explained,  // only calls that explain() says something of are findings
    First,      // calls that fail, too
    Passed,     // also those that give an earlier call's or kernel's error: cudaGetLastError, and all behind a fault
  };
  CallChecks(Errors errors, Found found) : errors_(errors), found_(std::move(found)) {}

  // What is wrong with the call that is running: its kind, what it is, the allocation, another call. The first of a
  // call counts.
  void explain(Finding finding);
  void ended(const char* name, Error error);
  // A call that asks for the last error is given this one.
  void gave(const char* name, Error error);
  // Launches that failed with an earlier kernel's error, and never ran.
  [[nodiscard]] uint64_t lost_launches() const { return lost_launches_; }

 private:
  const Errors errors_;
  const Found found_;
  std::optional<Finding> explained_;
  bool faulted_ = false;  // a call has given a kernel's error
  uint64_t lost_launches_ = 0;
};

}  // namespace drywarp::cuda
