#include "faces/profilers/nvprof/kernel_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

#include "faces/profilers/nvprof/timeline.h"

namespace drywarp::profilers::nvprof {
namespace {

std::optional<std::regex> pattern(const std::string& text) {
  try {
    return std::regex(text, std::regex::ECMAScript);
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

}  // namespace

bool KernelPath::Part::matches(uint64_t value, const std::string& name) const {
  if (number) return *number == value;
  return !pattern || std::regex_search(name, *pattern);
}

Result<KernelPath> KernelPath::parse(const std::string& text) {
  const auto part_of = [&](const std::string& word, Part& part) -> Status {
    if (word.empty()) return {};
    uint64_t number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem == std::errc{} && end == word.data() + word.size()) return part.number = number, Status();
    if ((part.pattern = pattern(word))) return {};
    return error(fmt::format("--kernels {}: '{}' is neither a number nor a regular expression", text, word),
                 "context:stream:kernel:invocation, or a kernel's name");
  };
  KernelPath path;
  path.text_ = path.kernel_ = text;
  constexpr size_t kParts = 4;
  // A name may have colons of its own, but never a single one.
  if (const auto parts = split(text); parts.size() == kParts) {
    path.kernel_ = parts[2];
    for (const auto& [word, part] : {std::pair(&parts[0], &path.context_), std::pair(&parts[1], &path.stream_),
                                     std::pair(&parts[3], &path.invocation_)})
      if (Status status = part_of(*word, *part); !status) return status.problem();
  }
  path.kernel_pattern_ = pattern(path.kernel_);
  return path;
}

bool KernelPath::matches(const std::string& name, unsigned stream, uint64_t invocation) const {
  const bool named =
      name.find(kernel_) != std::string::npos || (kernel_pattern_ && std::regex_search(name, *kernel_pattern_));
  return named && context_.matches(kContext, "") && stream_.matches(stream, "") &&
         invocation_.matches(invocation, std::to_string(invocation));
}

}  // namespace drywarp::profilers::nvprof
