// What --kernels names: "kernel", or "context:stream:kernel:invocation", each part a number, a regular expression or
// empty.
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>

#include "base/support/result.h"

namespace drywarp::profilers::nvprof {

class KernelPath {
 public:
  static Result<KernelPath> parse(const std::string& text);
  // `name`: demangled. `stream`: by nvprof's number. `invocation`: of the kernel, from 1.
  [[nodiscard]] bool matches(const std::string& name, unsigned stream, uint64_t invocation) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  // A number is compared, anything else is searched for: in the name that NVTX gave a context or a stream, of which
  // profiles have none, or in the digits of the invocation.
  struct Part {
    std::optional<uint64_t> number;
    std::optional<std::regex> pattern;  // neither: anything
    [[nodiscard]] bool matches(uint64_t value, const std::string& name) const;
  };
  std::string text_, kernel_;
  std::optional<std::regex> kernel_pattern_;
  Part context_, stream_, invocation_;
};

}  // namespace drywarp::profilers::nvprof
