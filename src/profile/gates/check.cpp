#include "profile/gates/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/support/glob.h"
#include "base/support/near_names.h"
#include "base/support/plural.h"
#include "profile/report/model/numbers.h"

namespace drywarp::gates {
namespace {

using Number = std::optional<double>;

// "reduce<4>" for "void reduce<4>(int const*, int)".
std::string plain_name(const std::string& display_name) {
  std::string name = display_name.starts_with("void ") ? display_name.substr(5) : display_name;
  return name.substr(0, name.find('('));
}

bool selects(const Expectation& e, const KernelInfo& kernel) {
  if (e.kernel.empty()) return true;
  for (const std::string& name : {kernel.name, kernel.display_name, plain_name(kernel.display_name)})
    if (matches_glob(e.kernel, name)) return true;
  return false;
}

std::string file_of(const KernelInfo& kernel, uint32_t file) {
  return file < kernel.files.size() ? kernel.files[file] : std::string();
}

// The first line of the kernel, or of the expectation's lines in it; none if the code does not know its lines.
std::vector<Place> beginning(const KernelInfo& kernel, const Expectation& e) {
  for (const InstructionInfo& i : kernel.instructions) {
    const std::string file = file_of(kernel, i.file);
    if (i.line != 0 && !file.empty() && (!e.line || e.line->contains(file, i.line))) return {{file, i.line, {}, {}}};
  }
  return {};
}

// The sums and facts of one launch, for all its expectations.
class LaunchValues {
 public:
  LaunchValues(const KernelInfo& kernel, const record::LaunchRecord& launch)
      : kernel_(kernel), launch_(launch), sums_(metrics::sum_launch(kernel, launch.counts)) {
    facts_ = metrics::facts(kernel, {launch.grid.count(), launch.block.count(), launch.dynamic_shared_bytes});
    if (launch.time) facts_.time = &launch.time->summary;
  }

  [[nodiscard]] bool has_code(const LineRange& range) const {
    return std::ranges::any_of(kernel_.instructions, [&](const auto& i) {
      return i.line != 0 && range.contains(file_of(kernel_, i.file), i.line);
    });
  }
  [[nodiscard]] Number value(const Expectation& e) {
    if (!e.line) return scaled(e, e.metric->evaluate(sums_, facts_));
    metrics::Sums sums;
    bool ran = false;
    for (const metrics::LineSums& line : lines())
      if (e.line->contains(file_of(kernel_, line.file), line.line)) sums += line.sums, ran = true;
    return ran ? scaled(e, e.metric->evaluate(sums, {})) : std::nullopt;
  }

  // The lines that make the launch's value so large or so small, the worst first. A line's share of a count is at most
  // the count, so that a count that is too small has no such lines.
  [[nodiscard]] std::vector<Place> worst(const Expectation& e, double found, double expected) {
    const bool share = e.unit == "%" || e.unit.find('/') != std::string::npos;
    const bool too_large = found >= expected;
    std::vector<std::pair<Place, uint64_t>> candidates;
    for (const metrics::LineSums& line : lines()) {
      const std::string file = file_of(kernel_, line.file);
      if (line.line == 0 || (e.line && !e.line->contains(file, line.line))) continue;
      const Number value = e.needs_time() ? std::nullopt : scaled(e, e.metric->evaluate(line.sums, {}));
      if (!value || (share ? holds(*value, e.comparison, expected) : !too_large || *value == 0)) continue;
      candidates.push_back({{file, line.line, value, {}}, line.sums.all().warps});
    }
    std::ranges::sort(candidates, [&](const auto& a, const auto& b) {
      if (*a.first.value != *b.first.value) return (*a.first.value > *b.first.value) == too_large;
      if (a.second != b.second) return a.second > b.second;
      return std::tie(a.first.file, a.first.line) < std::tie(b.first.file, b.first.line);
    });
    std::vector<Place> places;
    for (size_t i = 0; i < std::min(kPlaces, candidates.size()); ++i) places.push_back(std::move(candidates[i].first));
    if (places.empty()) return beginning(kernel_, e);
    return places;
  }

 private:
  static Number scaled(const Expectation& e, Number value) { return value ? Number(*value * e.scale) : std::nullopt; }
  // Few launches need them.
  const std::vector<metrics::LineSums>& lines() {
    if (!lines_) lines_ = metrics::sum_lines(kernel_, launch_.counts);
    return *lines_;
  }

  const KernelInfo& kernel_;
  const record::LaunchRecord& launch_;
  metrics::Sums sums_;
  metrics::Facts facts_;
  std::optional<std::vector<metrics::LineSums>> lines_;
};

// The counted launches of each kernel of a profile by its demangled name, in order.
std::map<std::string, std::vector<const record::LaunchRecord*>> launches_by_kernel(const record::Profile* profile) {
  std::map<std::string, std::vector<const record::LaunchRecord*>> launches;
  if (!profile) return launches;
  for (const record::LaunchRecord& launch : profile->launches)
    launches[profile->kernels[launch.kernel]->display_name].push_back(&launch);
  return launches;
}

class Check {
 public:
  Check(std::span<const Expectation> expectations, const record::Profile& profile, const record::Profile* baseline)
      : profile_(profile), baseline_(baseline), baseline_launches_(launches_by_kernel(baseline)) {
    for (const Expectation& e : expectations) outcomes_.push_back({e, {}});
    matched_.resize(outcomes_.size());
    groups_.resize(outcomes_.size());
  }

