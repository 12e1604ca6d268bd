#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "profile/results/results.h"

namespace drywarp::results {

std::string xml_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      case '\t':
        escaped += "&#9;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  return escaped;
}

void write_junit(std::ostream& out, std::span<const TestCase> cases, const std::string& program) {
  const auto skipped = std::ranges::count_if(cases, [](const TestCase& c) { return c.skipped.has_value(); });
  const auto failures = std::ranges::count_if(cases, [](const TestCase& c) { return c.failure.has_value(); });
  fmt::print(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{0}\" failures=\"{1}\">\n"
             "  <testsuite name=\"drywarp: {2}\" tests=\"{0}\" failures=\"{1}\" errors=\"0\" skipped=\"{3}\">\n",
             cases.size(), failures, xml_text(program), skipped);
  for (const TestCase& c : cases) {
    fmt::print(out, "    <testcase classname=\"{}\" name=\"{}\"{}\n", xml_text(c.group), xml_text(c.name),
               c.failure || c.skipped ? ">" : "/>");
    if (c.skipped) fmt::print(out, "      <skipped message=\"{}\"/>\n    </testcase>\n", xml_text(*c.skipped));
    if (!c.failure) continue;
    fmt::print(out, "      <failure message=\"{}\" type=\"{}\">{}</failure>\n    </testcase>\n",
               xml_text(c.failure->message), xml_text(c.failure->type), xml_text(c.failure->text));
  }
  fmt::print(out, "  </testsuite>\n</testsuites>\n");
}

}  // namespace drywarp::results
