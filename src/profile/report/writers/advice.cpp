// What to change in a kernel, the largest gain first.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <tuple>

#include "profile/report/model/numbers.h"
#include "profile/report/writers/text.h"

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

// The item of the checklist that the advice serves, and its benefits.
std::string item_text(const advice::ItemText& item) {
  std::string text = fmt::format("Checklist: {}", item.title);
  if (!item.compute.empty()) text += fmt::format("; compute: {}", item.compute);
  if (!item.memory.empty()) text += fmt::format("; memory: {}", item.memory);
  return text + ".";
}

// `in_full`: with what the first page leaves out. `earlier`: the number of an advice whose gain is of the same
// re-timing.
void write_one(std::ostream& out, size_t number, const advice::Advice& advice, std::optional<size_t> earlier,
               bool in_full, const ReportOptions& options) {
  const Style style{options.colour};
  const size_t room = options.width == 0 ? ~size_t{0} : options.width;
  const auto write = [&](const std::string& text) { write_indented(out, text, kIndent, options.width); };
  out << style.bold(cut(fmt::format("  {}. {}{}", number, advice.finding.headline, gain_text(advice)), room)) << '\n';
  write(advice.finding.observation);
  if (!advice.finding.cure.empty()) write(advice.finding.cure);
  for (const std::string& code : advice.finding.sketch) out << cut(std::string(kIndent + 2, ' ') + code, room) << '\n';
  const size_t shown = in_full ? advice.finding.lines.size() : std::min(advice.finding.lines.size(), kLinesOfAdvice);
  for (size_t i = 0; i < shown; ++i) write(line_text(advice.finding.lines[i]));
  const bool says_why = in_full || advice.rule->scenario;
  if (advice.at_most && !advice.gain)
    write(fmt::format("Gain: at most ~{:.2f}x, by the load of the busiest unit{}{}.", *advice.at_most,
                      says_why ? "; " : "", says_why ? advice.not_estimated : ""));
  if (advice.gain && advice.gain->launches < advice.gain->all_launches)
    write(fmt::format("The gain is that of {} of {} launches.", advice.gain->launches, advice.gain->all_launches));
  if (!advice.gain && !advice.at_most && says_why) write("Gain: not estimated; " + advice.not_estimated + ".");
  if (earlier) write(fmt::format("Its gain is that of {} and {} together.", *earlier, number));
  if (in_full) {
    write(item_text(advice::text(advice.rule->item)));
    write(fmt::format("Threshold: {}.", advice.rule->source));
  }
  if (!advice.finding.explain.empty() && shown != 0)
    write(fmt::format("More: drywarp explain {} {}", advice.finding.explain, place_of(advice.finding.lines.front())));
}

// What a reader may look for, and what it would gain: nothing.
std::string without_gain(const std::vector<advice::Advice>& advices) {
  std::vector<std::string> all;
  for (const advice::Advice& advice : advices) {
    if (advice.is_worth_it()) continue;
    const auto& [lines, said] = std::tie(advice.finding.lines, advice.finding.without_gain);
    const std::string& what = said.empty() ? advice.finding.headline : said;
    all.push_back(lines.empty() ? what : fmt::format("{} ({})", what, place_of(lines.front())));
  }
  return all.empty() ? "" : fmt::format("Gains nothing here: {}. --details says more.", fmt::join(all, "; "));
}

// How near a kernel is to a limit of the device; empty: not near, or not known.
std::string little_to_gain(const KernelModel& kernel) {
  if (!kernel.time || !kernel.time->limiter || !kernel.time->limiter->saturated) return {};
  const sm::Summary& s = kernel.time->summary;
  return fmt::format("Little to gain here: {} is at {:.0f} % of the device's limit. Only less work makes it faster.",
                     s.memory_pct >= s.sm_pct ? "memory" : "computation", std::max(s.memory_pct, s.sm_pct));
}

void write_all(std::ostream& out, const std::vector<advice::Advice>& all, const std::string& at_limit,
               std::optional<size_t> most, const ReportOptions& options) {
  std::vector<const advice::Advice*> shown;
  bool worth_it = false;
  for (const advice::Advice& advice : all) {
    worth_it = worth_it || advice.is_worth_it();
    if (advice.is_worth_it() || !most) shown.push_back(&advice);
  }
  const std::string nothing = most ? without_gain(all) : std::string(), limit = worth_it ? std::string() : at_limit;
  if (shown.empty() && nothing.empty() && limit.empty()) return;
  const Style style{options.colour};
  out << "  " << style.bold("Advice (gains are modelled)") << '\n';
  const size_t count = std::min(most.value_or(shown.size()), shown.size());
  for (size_t i = 0; i < count; ++i) {
    std::optional<size_t> earlier;
    for (size_t k = 0; k < i && !earlier; ++k)
      if (shown[i]->gain && shown[i]->rule->scenario && shown[k]->rule->scenario == shown[i]->rule->scenario)
        earlier = k + 1;
    write_one(out, i + 1, *shown[i], earlier, !most, options);
  }
  if (shown.size() > count)
    write_indented(out, fmt::format("... and {} more: --details", shown.size() - count), kIndent, options.width);
  for (const std::string& text : {limit, nothing})
    if (!text.empty()) write_indented(out, text, kIndent, options.width);
}

}  // namespace

std::string first_advice(const KernelModel& kernel) {
  if (kernel.advice.empty() || !kernel.advice.front().is_worth_it()) return {};
  const advice::Advice& advice = kernel.advice.front();
  std::string text = advice.gain ? fmt::format("~{:.2f}x  ", advice.gain->factor) : std::string();
  if (!advice.finding.lines.empty()) text += place_of(advice.finding.lines.front()) + ": ";
  return text + advice.finding.headline;
}

void write_advice(std::ostream& out, const KernelModel& kernel, std::optional<size_t> most,
                  const ReportOptions& options) {
  write_all(out, kernel.advice, little_to_gain(kernel), most, options);
}

void write_run_advice(std::ostream& out, const ReportModel& model, std::optional<size_t> most,
                      const ReportOptions& options) {
  if (model.advice.empty()) return;
  out << '\n' << Style{options.colour}.bold("The whole run") << '\n';
  write_all(out, model.advice, {}, most, options);
}

}  // namespace drywarp::report
