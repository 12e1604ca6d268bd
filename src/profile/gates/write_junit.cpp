#include <fmt/format.h>
#include <fmt/ostream.h>

#include <map>
#include <ostream>
#include <vector>

#include "profile/gates/writers.h"

namespace drywarp::gates {
namespace {

// XML 1.0 has no control characters but these three, not even escaped.
std::string xml(const std::string& text) {
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

void write_failures(std::ostream& out, const Expectation& e, const std::vector<const Finding*>& broken) {
  std::string text;
  for (const Finding* f : broken) {
    text += fmt::format("{}: {}\n", launches_text(*f), message(e, *f));
    for (const Place& p : f->places)
      if (p.line != 0)
        text += fmt::format("  {}:{}{}  {}\n", p.file, p.line, p.value ? ": " + value_text(e, *p.value) : "", p.source);
  }
  fmt::print(out, "      <failure message=\"{}\" type=\"expectation\">{}</failure>\n", xml(message(e, *broken.front())),
             xml(text));
}

}  // namespace

void write_junit(std::ostream& out, std::span<const Outcome> outcomes, const std::string& program) {
  using Case = std::pair<const Outcome*, std::vector<const Finding*>>;  // with what is broken
  std::vector<Case> cases;
  std::vector<std::string> kernels;
  size_t failures = 0;
  for (const Outcome& o : outcomes) {
    std::map<std::string, std::vector<const Finding*>> by_kernel;
    for (const Finding& f : o.findings) {
      auto& broken = by_kernel[f.kernel];
      if (!f.holds) broken.push_back(&f);
    }
    for (auto& [kernel, broken] : by_kernel) {
      failures += !broken.empty();
      kernels.push_back(kernel);
      cases.emplace_back(&o, std::move(broken));
    }
  }
  fmt::print(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{0}\" failures=\"{1}\">\n"
             "  <testsuite name=\"drywarp: {2}\" tests=\"{0}\" failures=\"{1}\" errors=\"0\" skipped=\"0\">\n",
             cases.size(), failures, xml(program));
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto& [outcome, broken] = cases[i];
    const Expectation& e = outcome->expectation;
    const std::string name = e.title.empty() ? e.full_text() : fmt::format("{}: {}", e.title, e.full_text());
    fmt::print(out, "    <testcase classname=\"{}\" name=\"{}\"{}\n", xml(kernels[i]), xml(name),
               broken.empty() ? "/>" : ">");
    if (broken.empty()) continue;
    write_failures(out, e, broken);
    fmt::print(out, "    </testcase>\n");
  }
  fmt::print(out, "  </testsuite>\n</testsuites>\n");
}

}  // namespace drywarp::gates
