// A program's output, which may be anything: compared by lines, and shown in messages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace drywarp::grade {

// For a message: in quotes, with \n and \x1b for what is not printable, and cut. Always valid UTF-8.
[[nodiscard]] std::string shown(std::string_view text);

// The first line in which two outputs differ. Blanks at the end of a line, and empty lines at the end of the output, do
// not count.
struct Difference {
  size_t line = 0;                             // from 1
  std::optional<std::string> expected, found;  // none: the output has ended
};
[[nodiscard]] std::optional<Difference> first_difference(std::string_view expected, std::string_view found);

// Whether a line contains a match of the regular expression (ECMAScript). A line is cut at kLongestLine bytes:
// std::regex needs stack for each.
inline constexpr size_t kLongestLine = 2000;
[[nodiscard]] bool some_line_matches(std::string_view output, const std::string& pattern);

}  // namespace drywarp::grade
