#include "base/support/line_range.h"

#include <charconv>

namespace drywarp {

bool LineRange::contains(const std::string& path, uint32_t line) const {
  if (line < first || line > last || !path.ends_with(file)) return false;
  return path.size() == file.size() || path[path.size() - file.size() - 1] == '/';
}

std::optional<LineRange> parse_line_range(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  LineRange range;
  range.file = text.substr(0, colon);
  const char *at = text.data() + colon + 1, *end = text.data() + text.size();
  auto parsed = std::from_chars(at, end, range.first);
  range.last = range.first;
  if (parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == '-')
    parsed = std::from_chars(parsed.ptr + 1, end, range.last);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  if (range.first == 0 || range.last < range.first) return std::nullopt;
  return range;
}

}  // namespace drywarp
