// Which launches a user named: by the kernel's name, by their number, by NVTX ranges. The session filters with it while
// a program runs, and profilers a profile that is kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/events/kernel_name.h"
#include "base/support/result.h"

namespace drywarp {

// A stream as NVIDIA's profilers number it: 7 is the default stream, those that a program creates begin at 13.
[[nodiscard]] unsigned stream_number(uint32_t stream);

// A name as Nsight Compute takes it: exact, or "regex:EXPRESSION", which is searched for. Neither may be empty.
class NamePattern {
 public:
  static Result<NamePattern> parse(const std::string& text);
  [[nodiscard]] bool matches(const std::string& name) const;
  // The same as a regular expression that is searched for.
  [[nodiscard]] const std::string& expression() const { return expression_; }

 private:
  std::string expression_;
  std::regex pattern_;
};

// NVTX ranges that must be open at a launch: "A/B" is B somewhere inside A. A leading '[' or a trailing ']' says that
// the range is the outermost or the innermost. drywarp records no domains, so "Domain@" is not compared.
class RangePattern {
 public:
  static Result<RangePattern> parse(const std::string& text);
  [[nodiscard]] bool matches(const std::string& open_ranges) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<NamePattern> parts_;
  bool outermost_ = false, innermost_ = false;
};

// "context:stream:[regex:]kernel:invocation", as Nsight Compute's --kernel-id; an empty part is anything. A number of a
// context or a stream is compared. Other texts are regular expressions: those of the invocation match all its digits,
// those of contexts and streams are searched for in NVTX's names, of which drywarp records none.
class KernelId {
 public:
  static Result<KernelId> parse(const std::string& text);
  // `stream`: stream_number(). `invocation`: of the kernel, from 1.
  [[nodiscard]] bool matches(const std::string& name, unsigned stream, uint64_t invocation) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Part {
    std::optional<uint64_t> number;
    std::optional<std::regex> pattern;  // neither: anything
    [[nodiscard]] bool names(uint64_t value) const;
  };
  std::string text_;
  std::optional<NamePattern> kernel_;
  Part context_, stream_;
  std::optional<std::regex> invocation_;
};

struct LaunchFilter {
  std::optional<NamePattern> name;
  NameBase base = NameBase::Function;  // what `name` and `id` are compared with
  std::optional<KernelId> id;
  std::vector<RangePattern> include, exclude;
  // Launches that are skipped matching or not; then of those that match.
  uint64_t skip_before_match = 0, skip = 0, count = ~0ull;
};

// Applies a filter to launches in their order.
class LaunchSelector {
 public:
  explicit LaunchSelector(LaunchFilter filter) : filter_(std::move(filter)) {}
  // Call once for every launch. Of one that the filter takes, the number of its kernel's launches so far.
  [[nodiscard]] std::optional<uint64_t> takes(const KernelInfo& kernel, uint32_t stream,
                                              const std::string& open_ranges);

 private:
  [[nodiscard]] bool inside(const std::string& open_ranges) const;
  LaunchFilter filter_;
  uint64_t seen_ = 0, matching_ = 0;
  std::map<std::string, uint64_t> invocations_;  // by mangled name
};

}  // namespace drywarp
