// What to change in a kernel, the largest gain first.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "profile/report/model/numbers.h"
#include "profile/report/writers/writers.h"

namespace drywarp::report {
namespace {

constexpr size_t kLinesOfAdvice = 3;
constexpr size_t kIndent = 5;

std::string place_of(const advice::EvidenceLine& line) {
  const size_t slash = line.file.rfind('/');
  return fmt::format("{}:{}", slash == line.file.npos ? line.file : line.file.substr(slash + 1), line.line);
}

// ": ~1.9x"; nothing without an estimate.
std::string gain_text(const advice::Advice& advice) {
  if (!advice.gain) return "";
  return advice.is_worth_it() ? fmt::format(": ~{:.2f}x", advice.gain->factor) : ": ~no gain";
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string line_text(const advice::EvidenceLine& line) {
  std::string text = place_of(line) + ": ";
  if (line.excess_share) text += percent(*line.excess_share) + " of the excess, ";
  if (line.total_share) text += fmt::format("{} of all {}; ", percent(*line.total_share), line.of);
  return text + line.what;
}

void write_one(std::ostream& out, size_t number, const advice::Advice& advice, const ReportOptions& options) {
  const Style style{options.colour};
  const size_t room = options.width == 0 ? ~size_t{0} : options.width;
  const auto write = [&](const std::string& text) { write_indented(out, text, kIndent, options.width); };
  out << style.bold(cut(fmt::format("  {}. {}{}", number, advice.finding.headline, gain_text(advice)), room)) << '\n';
  write(advice.finding.observation);
  if (!advice.finding.cure.empty()) write(advice.finding.cure);
  for (const std::string& code : advice.finding.sketch) out << cut(std::string(kIndent + 2, ' ') + code, room) << '\n';
  const size_t shown = std::min(advice.finding.lines.size(), kLinesOfAdvice);
  for (size_t i = 0; i < shown; ++i) write(line_text(advice.finding.lines[i]));
  if (advice.gain && advice.gain->launches < advice.gain->all_launches)
    write(fmt::format("The gain is that of {} of {} launches.", advice.gain->launches, advice.gain->all_launches));
  if (!advice.finding.explain.empty() && shown != 0)
    write(fmt::format("More: drywarp explain {} {}", advice.finding.explain, place_of(advice.finding.lines.front())));
}

}  // namespace

std::string first_advice(const KernelModel& kernel) {
  if (kernel.advice.empty() || !kernel.advice.front().is_worth_it()) return {};
  const advice::Advice& advice = kernel.advice.front();
  std::string text = advice.gain ? fmt::format("~{:.2f}x  ", advice.gain->factor) : std::string();
  if (!advice.finding.lines.empty()) text += place_of(advice.finding.lines.front()) + ": ";
  return text + advice.finding.headline;
}

void write_advice(std::ostream& out, const KernelModel& kernel, size_t most, const ReportOptions& options) {
  std::vector<const advice::Advice*> shown;
  for (const advice::Advice& advice : kernel.advice)
    if (advice.is_worth_it() || most == ~size_t{0}) shown.push_back(&advice);
  if (shown.empty()) return;
  const Style style{options.colour};
  out << "  " << style.bold("Advice (gains are modelled)") << '\n';
  for (size_t i = 0; i < std::min(most, shown.size()); ++i) write_one(out, i + 1, *shown[i], options);
  if (shown.size() > most)
    write_indented(out, fmt::format("... and {} more: --details", shown.size() - most), kIndent, options.width);
}

}  // namespace drywarp::report
