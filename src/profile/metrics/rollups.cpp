#include "profile/metrics/rollups.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <unordered_map>

namespace drywarp::metrics {
namespace {

using Number = std::optional<double>;

enum class Over : uint8_t { Avg, Max, Min, Sum };
constexpr std::array<std::string_view, 4> kOver = {"avg", "max", "min", "sum"};

enum class Per : uint8_t { Total, Second, CycleActive, CycleElapsed, PeakActive, PeakElapsed };
struct PerForm {
  std::string_view suffix;
  std::string_view unit;  // behind the counter's; "%" replaces it
};
constexpr std::array<PerForm, 6> kPer = {{{"", ""},
                                          {".per_second", "/s"},
                                          {".per_cycle_active", "/cycle"},
                                          {".per_cycle_elapsed", "/cycle"},
                                          {".pct_of_peak_sustained_active", "%"},
                                          {".pct_of_peak_sustained_elapsed", "%"}}};

enum class Clock : uint8_t { Sm, Other };
struct Unit {
  std::string_view prefix;
  double (*instances)(const sm::Summary& t);
  Clock clock;
};
enum class PeakPer : uint8_t { Cycle, Second };
struct Peak {
  std::string_view base;
  double (*peak)(const sm::Summary& t);
  PeakPer per;
};
#define DW_UNIT(prefix, instances, clock) \
  {prefix, [](const sm::Summary& t) -> double { return (void)t, (instances); }, Clock::clock},
constexpr Unit kUnits[] = {
#include "profile/metrics/units.def"
};
#define DW_PEAK(base, peak, per) {base, [](const sm::Summary& t) -> double { return (void)t, (peak); }, PeakPer::per},
constexpr Peak kPeaks[] = {
#include "profile/metrics/units.def"
};

const Unit* unit_of(std::string_view name) {
  const auto* found = std::ranges::find_if(kUnits, [&](const Unit& u) { return name.starts_with(u.prefix); });
  return found == std::end(kUnits) ? nullptr : found;
}
const Peak* peak_of(std::string_view base) {
  const auto* found = std::ranges::find(kPeaks, base, &Peak::base);
  return found == std::end(kPeaks) ? nullptr : found;
}

Number quotient(double a, double b) { return b > 0 ? Number(a / b) : std::nullopt; }

// What a roll-up divides by, over the whole GPU. `active`: cycles in which its unit was.
Number over_time(Per per, double amount, const sm::Summary& t, const Peak* peak, double active) {
  switch (per) {
    case Per::Total:
      return amount;
    case Per::Second:
      return quotient(amount, t.duration_ns * 1e-9);
    case Per::CycleActive:
      return quotient(amount, active);
    case Per::CycleElapsed:
      return quotient(amount, t.elapsed_cycles);
    case Per::PeakActive:
    case Per::PeakElapsed:
      if (peak->per == PeakPer::Second) return quotient(100 * amount, t.duration_ns * 1e-9 * peak->peak(t));
      return quotient(100 * amount, (per == Per::PeakActive ? active : t.elapsed_cycles) * peak->peak(t));
  }
  return std::nullopt;
}

// The function of a roll-up is chosen by both parts of its name and by what its row holds.
template <Over over, Per per, bool row_is_sum>
Number roll(const Metric& self, double counted, const Facts& f) {
  if (!f.time) return std::nullopt;
  const sm::Summary& t = *f.time;
  const SplitName name = split_rollup(self.name);
  const Peak* peak = peak_of(name.base);
  const double units = unit_of(name.base)->instances(t);
  // A peak of the whole GPU and the sum, or a peak of one unit and the average.
  const bool whole =
      per == Per::PeakActive || per == Per::PeakElapsed ? peak->per == PeakPer::Second : over == Over::Sum;
  double amount = counted;
  if (row_is_sum && !whole) {
    if (units <= 0) return std::nullopt;
    amount /= units;
  } else if (!row_is_sum && whole) {
    if (units <= 0) return std::nullopt;
    amount *= units;
  }
  const bool of_scheduler = name.base.starts_with("smsp__");
  return over_time(per, amount, t, peak, of_scheduler ? t.scheduler_active_cycles : t.active_cycles);
}
Number unchanged(const Metric&, double counted, const Facts&) { return counted; }

using Function = Number (*)(const Metric&, double, const Facts&);
template <Over over, bool row_is_sum>
constexpr std::array<Function, kPer.size()> kRolls = {
    roll<over, Per::Total, row_is_sum>,       roll<over, Per::Second, row_is_sum>,
    roll<over, Per::CycleActive, row_is_sum>, roll<over, Per::CycleElapsed, row_is_sum>,
    roll<over, Per::PeakActive, row_is_sum>,  roll<over, Per::PeakElapsed, row_is_sum>};

constexpr const char* kOneTotal = "drywarp counts for the whole GPU, not for each unit";
constexpr const char* kNoUnits = "the number of these units is not modelled";
constexpr const char* kNoPeak = "the peak is not modelled";
constexpr const char* kOtherClock = "the clock of this unit is not modelled";

class Table {
 public:
  Table() {
    for (const Metric& row : all_metrics())
      for (const std::string_view name : {row.name, row.alias})
        if (!name.empty()) rows_.emplace(name, &row);
    for (const Metric& row : all_metrics())
      for (const std::string_view name : {row.name, row.alias})
        if (!name.empty() && row.formula) add_counter(row, name);
  }
  [[nodiscard]] std::span<const Metric> all() const { return made_; }
  [[nodiscard]] const Metric* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &made_[found->second];
  }
  [[nodiscard]] const std::unordered_map<std::string_view, const Metric*>& rows() const { return rows_; }

