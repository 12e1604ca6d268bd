#include "faces/grade/output.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <regex>

namespace drywarp::grade {
namespace {

constexpr size_t kShown = 60;  // characters

// The bytes of the UTF-8 character that begins the text; 0: there is none, or it is not printable.
size_t character(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  struct Form {
    uint8_t mask, lead;
    uint32_t least;  // code point: a longer form than needed is invalid
  };
  constexpr std::array<Form, 3> kForms = {{{0xe0, 0xc0, 0xa0}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}}};
  for (size_t i = 0; i < kForms.size(); ++i) {
    const size_t length = i + 2;
    if ((first & kForms[i].mask) != kForms[i].lead || text.size() < length) continue;
    uint32_t point = first & static_cast<uint8_t>(~kForms[i].mask);
    for (size_t k = 1; k < length; ++k) {
      const auto next = static_cast<uint8_t>(text[k]);
      if ((next & 0xc0) != 0x80) return 0;
      point = point << 6 | (next & 0x3f);
    }
    const bool surrogate = point >= 0xd800 && point < 0xe000;
    return point >= kForms[i].least && point <= 0x10ffff && !surrogate ? length : 0;
  }
  return 0;
}

// Takes the first line from `rest`, without blanks at its end; none: only blank lines are left.
std::optional<std::string_view> next_line(std::string_view& rest) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  if (rest.find_first_not_of(kBlank) == std::string_view::npos) return std::nullopt;
  const size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  const size_t last = line.find_last_not_of(kBlank);
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

std::string shown(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0, seen = 0; at < text.size(); ++seen) {
    if (seen == kShown) return out + "\"...";
    const std::string_view rest = text.substr(at);
    const size_t length = character(rest);
    if (length != 0)
      out += rest.substr(0, length);
    else if (rest[0] == '\n')
      out += "\\n";
    else
      out += fmt::format("\\x{:02x}", static_cast<uint8_t>(rest[0]));
    at += length == 0 ? 1 : length;
  }
  return out + '"';
}

std::optional<Difference> first_difference(std::string_view expected, std::string_view found) {
  const auto text = [](std::optional<std::string_view> line) {
    return line ? std::optional<std::string>(*line) : std::nullopt;
  };
  for (size_t number = 1;; ++number) {
    const auto a = next_line(expected), b = next_line(found);
    if (!a && !b) return std::nullopt;
    if (a != b) return Difference{number, text(a), text(b)};
  }
}

bool some_line_matches(std::string_view output, const std::string& pattern) {
  try {
    const std::regex wanted(pattern, std::regex::ECMAScript);
    while (const auto line = next_line(output)) {
      const std::string_view part = line->substr(0, kLongestLine);
      if (std::regex_search(part.begin(), part.end(), wanted)) return true;
    }
  } catch (const std::regex_error&) {  // too complex for this line
  }
  return false;
}

}  // namespace drywarp::grade
