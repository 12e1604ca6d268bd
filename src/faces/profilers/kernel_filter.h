// Which launches a user named: by the kernel's name, by their number, by NVTX ranges.
#pragma once

#include <cstdint>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/events/kernel_name.h"
#include "base/support/result.h"
#include "profile/record/profile.h"

namespace drywarp::profilers {

// A name as Nsight Compute takes it: exact, or "regex:EXPRESSION", which is searched for.
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

 private:
  std::vector<NamePattern> parts_;
  bool outermost_ = false, innermost_ = false;
};

struct KernelFilter {
  std::string name;  // of NamePattern; empty: every kernel
  NameBase base = NameBase::Function;
  uint64_t skip_before_match = 0, skip = 0, count = ~0ull;
  std::vector<RangePattern> include, exclude;

  [[nodiscard]] bool by_ranges() const { return !include.empty() || !exclude.empty(); }
  // The counted launches that the filter leaves, as indices into the profile's.
  [[nodiscard]] std::vector<size_t> choose(const record::Profile& profile) const;
};

}  // namespace drywarp::profilers