 private:
  void add_counter(const Metric& row, std::string_view name) {
    const SplitName split = split_rollup(name);
    const Unit* unit = unit_of(name);
    if (!unit) return;
    if (split.rollup == "sum" || split.rollup == "avg")
      add_forms(row, split.base, *unit, split.rollup == "sum");
    else if (split.rollup.starts_with("avg.pct_of_peak_sustained_"))
      add_percentages(row, split);
  }
  void add_forms(const Metric& row, std::string_view base, const Unit& unit, bool row_is_sum) {
    const bool one = unit.prefix == std::string_view("gpu__");
    for (size_t over = 0; over < kOver.size(); ++over)
      for (size_t per = 0; per < kPer.size(); ++per) {
        const auto o = static_cast<Over>(over);
        const auto p = static_cast<Per>(per);
        const bool percent = p == Per::PeakActive || p == Per::PeakElapsed;
        const char* why = nullptr;
        if (percent && !peak_of(base))
          why = kNoPeak;
        else if ((o == Over::Min || o == Over::Max) && !one)
          why = kOneTotal;
        // Of the clocks, drywarp models the SM's; a percentage of the elapsed time needs none if the peak is per
        // second.
        else if (p != Per::Total && p != Per::Second && p != Per::PeakElapsed && unit.clock == Clock::Other)
          why = kOtherClock;
        else if (!one && !has_count(unit) && !(percent && peak_of(base)->per == PeakPer::Second) &&
                 (o == Over::Sum) != row_is_sum)
          why = kNoUnits;
        Function f = unchanged;
        if (!one || p != Per::Total)
          f = o == Over::Sum ? (row_is_sum ? kRolls<Over::Sum, true>[per] : kRolls<Over::Sum, false>[per])
                             : (row_is_sum ? kRolls<Over::Avg, true>[per] : kRolls<Over::Avg, false>[per]);
        std::string unit_text = percent ? "%" : std::string(row.unit) + std::string(kPer[per].unit);
        if (unit_text == "cycle/s") unit_text = "hz";
        add(row, std::string(base) + "." + std::string(kOver[over]) + std::string(kPer[per].suffix),
            std::move(unit_text), why, f);
      }
  }
  // The sum's share of the sum of the peaks is the average's share of one peak.
  void add_percentages(const Metric& row, const SplitName& split) {
    const std::string rest(split.rollup.substr(3));
    const std::string base(split.base);
    add(row, base + ".sum" + rest, "%", nullptr, unchanged);
    add(row, base + ".max" + rest, "%", kOneTotal, unchanged);
    add(row, base + ".min" + rest, "%", kOneTotal, unchanged);
  }
  [[nodiscard]] static bool has_count(const Unit& unit) {
    sm::Summary some;
    some.sms = some.schedulers = 1;
    return unit.instances(some) > 0;
  }
  void add(const Metric& row, std::string name, std::string unit, const char* why, Function f) {
    if (rows_.contains(name) || by_name_.contains(name)) return;
    Metric m = row;
    m.name = texts_.emplace_back(std::move(name));
    m.alias = {};
    m.unit = texts_.emplace_back(std::move(unit));
    m.show = Show::No, m.formula = nullptr, m.compilers = false;
    m.group = Group::Timing;
    m.klass = why ? MetricClass::NotAvailable : MetricClass::Modelled;
    m.reason = why ? why : "";
    m.counter = &row;
    m.roll_up = why ? nullptr : f;
    by_name_.emplace(m.name, made_.size());
    made_.push_back(m);
  }

  std::deque<std::string> texts_;
  std::vector<Metric> made_;
  std::unordered_map<std::string_view, const Metric*> rows_;
  std::unordered_map<std::string_view, size_t> by_name_;
};

const Table& table() {
  static const Table made;
  return made;
}

}  // namespace

SplitName split_rollup(std::string_view name) {
  const size_t unit = name.find("__");
  const size_t dot = name.find('.', unit == std::string_view::npos ? 0 : unit);
  if (dot == std::string_view::npos) return {name, {}};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

const Metric* find_rollup(std::string_view name) { return table().find(name); }
std::span<const Metric> all_rollups() { return table().all(); }

std::vector<Selected> expand_base(std::string_view base) {
  std::vector<Selected> first, deeper;
  for (const Selected& s : compute_names()) {
    const SplitName split = split_rollup(s.name);
    if (split.base != base || split.rollup.empty()) continue;
    (split.rollup.find('.') == std::string_view::npos ? first : deeper).push_back(s);
  }
  return first.empty() ? deeper : first;
}

const std::vector<Selected>& compute_names() {
  static const std::vector<Selected> names = [] {
    std::vector<Selected> all;
    for (const auto& [name, row] : table().rows())
      if (name.find("__") != std::string_view::npos && !name.starts_with("ptx__")) all.push_back({row, name});
    for (const Metric& m : table().all()) all.push_back({&m, m.name});
    std::ranges::sort(all, {}, &Selected::name);
    return all;
  }();
  return names;
}

}  // namespace drywarp::metrics
