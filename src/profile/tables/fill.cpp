#include "profile/tables/fill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "profile/report/model/model.h"
#include "profile/tables/tables.h"

namespace drywarp::tables {
namespace {

using report::KernelModel;
using report::LaunchModel;
using report::LineModel;
using report::ReportModel;
using store::Database;
using store::Statement;

// Inserts rows into one table, a value for each of its columns. After an error it does nothing more.
class Rows {
 public:
  static Result<Rows> of(Database& db, std::string_view name) {
    const auto table = std::ranges::find(all_tables(), name, [](const Table& t) { return std::string_view(t.name); });
    std::vector<std::string_view> marks(table->columns.size(), "?");
    auto prepared = db.prepare(fmt::format("INSERT INTO {} VALUES({})", name, fmt::join(marks, ",")));
    if (!prepared) return prepared.problem();
    return Rows(std::move(*prepared));
  }
  template <class... Values>
  void add(const Values&... values) {
    if (!status_) return;
    int column = 0;
    (bind(column++, values), ...);
    status_ = statement_.run();
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  explicit Rows(Statement statement) : statement_(std::move(statement)) {}
  void bind(int column, std::string_view text) { statement_.bind(column, text); }
  void bind(int column, const std::string& text) { statement_.bind(column, std::string_view(text)); }
  void bind(int column, const char* text) { statement_.bind(column, std::string_view(text)); }
  void bind(int column, double value) {
    std::isfinite(value) ? statement_.bind(column, value) : statement_.bind_null(column);
  }
  template <std::integral Number>
  void bind(int column, Number value) {
    statement_.bind(column, static_cast<int64_t>(value));
  }
  template <class T>
  void bind(int column, const std::optional<T>& value) {
    value ? bind(column, *value) : void(statement_.bind_null(column));
  }
  Statement statement_;
  Status status_;
};

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// The bytes of a launch's values, to find equal ones.
std::string key_of(const std::vector<std::optional<double>>& values) {
  std::string key;
  for (const auto& value : values) {
    const double number = value.value_or(0);
    char raw[sizeof number];
    std::memcpy(raw, &number, sizeof number);
    key.append(1, value ? '1' : '0').append(raw, sizeof raw);
  }
  return key;
}

Status fill_conventions(Database& db, const ReportModel& model) {
  auto rows = Rows::of(db, "conventions");
  if (!rows) return rows.problem();
  rows->add("classes", "exact: counted; modelled: computed by a model of the GPU; a metric without a value is NULL");
  rows->add("counts",
            "of PTX instructions and of what they did; names of the hardware's counters where they are equal");
  rows->add("sectors",
            model.profile->moves.empty() ? "of 32 bytes" : "of 32 bytes; this GPU moves " + model.profile->moves);
  rows->add("host_seconds", "time on the machine that drywarp ran on; it says nothing about a GPU");
  const auto timed = std::ranges::find_if(model.kernels, [](const KernelModel& k) { return k.time.has_value(); });
  if (timed != model.kernels.end()) {
    rows->add("seconds", "modelled: each kernel runs alone, with cold caches, with the launch's overhead");
    rows->add("launch_overhead_seconds", fmt::format("{}", timed->time->summary.launch_overhead_ns * 1e-9));
    rows->add("sm_clock_hz", fmt::format("{}", timed->time->summary.sm_clock_hz));
  }
  return rows->status();
}

Status fill_kernels(Database& db, const ReportModel& model) {
  auto rows = Rows::of(db, "kernels"), metrics = Rows::of(db, "kernel_metrics");
  if (!rows) return rows.problem();
  if (!metrics) return metrics.problem();
  for (size_t i = 0; i < model.kernels.size(); ++i) {
    const KernelModel& k = model.kernels[i];
    const report::KernelTime* time = k.time ? &*k.time : nullptr;
    const auto of_time = [&](double value) { return time ? std::optional(value) : std::nullopt; };
    const report::Tally seconds = time ? time->seconds : report::Tally{};
    const advice::Verdict* limiter = time && time->limiter ? &*time->limiter : nullptr;
    const auto of_limiter = [&](const std::string& text) { return limiter ? unless_empty(text) : std::nullopt; };
    rows->add(i, k.name, k.mangled, k.calls, k.counted, k.faults,
              k.registers == 0 ? std::nullopt : std::optional(k.registers), name(k.registers_from),
              k.static_shared_bytes, k.local_bytes, k.warp_instructions.total, of_time(seconds.total),
              of_time(seconds.min), of_time(seconds.max), seconds.count, of_time(time ? time->share : 0),
              k.host_seconds.total, of_limiter(limiter ? advice::key(limiter->limiter) : ""),
              of_limiter(limiter ? limiter->unit : ""), of_limiter(limiter ? limiter->text : ""));
    for (size_t m = 0; m < model.selection.size(); ++m) {
      const metrics::Spread& spread = k.spreads[m];
      if (spread.launches == 0) continue;
      metrics->add(i, model.selection[m].metric->name, k.totals[m], spread.min, spread.max, spread.avg(),
                   spread.launches);
    }
  }
  return rows->status() ? metrics->status() : rows->status();
}

Status fill_launches(Database& db, const ReportModel& model) {
  auto definitions = Rows::of(db, "metric_definitions"), values = Rows::of(db, "metric_values"),
       rows = Rows::of(db, "launches");
  for (const auto* prepared : {&definitions, &values, &rows})
    if (!*prepared) return prepared->problem();
  for (size_t m = 0; m < model.selection.size(); ++m) {
    const metrics::Metric& metric = *model.selection[m].metric;
    definitions->add(m, metric.name, unless_empty(std::string(metric.alias)), metrics::title(metric.group), metric.unit,
                     metrics::name(metric.klass), metric.compilers, metric.description);
  }
  std::unordered_map<std::string, size_t> results;
  for (size_t i = 0; i < model.launches.size(); ++i) {
    const LaunchModel& launch = model.launches[i];
    const record::LaunchRecord& r = *launch.record;
    const auto [result, is_new] = results.try_emplace(key_of(launch.values), results.size());
    for (size_t m = 0; is_new && m < launch.values.size(); ++m) values->add(result->second, m, launch.values[m]);
    const advice::Verdict* limiter = launch.limiter.get();
    rows->add(i, launch.kernel, model.kernels[launch.kernel].name, r.grid.x, r.grid.y, r.grid.z, r.block.x, r.block.y,
              r.block.z, r.dynamic_shared_bytes, r.stream, r.range, r.start_seconds, r.host_seconds, r.counted,
              r.time ? std::optional(r.time->summary.duration_ns * 1e-9) : std::nullopt, launch.simulated,
              unless_empty(r.untimed), limiter ? std::optional(advice::key(limiter->limiter)) : std::nullopt,
              limiter ? unless_empty(limiter->unit) : std::nullopt, unless_empty(r.fault), result->second);
  }
  for (const auto* filled : {&definitions, &values, &rows})
    if (!(*filled)->status()) return (*filled)->status();
  return {};
}

Status fill_advice(Database& db, const ReportModel& model) {
  auto rows = Rows::of(db, "advice");
  if (!rows) return rows.problem();
  const auto add = [&](std::optional<size_t> kernel, const std::vector<advice::Advice>& all) {
    size_t rank = 0;
    for (const advice::Advice& a : all) {
      const advice::Finding& f = a.finding;
      const auto line = f.lines.empty() ? std::nullopt : std::optional(f.lines.front());
      rows->add(kernel, rank++, a.rule->key, f.headline, f.observation, unless_empty(f.cure),
                unless_empty(fmt::format("{}", fmt::join(f.sketch, "\n"))),
                a.gain ? std::optional(a.gain->factor) : std::nullopt, unless_empty(a.gain ? "" : a.not_estimated),
                advice::text(a.rule->item).title, line ? std::optional(line->file) : std::nullopt,
                line ? std::optional(line->line) : std::nullopt);
    }
  };
  add(std::nullopt, model.advice);
  for (size_t k = 0; k < model.kernels.size(); ++k) add(k, model.kernels[k].advice);
  return rows->status();
}

Status fill_lines(Database& db, const ReportModel& model) {
  auto rows = Rows::of(db, "lines"), metrics = Rows::of(db, "line_metrics"), stalls = Rows::of(db, "stalls");
  for (const auto* prepared : {&rows, &metrics, &stalls})
    if (!*prepared) return prepared->problem();
  for (size_t k = 0; k < model.kernels.size(); ++k) {
    const bool timed = model.kernels[k].time.has_value();
    for (const LineModel& line : model.kernels[k].lines) {
      const auto of_time = [&](double value) { return timed ? std::optional(value) : std::nullopt; };
      rows->add(k, line.file, line.line, line.source, line.cost, line.instructions_share, line.sectors_share,
                line.wavefronts_share, line.divergent_share, of_time(line.time.share), of_time(line.time.seconds),
                timed ? std::optional(line.time.issued) : std::nullopt, of_time(line.time.warp_cycles()));
      for (const metrics::Selected& s : model.selection)
        if (const auto value = s.metric->evaluate(line.sums, {}); value && *value != 0)
          metrics->add(k, line.file, line.line, s.metric->name, *value);
      for (unsigned reason = 0; reason < sm::kStalls; ++reason)
        if (line.time.stalls[reason] > 0)
          stalls->add(k, line.file, line.line, sm::name(static_cast<sm::Stall>(reason)), line.time.stalls[reason]);
    }
  }
  for (const auto* filled : {&rows, &metrics, &stalls})
    if (!(*filled)->status()) return (*filled)->status();
  return {};
}

Status fill_barriers(Database& db, const ReportModel& model) {
  auto rows = Rows::of(db, "barriers");
  if (!rows) return rows.problem();
  for (size_t k = 0; k < model.kernels.size(); ++k)
    for (const BarrierOfLine& b : model.kernels[k].barriers) {
      const BarrierNote& n = b.note;
      const bool of_warp = n.kind == BarrierNote::Kind::DivergentWarp;
      rows->add(k, b.file, b.line, b.ptx_line, key(n.kind), n.times, n.block[0], n.block[1], n.block[2],
                of_warp ? std::optional(n.warp) : std::nullopt, n.waited, n.absent);
    }
  return rows->status();
}

const InstructionInfo* instruction_of(const KernelInfo& kernel, uint32_t access) {
  const auto found = std::ranges::find(kernel.instructions, access, &InstructionInfo::access);
  return found == kernel.instructions.end() ? nullptr : &*found;
}

std::string addresses_json(const AccessSample& sample) {
  std::vector<std::string> texts;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    texts.push_back((sample.lanes >> lane & 1) != 0 ? fmt::format("{}", sample.addresses[lane]) : "null");
  return fmt::format("[{}]", fmt::join(texts, ","));
}

Status fill_accesses(Database& db, const ReportModel& model) {
  static constexpr const char* kMemoryNames[] = {"global", "shared", "local"};
  auto rows = Rows::of(db, "accesses");
  if (!rows) return rows.problem();
  for (const record::SampleRecord& s : model.profile->samples) {
    if (s.launch >= model.launches.size()) continue;
    const LaunchModel& launch = model.launches[s.launch];
    const InstructionInfo* at = instruction_of(*launch.info, s.sample.access);
    const bool placed = at && at->line != 0 && at->file < launch.info->files.size();
    rows->add(s.launch, model.kernels[launch.kernel].name, placed ? launch.info->files[at->file] : std::string(),
              placed ? at->line : 0, at ? at->text : std::string(), at ? at->ptx_line : 0,
              kMemoryNames[static_cast<size_t>(s.sample.memory)], s.sample.size, s.sample.block, s.sample.warp,
              s.sample.units, addresses_json(s.sample));
  }
  return rows->status();
}

Status fill_findings(Database& db, const ReportModel& model) {
  if (!model.profile->checks) return {};
  auto rows = Rows::of(db, "findings");
  if (!rows) return rows.problem();
  const auto add = [&](const Finding& f, std::optional<std::string> reason) {
    const FindingKindInfo& kind = info(f.kind);
    rows->add(kind.key, name(kind.tool), name(kind.severity), f.kernel, f.where.file, f.where.line, f.times,
              checks::message(f), reason);
  };
  for (const Finding& f : model.profile->checks->findings) add(f, std::nullopt);
  for (const checks::Suppressed& s : model.profile->checks->suppressed) add(s.finding, s.by.reason);
  return rows->status();
}

}  // namespace

Status create_tables(Database& db) {
  for (const Table& table : all_tables()) {
    if (table.recorded) continue;
    std::string sql;
    if (table.view) {
      sql = fmt::format("CREATE VIEW {} AS {}", table.name, table.view);
    } else {
      std::vector<std::string> columns;
      for (const Column& c : table.columns) columns.push_back(fmt::format("{} {}", c.name, c.type));
      if (*table.key) columns.push_back(fmt::format("PRIMARY KEY({})", table.key));
      sql = fmt::format("CREATE TABLE {}({}){}", table.name, fmt::join(columns, ", "),
                        *table.key ? " WITHOUT ROWID" : "");
    }
    if (auto s = db.execute(sql.c_str()); !s) return s;
  }
  return {};
}

Status fill_tables(Database& db, const record::Profile& profile) {
  report::ModelOptions options;
  options.selection = metrics::available(false);
  options.advice = true;
  const ReportModel model = report::build_model(profile, options);
  for (const auto fill : {fill_conventions, fill_kernels, fill_launches, fill_advice, fill_lines, fill_barriers,
                          fill_findings, fill_accesses})
    if (auto s = fill(db, model); !s) return s;
  return {};
}

}  // namespace drywarp::tables
