#include "profile/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "profile/compare/lines.h"

namespace drywarp::compare {
namespace {

using report::KernelModel;
using report::LineModel;

enum class Direction { Lower, Higher, None };

struct JudgedMetric {
  std::string_view name;
  Direction better;
};
constexpr JudgedMetric kJudged[] = {
#define DW_JUDGED(metric, better) {metric, Direction::better},
#include "profile/compare/judged_metrics.def"
};

Direction direction_of(const metrics::Metric& metric) {
  const auto* found = std::ranges::find(kJudged, metric.name, &JudgedMetric::name);
  return found == std::end(kJudged) ? Direction::None : found->better;
}

Judgement judge(std::optional<double> first, std::optional<double> other, Direction better, double tolerance) {
  if (!first || !other) return Judgement::Unknown;
  if (std::abs(*other - *first) <= tolerance * std::max(std::abs(*first), std::abs(*other))) return Judgement::Same;
  if (better == Direction::None) return Judgement::Different;
  return (*other < *first) == (better == Direction::Lower) ? Judgement::Better : Judgement::Worse;
}

void judge_all(Values& values, Direction better, double tolerance) {
  for (const auto& value : values.values)
    values.judgements.push_back(judge(values.values[0], value, better, tolerance));
}

bool differs(const Values& values) {
  return std::ranges::any_of(values.judgements, [](Judgement j) {
    return j == Judgement::Better || j == Judgement::Worse || j == Judgement::Different;
  });
}

std::optional<double> seconds_of(const KernelModel* kernel) {
  return kernel && kernel->time && kernel->time->seconds.count != 0 ? std::optional(kernel->time->seconds.avg())
                                                                    : std::nullopt;
}

std::optional<double> seconds_of(const KernelModel* kernel, const LineModel* line) {
  if (!seconds_of(kernel)) return std::nullopt;
  return line ? line->time.seconds / static_cast<double>(kernel->time->seconds.count) : 0;
}

class Comparer {
 public:
  Comparer(std::vector<ComparedProfile> profiles, const CompareOptions& options) : options_(options) {
    out_.profiles = std::move(profiles);
  }

  Result<Comparison> compare() {
    if (auto s = match(); !s) return s.problem();
    for (ComparedKernel& kernel : out_.kernels) fill(kernel);
    for (const ComparedProfile& p : out_.profiles) out_.seconds.values.push_back(whole_seconds(*p.model));
    judge_all(out_.seconds, Direction::Lower, options_.tolerance);
    return std::move(out_);
  }

 private:
  [[nodiscard]] size_t count() const { return out_.profiles.size(); }

  static std::vector<std::string> names_of(const report::ReportModel& model) {
    std::vector<std::string> names;
    for (const KernelModel& kernel : model.kernels) names.push_back(kernel.name);
    return names;
  }

  Status match() {
    const report::ReportModel& first = *out_.profiles[0].model;
    for (const KernelModel& kernel : first.kernels) {
      ComparedKernel& row = out_.kernels.emplace_back();
      row.kernels.resize(count());
      row.matches.resize(count(), Match::SameName);
      row.kernels[0] = &kernel;
    }
    const std::vector<std::string> first_names = names_of(first);
    for (size_t p = 1; p < count(); ++p) {
      const report::ReportModel& other = *out_.profiles[p].model;
      const auto pairs = match_kernels(first_names, names_of(other), options_.renamings);
      if (!pairs) return pairs.problem();
      std::vector<bool> matched(other.kernels.size());
      for (const Pair& pair : *pairs) {
        out_.kernels[pair.first].kernels[p] = &other.kernels[pair.second];
        out_.kernels[pair.first].matches[p] = pair.match;
        matched[pair.second] = true;
      }
      for (size_t k = 0; k < matched.size(); ++k)
        if (!matched[k]) add_unmatched(p, other.kernels[k]);
    }
    return {};
  }

  // A kernel that the first profile lacks, in one row for the later profiles that have it under that name.
  void add_unmatched(size_t profile, const KernelModel& kernel) {
    for (ComparedKernel& row : out_.kernels) {
      if (row.kernels[0] || row.kernels[profile]) continue;
      if (std::ranges::none_of(row.kernels, [&](const KernelModel* k) { return k && k->name == kernel.name; }))
        continue;
      row.kernels[profile] = &kernel;
      return;
    }
    ComparedKernel& row = out_.kernels.emplace_back();
    row.kernels.resize(count());
    row.matches.resize(count(), Match::SameName);
    row.kernels[profile] = &kernel;
  }

  void fill(ComparedKernel& row) {
    for (const KernelModel* kernel : row.kernels) {
      row.seconds.values.push_back(seconds_of(kernel));
      const std::optional<double>&first = row.seconds.values[0], &now = row.seconds.values.back();
      row.speedups.push_back(first && now && *now > 0 ? std::optional(*first / *now) : std::nullopt);
      const std::string before = limiter_of(row.kernels[0]), after = limiter_of(kernel);
      row.limiter_moved.push_back(!before.empty() && !after.empty() && before != after);
    }
    judge_all(row.seconds, Direction::Lower, options_.tolerance);
    if (!row.kernels[0]) return;
    const auto& selection = out_.profiles[0].model->selection;
    for (size_t m = 0; m < selection.size(); ++m)
      add_metric(row.metrics, *selection[m].metric, [&](size_t p) -> std::optional<double> {
        if (!row.kernels[p] || row.kernels[p]->spreads[m].launches == 0) return std::nullopt;
        return row.kernels[p]->spreads[m].avg();
      });
    add_lines(row);
  }

