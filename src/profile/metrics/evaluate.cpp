#include "profile/metrics/evaluate.h"

#include <algorithm>
#include <array>

namespace drywarp::metrics {
namespace {

using Number = std::optional<double>;

// Functions for the formulas of metrics.def.
Number count(uint64_t n) { return static_cast<double>(n); }
Number ratio(uint64_t a, uint64_t b) {
  if (b == 0) return std::nullopt;
  return static_cast<double>(a) / static_cast<double>(b);
}
Number percent(uint64_t part, uint64_t whole) {
  const Number r = ratio(part, whole);
  return r ? Number(100 * *r) : std::nullopt;
}
Number launched(const Sums& s, Number value) { return s.whole ? value : std::nullopt; }
Number launched(const Sums& s, uint64_t n) { return launched(s, count(n)); }
Number branch_efficiency(const Sums& s) {
  return s.branches == 0 ? Number(s.all().warps == 0 ? std::nullopt : Number(100))
                         : percent(s.branches - s.divergent, s.branches);
}
Number ways(const AccessSums& a) { return a.requests == 0 ? std::nullopt : count(a.ways); }
Number flops(const Sums& s, Precision p, FlopKind k) {
  return count(s.flop_instructions[static_cast<size_t>(p)][static_cast<size_t>(k)]);
}

Number timed(const Facts& f, double sm::Summary::* member) { return f.time ? Number(f.time->*member) : std::nullopt; }
// What the machine code of a launch does, if it is timed and its profile says so; else what the PTX does.
Number of_machine(const Facts& f, const Sums& s, double sm::Summary::* member, uint64_t of_ptx) {
  return s.whole && f.time && f.time->*member > 0 ? Number(f.time->*member) : count(of_ptx);
}
// Wavefronts of accesses by lanes, without products of warp groups.
uint64_t of_lanes(const AccessSums& a) { return a.units - a.group_units; }
Number machine_wavefronts(const Facts& f, const Sums& s) {
  const Number loads =
      of_machine(f, s, &sm::Summary::shared_load_wavefronts, of_lanes(s.of(Memory::Shared, AccessKind::Load)));
  const Number stores =
      of_machine(f, s, &sm::Summary::shared_store_wavefronts, s.of(Memory::Shared, AccessKind::Store).units);
  return *loads + *stores + static_cast<double>(s.of(Memory::Shared, AccessKind::Load).group_units) +
         static_cast<double>(s.of(Memory::Shared, AccessKind::Atomic).units);
}
Number per_second(const Facts& f, uint64_t amount) {
  if (!f.time || f.time->duration_ns == 0) return std::nullopt;
  return static_cast<double>(amount) / (f.time->duration_ns * 1e-9);
}
Number flop_efficiency(const Sums& s, const Facts& f, Precision p) {
  if (!f.time || f.time->duration_ns == 0) return std::nullopt;
  const double peak =
      std::array{f.time->peak_hp_flops, f.time->peak_sp_flops, f.time->peak_dp_flops}[static_cast<size_t>(p)];
  if (peak == 0) return std::nullopt;
  return 100 * static_cast<double>(s.flops[static_cast<size_t>(p)]) / (f.time->duration_ns * 1e-9) / peak;
}
Number warps_stalled(const Facts& f, sm::Stall stall) {
  return f.time ? Number(f.time->stalls_per_issue[static_cast<size_t>(stall)]) : std::nullopt;
}
// The share of a warp's time in one of these states.
Number stalled_percent(const Facts& f, std::initializer_list<sm::Stall> stalls) {
  if (!f.time) return std::nullopt;
  double part = 0, all = 0;
  for (const double s : f.time->stalls_per_issue) all += s;
  for (const sm::Stall s : stalls) part += f.time->stalls_per_issue[static_cast<size_t>(s)];
  return all == 0 ? std::nullopt : Number(100 * part / all);
}

using enum Show;

#define DW_METRIC(name, alias, group, unit, klass, show, formula, description) \
  Metric{name,                                                                 \
         alias,                                                                \
         Group::group,                                                         \
         unit,                                                                 \
         MetricClass::klass,                                                   \
         show,                                                                 \
         "",                                                                   \
         description,                                                          \
         [](const Sums& s, const Facts& f) -> Number {                         \
           (void)s, (void)f;                                                   \
           return formula;                                                     \
         }},
#define DW_COMPILERS(name, alias, group, unit, show, formula, description) \
  Metric{name,                                                             \
         alias,                                                            \
         Group::group,                                                     \
         unit,                                                             \
         MetricClass::Modelled,                                            \
         show,                                                             \
         "",                                                               \
         description,                                                      \
         [](const Sums&, const Facts& f) -> Number { return formula; },    \
         true},
#define DW_UNAVAILABLE(name, alias, group, unit, reason, description) \
  Metric{name, alias, Group::group, unit, MetricClass::NotAvailable, No, reason, description, nullptr},
const Metric kTable[] = {
#include "profile/metrics/metrics.def"
};

}  // namespace

const char* name(MetricClass c) {
  constexpr std::array<const char*, 3> names = {"exact", "modelled", "not available"};
  return names[static_cast<size_t>(c)];
}

const char* title(Group g) {
  constexpr std::array<const char*, kGroups> titles = {
      "Launch",        "Instructions", "Divergence", "Global memory",  "Local memory",
      "Shared memory", "Atomics",      "Barriers",   "Floating point", "Time, caches and occupancy"};
  return titles[static_cast<size_t>(g)];
}

Facts facts(const KernelInfo& kernel, const LaunchSize& shape) {
  Facts f;
  f.blocks = static_cast<double>(shape.blocks);
  f.block_threads = static_cast<double>(shape.block_threads);
  f.threads = *f.blocks * *f.block_threads;
  if (kernel.registers != 0) f.registers = kernel.registers;
  f.static_shared = static_cast<double>(kernel.static_shared_bytes);
  f.dynamic_shared = static_cast<double>(shape.dynamic_shared_bytes);
  return f;
}

std::span<const Metric> all_metrics() { return kTable; }

std::vector<Value> evaluate(const KernelInfo& kernel, const LaunchCounts& counts, const LaunchSize& shape) {
  const Sums sums = sum_launch(kernel, counts);
  const Facts known = facts(kernel, shape);
  std::vector<Value> values;
  values.reserve(std::size(kTable));
  for (const Metric& m : kTable) values.push_back({&m, m.evaluate(sums, known)});
  return values;
}

void Spread::add(std::optional<double> value) {
  if (!value) return;
  min = launches == 0 ? *value : std::min(min, *value);
  max = launches == 0 ? *value : std::max(max, *value);
  sum += *value;
  ++launches;
}

}  // namespace drywarp::metrics
