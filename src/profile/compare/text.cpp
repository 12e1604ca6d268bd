// The comparison for people. Profiles are columns a, b, c ...
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "profile/compare/writers.h"
#include "profile/report/model/numbers.h"
#include "profile/report/writers/layout.h"

namespace drywarp::compare {
namespace {

using report::Table;
using enum Table::Align;

constexpr unsigned kNameWidth = 22, kWidth = 80;

std::string letter(size_t profile) {
  return profile < 26 ? std::string(1, char('a' + profile)) : fmt::format("p{}", profile + 1);
}

std::string seconds_text(std::optional<double> seconds) { return seconds ? report::readable_seconds(*seconds) : "n/a"; }
std::string value_text(std::optional<double> value, std::string_view unit) {
  if (!value) return "n/a";
  return report::scales(unit) ? report::readable_value(value, unit) : report::readable(*value);
}

// Without parameters, and "old -> new" where the name changed.
std::string kernel_text(const ComparedKernel& kernel) {
  std::vector<std::string> names;
  for (const report::KernelModel* k : kernel.kernels)
    if (k && std::ranges::find(names, without_parameters(k->name)) == names.end())
      names.push_back(without_parameters(k->name));
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " -> ") + name;
  return text;
}

std::string speedup_text(std::optional<double> speedup, Judgement judgement) {
  if (!speedup) return "n/a";
  return judgement == Judgement::Same ? "same" : fmt::format("{:.2f}x", *speedup);
}

std::vector<Table::Align> columns(size_t left, size_t right, size_t last_left) {
  std::vector<Table::Align> aligns(left, Left);
  aligns.insert(aligns.end(), right, Right);
  aligns.insert(aligns.end(), last_left, Left);
  return aligns;
}

class Writer {
 public:
  Writer(std::ostream& out, const Comparison& c, const WriteOptions& o)
      : out_(out), c_(c), options_(o), style_{o.colour}, count_(c.profiles.size()) {}

  void write() {
    profiles();
    overview();
    run_advice();
    for (const ComparedKernel& kernel : c_.kernels)
      if (kernel.kernels[0]) details(kernel);
  }

 private:
  void profiles() {
    Table table({Left, Left, Left, Left}, 0, kWidth);
    table.head({"", "profile", "device", "program"});
    bool same_device = true;
    for (size_t p = 0; p < count_; ++p) {
      const record::Profile& profile = *c_.profiles[p].profile;
      table.row({letter(p), c_.profiles[p].name, profile.device, profile.program});
      same_device = same_device && profile.device == c_.profiles[0].profile->device;
      if (!profile.complete) unfinished_ += fmt::format("{}{}", unfinished_.empty() ? "" : ", ", letter(p));
    }
    table.print(out_, style_);
    if (!same_device) out_ << "The devices differ: so do their times.\n";
    if (!unfinished_.empty()) out_ << fmt::format("Interrupted, so not whole: {}.\n", unfinished_);
  }

  // A line a kernel: its time in each profile, the speed-ups, and the limiter.
  void overview() {
    out_ << "\nTimes are modelled, the mean of a launch; the speed-up is over a.\n";
    Table table(columns(1, 2 * count_ - 1, count_ == 2 ? 1 : 0), 0, count_ == 2 ? kWidth : 0);
    std::vector<std::string> head = {"kernel"};
    for (size_t p = 0; p < count_; ++p) {
      head.push_back(letter(p));
      if (p != 0) head.emplace_back("speed-up");
    }
    if (count_ == 2) head.emplace_back("limiter");  // of more profiles, the kernels' own parts say it
    table.head(head);
    for (const ComparedKernel& kernel : c_.kernels) {
      std::vector<std::string> cells = {report::cut(kernel_text(kernel), kNameWidth)};
      for (size_t p = 0; p < count_; ++p) {
        cells.push_back(kernel.kernels[p] ? seconds_text(kernel.seconds.values[p]) : "-");
        if (p != 0)
          cells.push_back(kernel.kernels[p] && kernel.kernels[0]
                              ? speedup_text(kernel.speedups[p], kernel.seconds.judgements[p])
                              : "-");
      }
      if (count_ == 2) cells.push_back(limiters(kernel));
      table.row(cells);
    }
    if (c_.kernels.size() > 1 && c_.seconds.values[0]) {
      std::vector<std::string> cells = {"all launches"};
      for (size_t p = 0; p < count_; ++p) {
        const std::optional<double>&first = c_.seconds.values[0], &now = c_.seconds.values[p];
        cells.push_back(seconds_text(now));
        if (p != 0)
          cells.push_back(
              speedup_text(now && *now > 0 ? std::optional(*first / *now) : std::nullopt, c_.seconds.judgements[p]));
      }
      table.row(cells);
    }
    table.print(out_, style_);
    out_ << "-: the profile has no such kernel; n/a: no time was modelled.\n";
  }

