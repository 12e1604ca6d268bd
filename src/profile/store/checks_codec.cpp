#include "profile/store/checks_codec.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace drywarp::store {
namespace {

// "word rest of the line"
std::string_view take_word(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(line.size(), word.size() + 1));
  return word;
}

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

void put(std::string& text, const checks::Suppression& s, const char* word) {
  text += fmt::format("{} {} {} {}\nreason {}\n", word, s.in_source ? "source" : "file", s.where.line, s.where.file,
                      s.reason);
}

// Lines without a known word are of a newer drywarp.
class Reader {
 public:
  Status line(std::string_view text) {
    const std::string_view word = take_word(text);
    if (word == "tool") {
      if (const auto tool = parse_check_tool(text)) report_.tools.push_back(*tool);
    } else if (word == "launches") {
      report_.launches.checked = number(text).value_or(0);
    } else if (word == "cut") {
      report_.launches.cut = number(text).value_or(0);
    } else if (word == "lost") {
      report_.launches.lost = number(text).value_or(0);
    } else if (word == "root") {
      report_.root = text;
    } else if (word == "finding" || word == "suppressed") {
      Result<Finding> finding = parse_finding(text);
      if (!finding) return finding.problem();
      if (word == "finding")
        report_.findings.push_back(std::move(*finding));
      else
        report_.suppressed.push_back({std::move(*finding), {}});
    } else if (word == "by" && !report_.suppressed.empty()) {
      by_ = &report_.suppressed.back().by;
      return suppression(text);
    } else if (word == "unused") {
      by_ = &report_.unused.emplace_back();
      return suppression(text);
    } else if (word == "reason" && by_) {
      by_->reason = text;
    }
    return {};
  }
  checks::CheckReport take() { return std::move(report_); }

 private:
  Status suppression(std::string_view text) {
    by_->in_source = take_word(text) == "source";
    const auto line = number(take_word(text));
    if (!line || *line > ~uint32_t{0}) return error("malformed suppression");
    by_->where.line = static_cast<uint32_t>(*line);
    by_->where.file = text;
    return {};
  }

  checks::CheckReport report_;
  checks::Suppression* by_ = nullptr;
};

}  // namespace

std::string encode(const checks::CheckReport& report) {
  std::string text = fmt::format("launches {}\ncut {}\nlost {}\nroot {}\n", report.launches.checked,
                                 report.launches.cut, report.launches.lost, report.root);
  for (const CheckTool tool : report.tools) text += fmt::format("tool {}\n", name(tool));
  for (const Finding& f : report.findings) text += fmt::format("finding {}\n", to_line(f));
  for (const checks::Suppressed& s : report.suppressed) {
    text += fmt::format("suppressed {}\n", to_line(s.finding));
    put(text, s.by, "by");
  }
  for (const checks::Suppression& s : report.unused) put(text, s, "unused");
  return text;
}

Result<checks::CheckReport> decode_checks(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (Status status = reader.line(line); !status) return status.problem();
  }
  return reader.take();
}

}  // namespace drywarp::store
