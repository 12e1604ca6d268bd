#include "base/events/launch_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

namespace drywarp {
namespace {

constexpr std::string_view kNameRegex = "regex:";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::vector<std::string> split_ranges(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, '/');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

std::optional<std::regex> regular(const std::string& text) {
  try {
    return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

// Letters match no number, save those of classes: \d.
bool has_letters(const std::string& pattern) {
  for (size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] == '\\')
      ++i;
    else if (std::isalpha(static_cast<unsigned char>(pattern[i])) != 0)
      return true;
  return false;
}

}  // namespace

unsigned stream_number(uint32_t stream) {
  constexpr unsigned kDefault = 7, kFirstCreated = 13;
  return stream == 0 ? kDefault : kFirstCreated - 1 + stream;
}

Result<NamePattern> NamePattern::parse(const std::string& text) {
  NamePattern made;
  if (text.empty() || text == kNameRegex)
    return error(fmt::format("'{}' is no name: it is empty", text), "a name, or regex:.* for all");
  made.expression_ = text.starts_with(kNameRegex) ? text.substr(kNameRegex.size()) : "^" + escaped(text) + "$";
  try {
    made.pattern_ = std::regex(made.expression_, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& problem) {
    return error(fmt::format("'{}' is not a regular expression: {}", text, problem.what()),
                 ".* matches anything, and \\( a parenthesis");
  }
  return made;
}

bool NamePattern::matches(const std::string& name) const { return std::regex_search(name, pattern_); }

Result<RangePattern> RangePattern::parse(const std::string& text) {
  RangePattern made;
  made.text_ = text;
  std::string ranges = text.substr(text.find('@') == std::string::npos ? 0 : text.find('@') + 1);
  made.outermost_ = ranges.starts_with('[');
  made.innermost_ = ranges.ends_with(']');
  if (made.outermost_) ranges.erase(0, 1);
  if (made.innermost_ && !ranges.empty()) ranges.pop_back();
  for (const std::string& part : split_ranges(ranges)) {
    Result<NamePattern> pattern = NamePattern::parse(part);
    if (!pattern) return pattern.problem();
    made.parts_.push_back(std::move(*pattern));
  }
  if (made.parts_.empty()) return error(fmt::format("'{}' names no NVTX range", text), "\"Range A\", \"Range A/\"");
  return made;
}

bool RangePattern::matches(const std::string& open_ranges) const {
  const std::vector<std::string> open = split_ranges(open_ranges);
  if (open.empty() || (outermost_ && !parts_.front().matches(open.front())) ||
      (innermost_ && !parts_.back().matches(open.back())))
    return false;
  auto at = open.begin();
  for (const NamePattern& part : parts_) {
    at = std::find_if(at, open.end(), [&](const std::string& name) { return part.matches(name); });
    if (at == open.end()) return false;
    ++at;
  }
  return true;
}

bool KernelId::Part::names(uint64_t value) const {
  if (number) return *number == value;
  return !pattern || std::regex_search("", *pattern);
}

Result<KernelId> KernelId::parse(const std::string& text) {
  KernelId made;
  made.text_ = text;
  // A demangled name has colons of its own: the kernel is all between the second colon and the last.
  const size_t first = text.find(':'), second = first == std::string::npos ? first : text.find(':', first + 1);
  const size_t last = text.rfind(':');
  const char* form = "context:stream:[regex:]kernel:invocation, as in ::transpose:2";
  if (second == std::string::npos || last <= second)
    return error(fmt::format("'{}' is no kernel's identifier: it has fewer than four parts", text), form);
  const auto part = [&](const std::string& word, Part& to) {
    if (word.empty()) return true;
    uint64_t number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem == std::errc{} && end == word.data() + word.size()) return to.number = number, true;
    return (to.pattern = regular(word)).has_value();
  };
  const std::string context = text.substr(0, first), stream = text.substr(first + 1, second - first - 1);
  const std::string kernel = text.substr(second + 1, last - second - 1), invocation = text.substr(last + 1);
  for (const auto& [word, to] : {std::pair(&context, &made.context_), std::pair(&stream, &made.stream_)})
    if (!part(*word, *to))
      return error(fmt::format("'{}': '{}' is neither a number nor a regular expression", text, *word), form);
  if (!kernel.empty()) {
    Result<NamePattern> name = NamePattern::parse(kernel);
    if (!name) return name.problem();
    made.kernel_ = std::move(*name);
  }
  if (!invocation.empty() && (has_letters(invocation) || !(made.invocation_ = regular(invocation))))
    return error(fmt::format("'{}': the invocation '{}' is no regular expression of numbers", text, invocation), form);
  return made;
}

bool KernelId::matches(const std::string& name, unsigned stream, uint64_t invocation) const {
  constexpr uint64_t kContext = 1;  // the only one
  return context_.names(kContext) && stream_.names(stream) && (!kernel_ || kernel_->matches(name)) &&
         (!invocation_ || std::regex_match(std::to_string(invocation), *invocation_));
}

bool LaunchSelector::inside(const std::string& open_ranges) const {
  const auto open = [&](const RangePattern& p) { return p.matches(open_ranges); };
  return (filter_.include.empty() || std::ranges::any_of(filter_.include, open)) &&
         std::ranges::none_of(filter_.exclude, open);
}

std::optional<uint64_t> LaunchSelector::takes(const KernelInfo& kernel, uint32_t stream,
                                              const std::string& open_ranges) {
  const uint64_t invocation = ++invocations_[kernel.name];
  if (seen_++ < filter_.skip_before_match) return std::nullopt;
  const std::string name = filter_.name || filter_.id ? name_by(filter_.base, kernel) : "";
  if (filter_.name && !filter_.name->matches(name)) return std::nullopt;
  if (filter_.id && !filter_.id->matches(name, stream_number(stream), invocation)) return std::nullopt;
  if (!inside(open_ranges)) return std::nullopt;
  const uint64_t index = matching_++;
  if (index < filter_.skip || index - filter_.skip >= filter_.count) return std::nullopt;
  return invocation;
}

}  // namespace drywarp