  // Of the whole run.
  void run_advice() {
    for (size_t p = 1; p < count_; ++p) {
      const auto &before = c_.profiles[0].model->advice, &now = c_.profiles[p].model->advice;
      advice(p, 0, "advice on the run followed", before, now);
      advice(p, 0, "new advice on the run", now, before);
    }
  }

  void advice(size_t p, size_t indent, const char* what, const std::vector<advice::Advice>& of,
              const std::vector<advice::Advice>& than) {
    if (const std::string rules = advice_only_of(of, than); !rules.empty())
      report::write_indented(out_, fmt::format("{}: {}: {}", letter(p), what, rules), indent, kWidth);
  }

  // "memory (l2) -> latency (wait)", each change once.
  static std::string limiters(const ComparedKernel& kernel) {
    std::string text, last;
    for (const report::KernelModel* k : kernel.kernels) {
      const std::string limiter = limiter_of(k);
      if (limiter.empty() || limiter == last) continue;
      text += (text.empty() ? "" : " -> ") + limiter;
      last = limiter;
    }
    return text;
  }

  void details(const ComparedKernel& kernel) {
    const bool matched = std::ranges::any_of(kernel.kernels.begin() + 1, kernel.kernels.end(),
                                             [](const auto* k) { return k != nullptr; });
    const bool moved = std::ranges::find(kernel.limiter_moved, true) != kernel.limiter_moved.end();
    if (!matched || (kernel.metrics.empty() && kernel.lines.empty() && !moved && !time_differs(kernel))) return;
    out_ << '\n' << style_.bold(kernel_text(kernel)) << '\n';
    for (size_t p = 1; p < count_; ++p)
      if (kernel.kernels[p]) verdict(kernel, p);
    metrics(kernel.metrics);
    lines(kernel);
  }

  static bool time_differs(const ComparedKernel& kernel) {
    return std::ranges::any_of(kernel.seconds.judgements,
                               [](Judgement j) { return j == Judgement::Better || j == Judgement::Worse; });
  }

  void verdict(const ComparedKernel& kernel, size_t p) {
    const std::optional<double> speedup = kernel.speedups[p];
    if (speedup && kernel.seconds.judgements[p] == Judgement::Same)
      out_ << fmt::format("  {} takes as long: ", letter(p));
    else if (speedup)
      out_ << fmt::format("  {} is {:.2f}x {}: ", letter(p), std::max(*speedup, 1 / *speedup),
                          *speedup > 1 ? "faster" : "slower");
    else
      out_ << fmt::format("  {}: ", letter(p));
    out_ << fmt::format("{} -> {} a launch", seconds_text(kernel.seconds.values[0]),
                        seconds_text(kernel.seconds.values[p]));
    if (kernel.kernels[0]->calls != kernel.kernels[p]->calls)
      out_ << fmt::format("; {} -> {}", kernel.kernels[0]->calls, report::plural(kernel.kernels[p]->calls, "launch"));
    out_ << '\n';
    if (kernel.limiter_moved[p])
      out_ << fmt::format("  {}: the limiter moved from {} to {}\n", letter(p), limiter_of(kernel.kernels[0]),
                          limiter_of(kernel.kernels[p]));
    advice(p, 2, "advice followed", kernel.kernels[0]->advice, kernel.kernels[p]->advice);
    advice(p, 2, "new advice", kernel.kernels[p]->advice, kernel.kernels[0]->advice);
    if (kernel.matches[p] != Match::SameName)
      out_ << fmt::format("  {}: matched with {} ({})\n", letter(p), without_parameters(kernel.kernels[p]->name),
                          name(kernel.matches[p]));
  }

  // Headlines of advice whose rule speaks for the one and not for the other.
  static std::string advice_only_of(const std::vector<advice::Advice>& all, const std::vector<advice::Advice>& other) {
    std::string text;
    for (const advice::Advice& a : all) {
      const auto same = [&](const advice::Advice& b) { return b.rule == a.rule && b.is_worth_it(); };
      if (a.is_worth_it() && std::ranges::none_of(other, same)) text += (text.empty() ? "" : "; ") + a.finding.headline;
    }
    return text;
  }

