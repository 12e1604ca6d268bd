#include <fmt/format.h>

#include <charconv>

#include "sweep/space/space.h"

namespace drywarp::sweep {
namespace {

std::optional<int64_t> integer(std::string_view text) {
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "A..B", "A..B+STEP", "A..B*FACTOR"; nullopt: no range.
struct Range {
  int64_t first = 0, last = 0, step = 1;
  bool multiplies = false;
};
std::optional<Range> parse_range(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(dots + 2);
  Range range;
  if (const size_t op = rest.find_first_of("+*"); op != std::string_view::npos) {
    const auto step = integer(rest.substr(op + 1));
    if (!step) return std::nullopt;
    range.step = *step, range.multiplies = rest[op] == '*';
    rest = rest.substr(0, op);
  }
  const auto first = integer(text.substr(0, dots)), last = integer(rest);
  if (!first || !last) return std::nullopt;
  range.first = *first, range.last = *last;
  return range;
}

Status append(const Range& range, std::string_view text, std::vector<Value>& values) {
  const bool grows = range.multiplies ? range.step > 1 && range.first > 0 : range.step > 0;
  if (!grows || range.first > range.last)
    return error(fmt::format("'{}' is an empty range", text), "ranges grow: 1..8, 16..64+16, 32..256*2");
  for (int64_t v = range.first; v <= range.last;) {
    if (values.size() == kMostValues)
      return error(fmt::format("'{}' has more than {} values", text, kMostValues), "use a larger step");
    values.push_back(value_of(std::to_string(v)));
    int64_t next = 0;
    if (range.multiplies ? __builtin_mul_overflow(v, range.step, &next) : __builtin_add_overflow(v, range.step, &next))
      break;
    v = next;
  }
  return {};
}

}  // namespace

Value value_of(std::string_view text, std::string_view label) {
  return {std::string(text), std::string(label.empty() ? text : label), integer(text)};
}

Result<std::vector<Value>> parse_values(std::string_view text) {
  std::vector<Value> values;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view one = trimmed(text.substr(begin, end - begin));
    if (one.empty()) return error(fmt::format("'{}' has an empty value", text), "values are separated by commas");
    if (const auto range = parse_range(one)) {
      if (Status status = append(*range, one, values); !status) return status.problem();
    } else {
      values.push_back(value_of(one));
    }
    begin = end + 1;
  }
  return values;
}

}  // namespace drywarp::sweep