  template <class ValueOf>
  void add_metric(std::vector<ComparedMetric>& to, const metrics::Metric& metric, ValueOf value_of) {
    ComparedMetric compared{&metric, {}};
    for (size_t p = 0; p < count(); ++p) compared.values.values.push_back(value_of(p));
    const bool exact = metric.klass == metrics::MetricClass::Exact;
    judge_all(compared.values, direction_of(metric), exact ? 0 : options_.tolerance);
    if (differs(compared.values)) to.push_back(std::move(compared));
  }

  void add_lines(ComparedKernel& row) {
    // By line of the first kernel: the lines of all profiles. Lines that it lacks have a row for each profile.
    std::vector<std::vector<const LineModel*>> rows;
    for (const LineModel& line : row.kernels[0]->lines) rows.emplace_back(count())[0] = &line;
    for (size_t p = 1; p < count(); ++p) {
      if (!row.kernels[p]) continue;
      const auto pairs =
          match_lines(*row.kernels[0], *out_.profiles[0].profile, *row.kernels[p], *out_.profiles[p].profile);
      for (size_t i = 0; i < pairs.size(); ++i) {
        if (pairs[i].first)
          rows[i][p] = pairs[i].second;
        else
          rows.emplace_back(count())[p] = pairs[i].second;
      }
    }
    for (const auto& lines : rows) add_line(row, lines);
    const auto change = [](const ComparedLine& line) {
      double most = 0;
      for (const auto& value : line.seconds.values)
        most = std::max(most, std::abs(value.value_or(0) - line.seconds.values[0].value_or(0)));
      return most;
    };
    std::vector<size_t> order(row.lines.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, [&](size_t a, size_t b) {
      const double of_a = change(row.lines[a]), of_b = change(row.lines[b]);
      return of_a != of_b ? of_a > of_b : a < b;
    });
    std::vector<ComparedLine> sorted;
    for (const size_t i : order) sorted.push_back(std::move(row.lines[i]));
    row.lines = std::move(sorted);
  }

  void add_line(ComparedKernel& row, const std::vector<const LineModel*>& lines) {
    ComparedLine line;
    for (size_t p = 0; p < count(); ++p) {
      line.places.push_back(lines[p] ? std::optional(LinePlace{lines[p]->file, lines[p]->line, lines[p]->source})
                                     : std::nullopt);
      line.seconds.values.push_back(row.kernels[p] ? seconds_of(row.kernels[p], lines[p]) : std::nullopt);
    }
    // Changes below the tolerance of the kernel's whole time are no changes of a line.
    judge_all(line.seconds, Direction::Lower, 0);
    const double least = options_.tolerance * row.seconds.values[0].value_or(0);
    for (size_t p = 0; p < count(); ++p)
      if (line.seconds.values[0] && line.seconds.values[p] &&
          std::abs(*line.seconds.values[p] - *line.seconds.values[0]) <= least)
        line.seconds.judgements[p] = Judgement::Same;
    for (const metrics::Selected& s : out_.profiles[0].model->selection)
      add_metric(line.metrics, *s.metric,
                 [&](size_t p) { return lines[p] ? s.metric->evaluate(lines[p]->sums, {}) : std::nullopt; });
    const bool new_or_gone = std::ranges::any_of(lines, [&](const LineModel* l) { return l == nullptr; }) &&
                             std::ranges::any_of(line.seconds.values, [&](auto v) { return v.value_or(0) > least; });
    if (differs(line.seconds) || !line.metrics.empty() || new_or_gone) row.lines.push_back(std::move(line));
  }

  static std::optional<double> whole_seconds(const report::ReportModel& model) {
    double all = 0;
    for (const KernelModel& kernel : model.kernels) {
      if (!kernel.time || kernel.time->seconds.count != kernel.calls) return std::nullopt;
      all += kernel.time->seconds.total;
    }
    return model.kernels.empty() ? std::nullopt : std::optional(all);
  }

  const CompareOptions& options_;
  Comparison out_;
};

}  // namespace

const char* name(Judgement judgement) {
  constexpr std::array<const char*, 5> kNames = {"same", "better", "worse", "different", "not available"};
  return kNames[static_cast<size_t>(judgement)];
}

std::vector<metrics::Selected> selection_for(const CompareOptions& options) {
  if (!options.metrics.empty()) return options.metrics;
  std::vector<metrics::Selected> selection;
  for (const JudgedMetric& judged : kJudged)
    if (const metrics::Metric* metric = metrics::find_metric(judged.name)) selection.push_back({metric, metric->name});
  return selection;
}

std::string limiter_of(const KernelModel* kernel) {
  if (!kernel || !kernel->time || !kernel->time->limiter) return {};
  const advice::Verdict& v = *kernel->time->limiter;
  return v.unit.empty() ? std::string(advice::key(v.limiter)) : fmt::format("{} ({})", advice::key(v.limiter), v.unit);
}

Result<Comparison> compare_profiles(std::vector<ComparedProfile> profiles, const CompareOptions& options) {
  return Comparer(std::move(profiles), options).compare();
}

}  // namespace drywarp::compare