  Result<std::vector<Outcome>> run() {
    for (const Outcome& o : outcomes_)
      if (Status status = check_baseline(o.expectation); !status.ok()) return status.problem();
    std::map<std::string, uint64_t> numbers;
    for (const record::LaunchRecord& launch : profile_.launches) {
      const uint64_t number = ++numbers[profile_.kernels[launch.kernel]->display_name];
      if (Status status = add_launch(launch, number); !status.ok()) return status.problem();
    }
    for (size_t i = 0; i < outcomes_.size(); ++i)
      if (outcomes_[i].findings.empty()) return matches_nothing(outcomes_[i].expectation, matched_[i]);
    for (Outcome& o : outcomes_)
      for (Finding& f : o.findings)
        for (Place& place : f.places) place.source = sources_.get(place.file, place.line);
    return std::move(outcomes_);
  }

 private:
  struct Matched {
    bool kernel = false, launch = false, counted = false, line = false;
  };

  [[nodiscard]] Status check_baseline(const Expectation& e) const {
    if (!e.bound.baseline) return {};
    if (!baseline_)
      return error_at(e.where, fmt::format("'{}' needs a baseline", e.full_text()),
                      "name a profile: --baseline main.dwprof");
    if (e.modelled && baseline_->device != profile_.device)
      return error_at(e.where,
                      fmt::format("'{}' compares two GPUs: the baseline is of {}, this run of {}", e.full_text(),
                                  baseline_->device, profile_.device),
                      "profile both with the same --device");
    return {};
  }

  Status add_launch(const record::LaunchRecord& launch, uint64_t number) {
    const KernelInfo& kernel = *profile_.kernels[launch.kernel];
    std::optional<LaunchValues> values;
    for (size_t i = 0; i < outcomes_.size(); ++i) {
      const Expectation& e = outcomes_[i].expectation;
      if (!selects(e, kernel)) continue;
      matched_[i].kernel = true;
      if (e.launch && !e.launch->contains(number)) continue;
      matched_[i].launch = true;
      if (!launch.counted && launch.fault.empty()) continue;
      matched_[i].counted = true;
      if (!launch.fault.empty()) {
        add(i, launch, number, failed("the launch failed: " + launch.fault), nullptr);
        continue;
      }
      if (!values) values.emplace(kernel, launch);
      if (e.line && !values->has_code(*e.line)) continue;
      matched_[i].line = true;
      if (e.metric->compilers && !e.modelled && !is_compiled(kernel.resources_from))
        return error_at(e.where,
                        fmt::format("{} of {} is modelled: no compiler reported it", e.metric_name,
                                    plain_name(kernel.display_name)),
                        fmt::format("ask for it by name, modelled:{}, or give --cubin or --ptxas-info", e.metric_name));
      if (e.needs_time() && !launch.time) {
        const std::string why = launch.untimed.empty() ? "times were not modelled" : launch.untimed;
        add(i, launch, number, failed("the launch has no modelled time: " + why), nullptr);
      } else if (const Number found = values->value(e)) {
        add(i, launch, number, compared(e, kernel, *found, number), &*values);
      }
    }
    return {};
  }

  static Finding failed(std::string problem) {
    Finding f;
    f.problem = std::move(problem);
    return f;
  }

  [[nodiscard]] Finding compared(const Expectation& e, const KernelInfo& kernel, double found, uint64_t number) const {
    Finding f;
    f.found = found;
    if (e.bound.baseline) {
      const auto launches = baseline_launches_.find(kernel.display_name);
      if (launches == baseline_launches_.end()) {
        f.problem = "the baseline has no kernel of this name";
        return f;
      }
      if (number > launches->second.size()) {
        f.problem = fmt::format("the baseline has only {} of it", plural(launches->second.size(), "launch"));
        return f;
      }
      const record::LaunchRecord& launch = *launches->second[number - 1];
      if (launch.counted) f.baseline = LaunchValues(*baseline_->kernels[launch.kernel], launch).value(e);
      if (!f.baseline) {
        f.problem = "the baseline has no value of it for this launch";
        return f;
      }
    }
    f.expected = e.bound.resolve(f.baseline.value_or(0));
    f.holds = holds(f.found, e.comparison, f.expected);
    return f;
  }

