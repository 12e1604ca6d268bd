#include "faces/profilers/nvprof/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include "base/support/near_names.h"
#include "faces/profilers/nvprof/counter_tables.h"
#include "profile/report/model/numbers.h"

namespace drywarp::profilers::nvprof {
namespace {

using metrics::MetricClass;

// "a, b and 12 more"
std::string listed(const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  const size_t shown = std::min(kShown, names.size());
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + std::ptrdiff_t(shown), ", "));
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

void note_counters(const ReportRequest& request, std::vector<std::string>& notes) {
  std::vector<std::string> modelled, missing;
  std::map<std::string, std::vector<std::string>> reasons;
  for (const auto* counters : {&request.events, &request.metrics})
    for (const ScopedCounter& c : *counters) {
      if (c.counter.metric && c.counter.metric->klass != MetricClass::Exact) modelled.emplace_back(c.counter.name);
      if (c.counter.metric) continue;
      missing.emplace_back(c.counter.name);
      reasons[c.counter.why_not()].emplace_back(c.counter.name);
    }
  if (!modelled.empty()) notes.push_back("modelled, not counted: " + listed(modelled));
  constexpr size_t kReasons = 4;  // of a list such as "all" the table of names has them
  if (reasons.size() > kReasons)
    notes.push_back(fmt::format("n/a: {}; --query-metrics and --query-events say why", listed(missing)));
  else
    for (const auto& [reason, names] : reasons) notes.push_back(fmt::format("n/a: {}: {}", listed(names), reason));
}

void note_scopes(const record::Profile& profile, const ReportRequest& request, const CounterValues& values,
                 std::vector<std::string>& notes) {
  std::set<std::string> used, unused;
  size_t place = 0;
  for (const auto* counters : {&request.events, &request.metrics})
    for (const ScopedCounter& c : *counters) {
      const bool any =
          std::ranges::any_of(values.launches, [&](const LaunchValues& launch) { return launch.in_scope[place]; });
      if (c.scope) (any ? used : unused).insert(c.scope->text());
      ++place;
    }
  for (const std::string& text : unused) {
    if (used.contains(text)) continue;
    std::set<std::string> names;
    for (const record::LaunchRecord& l : profile.launches)
      names.insert(report::short_name(profile.kernels[l.kernel]->display_name));
    notes.push_back(fmt::format("--kernels {} names no launch; launched: {}", text,
                                names.empty() ? "nothing" : listed(nearest_first(text, {names.begin(), names.end()}))));
  }
}

bool any_copy(const Timeline& timeline, bool (*is)(const Activity&)) {
  return std::ranges::any_of(timeline.activities, [is](const Activity& a) { return a.transfer && is(a); });
}

void note_activities(const Timeline& timeline, const record::Profile& profile, std::vector<std::string>& notes) {
  notes.push_back(fmt::format("durations of kernels and copies are modelled for {}", profile.device));
  if (any_copy(timeline, [](const Activity& a) { return !a.seconds.has_value(); }))
    notes.push_back(
        fmt::format("copies without a duration: the file of {} has no bandwidth of its link to the host, or "
                    "the GPU takes no part",
                    profile.device));
  // Only copies over the link have an end at the host.
  if (any_copy(timeline, [](const Activity& a) {
        using record::TransferKind;
        const TransferKind kind = a.transfer->kind;
        return a.seconds && !a.transfer->pinned &&
               (kind == TransferKind::HostToDevice || kind == TransferKind::DeviceToHost);
      }))
    notes.emplace_back(
        timeline.pageable_is_timed
            ? "copies of pageable memory are as fast as on the host that the device file names"
            : "copies of pageable memory have the duration of page-locked memory: large ones take longer");
  std::map<std::string, uint64_t> untimed;
  for (const Activity& a : timeline.activities)
    if (a.launch && !a.seconds)
      ++untimed[report::short_name(a.name) +
                (a.launch->untimed.empty() ? ": it did not complete" : ": " + a.launch->untimed)];
  for (const auto& [reason, launches] : untimed)
    notes.push_back(fmt::format("no duration of {} of {}", report::plural(launches, "launch"), reason));
}

void note_times(const Timeline& timeline, const record::Profile& profile, const ReportRequest& r,
                std::vector<std::string>& notes) {
  if (r.gpu_summary || (r.gpu_trace && !r.counts())) note_activities(timeline, profile, notes);
  if (r.api_summary || r.api_trace || (r.gpu_trace && !r.counts()))
    notes.push_back(fmt::format("{} this machine's",
                                r.api_summary || r.api_trace ? "the times of API calls, and Start, are" : "Start is"));
}

void write_timeline(std::ostream& out, const Timeline& timeline, const record::Profile& profile,
                    const ReportRequest& r) {
  auto head = [&, first = true]() mutable {
    out << (first ? "" : "\n") << r.prefix << "Profiling result:\n";
    first = false;
  };
  const bool gpu_trace = r.gpu_trace && !r.counts();  // with counters, the trace is theirs
  if (gpu_trace || r.api_trace) {
    head();
    if (gpu_trace && r.api_trace)
      write_trace(out, timeline, profile, r.style);
    else if (gpu_trace)
      write_gpu_trace(out, timeline, profile, r.style);
    else
      write_api_trace(out, timeline, r.style);
  }
  if (r.gpu_summary || r.api_summary) {
    head();
    write_summary(out, timeline, r.gpu_summary, r.api_summary, r.style);
  }
}

void write_counted(std::ostream& out, const Timeline& timeline, const record::Profile& profile, const ReportRequest& r,
                   std::vector<std::string>& notes) {
  std::vector<ScopedCounter> both = r.events;
  both.insert(both.end(), r.metrics.begin(), r.metrics.end());
  const CounterValues all = values_of(profile, both, r.demangle);
  out << r.prefix << "Profiling result:\n";
  if (r.gpu_trace) {
    write_counter_trace(out, timeline, all, r.style.csv);
  } else {
    bool first = true;
    for (const bool events : {true, false}) {
      const auto& counters = events ? r.events : r.metrics;
      if (counters.empty()) continue;
      out << (first ? "" : "\n") << r.prefix << (events ? "Event result:\n" : "Metric result:\n");
      first = false;
      write_counters(out, device_label(timeline), values_of(profile, counters, r.demangle), events, r.style.csv);
    }
  }
  note_counters(r, notes);
  note_scopes(profile, r, all, notes);
}

}  // namespace

bool ReportRequest::needs_times() const {
  const auto modelled = [](const ScopedCounter& c) {
    return c.counter.metric && c.counter.metric->klass != MetricClass::Exact;
  };
  return !counts() || gpu_summary || std::ranges::any_of(metrics, modelled) || std::ranges::any_of(events, modelled);
}

void write_report(std::ostream& out, const record::Profile& profile, const device::DeviceSpec& device,
                  const ReportRequest& request, std::vector<std::string>& notes) {
  const Timeline timeline = nvprof::timeline(profile, device, request.demangle);
  if (request.counts()) write_counted(out, timeline, profile, request, notes);
  const bool summary = request.gpu_summary || request.api_summary, traced = !request.counts() && request.gpu_trace;
  if (!summary && !traced && !request.api_trace) return;
  if (request.counts()) out << '\n';
  write_timeline(out, timeline, profile, request);
  note_times(timeline, profile, request, notes);
}

}  // namespace drywarp::profilers::nvprof