  // "better", "worse"; where profiles differ in that, one each: "better/worse".
  [[nodiscard]] std::string judgements(const Values& values) const {
    std::string text;
    const bool one = std::all_of(values.judgements.begin() + 1, values.judgements.end(),
                                 [&](Judgement j) { return j == values.judgements[1]; });
    for (size_t p = 1; p < (one ? 2 : count_); ++p) {
      const Judgement j = values.judgements[p];
      text += (p == 1 ? "" : "/") + std::string(j == Judgement::Unknown ? "n/a" : name(j));
    }
    return text;
  }

  void metrics(const std::vector<ComparedMetric>& metrics) {
    if (metrics.empty()) return;
    Table table(columns(2, count_, 1), 2, kWidth);
    std::vector<std::string> head = {"metric, a launch", ""};
    for (size_t p = 0; p < count_; ++p) head.push_back(letter(p));
    head.emplace_back("unit");
    table.head(head);
    for (const ComparedMetric& m : metrics) {
      std::vector<std::string> texts;
      for (const auto& value : m.values.values) texts.push_back(value_text(value, m.metric->unit));
      if (std::ranges::all_of(texts, [&](const std::string& text) { return text == texts[0]; })) continue;
      std::vector<std::string> cells = {std::string(m.metric->name), judgements(m.values)};
      cells.insert(cells.end(), texts.begin(), texts.end());
      cells.emplace_back(report::scales(m.metric->unit) ? "" : m.metric->unit);
      table.row(cells);
    }
    table.print(out_, style_);
  }

  // "t.cu:4", and "t.cu:4 -> 7" where the line moved.
  static std::string place(const ComparedLine& line) {
    std::string text, file;
    uint32_t last = 0;
    for (const auto& at : line.places) {
      if (!at) continue;
      const std::string here = at->file.substr(at->file.rfind('/') + 1);
      if (!text.empty() && here == file && at->line == last) continue;
      const std::string number =
          at->line == 0 ? "(no line)" : fmt::format("{}{}", here == file ? "" : here + ":", at->line);
      text += (text.empty() ? "" : " -> ") + number;
      file = here, last = at->line;
    }
    return text;
  }

  void lines(const ComparedKernel& kernel) {
    if (kernel.lines.empty()) return;
    Table table(columns(1, count_, 1), 2, kWidth);
    std::vector<std::string> head = {"line"};
    for (size_t p = 0; p < count_; ++p) head.push_back(letter(p));
    head.emplace_back("source");
    table.head(head);
    const size_t shown = std::min<size_t>(kernel.lines.size(), options_.lines);
    for (size_t i = 0; i < shown; ++i) {
      const ComparedLine& line = kernel.lines[i];
      std::vector<std::string> cells = {place(line)};
      for (size_t p = 0; p < count_; ++p) cells.push_back(line.places[p] ? seconds_text(line.seconds.values[p]) : "-");
      const auto at = std::ranges::find_if(line.places, [](const auto& place) { return place.has_value(); });
      cells.push_back((*at)->source);
      table.row(cells);
      for (const std::string& change : changes(line)) {
        std::vector<std::string> below(count_ + 1);
        below.push_back(change);
        table.row(below);
      }
    }
    table.print(out_, style_);
    if (kernel.kernels[0]->calls > 1) out_ << "  Times are of a launch; counts of lines are of all launches.\n";
    if (shown < kernel.lines.size())
      out_ << fmt::format("  {} more changed; --lines N shows them\n",
                          report::plural(kernel.lines.size() - shown, "line"));
  }

  // "worse: global_sectors 131k -> 1.05M", of all launches: the most telling metrics.
  [[nodiscard]] std::vector<std::string> changes(const ComparedLine& line) const {
    constexpr size_t kMost = 2;
    std::vector<std::string> texts;
    for (const ComparedMetric& m : line.metrics) {
      std::string text = fmt::format("  {}: {}", judgements(m.values), m.metric->name);
      const char* separator = " ";
      for (const auto& value : m.values.values) {
        text += separator + value_text(value, m.metric->unit);
        separator = " -> ";
      }
      texts.push_back(std::move(text));
      if (texts.size() == kMost) break;
    }
    return texts;
  }

  std::ostream& out_;
  const Comparison& c_;
  const WriteOptions& options_;
  const report::Style style_;
  const size_t count_;
  std::string unfinished_;
};

}  // namespace

void write_text(std::ostream& out, const Comparison& comparison, const WriteOptions& options) {
  Writer(out, comparison, options).write();
}

}  // namespace drywarp::compare