  // Launches of a kernel with the same values are one finding.
  void add(size_t i, const record::LaunchRecord& launch, uint64_t number, Finding f, LaunchValues* values) {
    const KernelInfo& kernel = *profile_.kernels[launch.kernel];
    auto& findings = outcomes_[i].findings;
    const auto [place, fresh] =
        groups_[i].try_emplace({kernel.display_name, f.found, f.expected, f.problem}, findings.size());
    if (fresh) {
      f.kernel = kernel.display_name, f.grid = launch.grid, f.block = launch.block;
      const Expectation& e = outcomes_[i].expectation;
      if (!f.holds) f.places = values ? values->worst(e, f.found, f.expected) : beginning(kernel, e);
      findings.push_back(std::move(f));
    }
    findings[place->second].launches.push_back(number);
  }

  [[nodiscard]] Diagnostic matches_nothing(const Expectation& e, const Matched& matched) const {
    if (!matched.kernel) {
      std::set<std::string> names;
      for (const record::LaunchRecord& launch : profile_.launches)
        names.insert(plain_name(profile_.kernels[launch.kernel]->display_name));
      auto near = nearest_first(e.kernel, {names.begin(), names.end()});
      if (near.size() > 5) near.resize(5);
      return error_at(e.where, fmt::format("'{}' matches no kernel", e.full_text()),
                      near.empty() ? "the program launched none" : fmt::format("launched: {}", fmt::join(near, ", ")));
    }
    if (!matched.launch)
      return error_at(e.where, fmt::format("'{}' matches no launch", e.full_text()), most_launches(e));
    if (!matched.counted)
      return error_at(e.where, fmt::format("'{}' matches no counted launch", e.full_text()),
                      "the options --kernel, --launch-skip and --launch-count say which launches are counted");
    if (e.line && !matched.line)
      return error_at(
          e.where,
          fmt::format("'{}' matches no line: no kernel that it names has code at {}", e.full_text(), e.line_text()),
          "the report lists the lines of each kernel");
    return error_at(e.where,
                    fmt::format("'{}' matches nothing: {} has no value in any launch", e.full_text(), e.metric_name),
                    "an efficiency without accesses has none; does the code still do what the expectation is about?");
  }

  // The most launches that a selected kernel has.
  [[nodiscard]] std::string most_launches(const Expectation& e) const {
    std::pair<size_t, std::string> most;
    for (const auto& [name, launches] : launches_by_kernel(&profile_))
      if (selects(e, *profile_.kernels[launches.front()->kernel]))
        most = std::max(most, {launches.size(), plain_name(name)});
    return fmt::format("{} has {} launch{}, counted from 1", most.second, most.first, most.first == 1 ? "" : "es");
  }

  const record::Profile& profile_;
  const record::Profile* baseline_;
  std::map<std::string, std::vector<const record::LaunchRecord*>> baseline_launches_;
  std::vector<Outcome> outcomes_;
  std::vector<Matched> matched_;
  std::vector<std::map<std::tuple<std::string, double, double, std::string>, size_t>> groups_;
  report::SourceLines sources_;
};

}  // namespace

bool Outcome::holds() const { return std::ranges::all_of(findings, &Finding::holds); }

uint64_t Outcome::launches() const {
  uint64_t all = 0;
  for (const Finding& f : findings) all += f.launches.size();
  return all;
}

Result<std::vector<Outcome>> check(std::span<const Expectation> expectations, const record::Profile& profile,
                                   const record::Profile* baseline) {
  return Check(expectations, profile, baseline).run();
}

std::string value_text(const Expectation& e, double value) {
  const std::string digits = e.modelled ? fmt::format("{:.6g}", value) : fmt::format("{:.10g}", value);
  return e.unit.empty() ? digits : fmt::format("{} {}", digits, report::unit_for(value, e.unit));
}

std::string expected_text(const Expectation& e, const Finding& f) {
  std::string text = fmt::format("{} {}", name(e.comparison), value_text(e, f.expected));
  if (f.baseline) text += fmt::format(" (baseline {})", value_text(e, *f.baseline));
  return text;
}

std::string launches_text(const Finding& f) {
  constexpr size_t kRuns = 3;
  std::vector<std::string> runs;
  size_t shown = 0;
  for (size_t i = 0; i < f.launches.size() && runs.size() < kRuns;) {
    size_t last = i;
    while (last + 1 < f.launches.size() && f.launches[last + 1] == f.launches[last] + 1) ++last;
    runs.push_back(last == i ? fmt::format("{}", f.launches[i])
                             : fmt::format("{} to {}", f.launches[i], f.launches[last]));
    i = shown = last + 1;
  }
  std::string text = fmt::format("{} {}", noun_for(double(f.launches.size()), "launch"), fmt::join(runs, ", "));
  return shown == f.launches.size() ? text : text + fmt::format(" and {} more", f.launches.size() - shown);
}

std::string message(const Expectation& e, const Finding& f) {
  if (!f.problem.empty()) return fmt::format("{} cannot be compared: {}", e.metric_name, f.problem);
  return fmt::format("{} is {}{}, expected {}", e.metric_name, e.modelled ? "~" : "", value_text(e, f.found),
                     expected_text(e, f));
}

}  // namespace drywarp::gates
