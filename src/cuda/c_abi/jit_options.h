// The options of calls that load code at run time: log buffers and a wall time. Options for machine code (registers,
// optimisation, target) are ignored: there is no machine code.
#pragma once

#include <chrono>
#include <string>

#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {

class JitOptions {
 public:
  // `names`: CUjit_option's numbers, which are cudaJitOption's. The lists must outlive this.
  JitOptions(unsigned count, const int* names, void** values) : count_(count), names_(names), values_(values) {}
  [[nodiscard]] bool valid() const { return count_ == 0 || (names_ && values_); }
  // Fills the program's log buffers and the wall time.
  void write_logs(const std::string& info, const std::string& errors) const;

 private:
  void** value_of(int name) const;
  void write(int buffer, int size, const std::string& text) const;

  unsigned count_;
  const int* names_;
  void** values_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace drywarp::cudart
