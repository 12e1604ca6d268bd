#include "profile/report/writers/csv.h"

#include <fmt/format.h>

#include <ostream>

#include "profile/report/model/numbers.h"

namespace drywarp::report {
namespace {

std::string quoted_extent(const record::Extent& e) { return fmt::format("\"({}, {}, {})\"", e.x, e.y, e.z); }

void write_csv_lines(std::ostream& out, const ReportModel& model) {
  out << "Kernel,File,Line,Source,Metric Name,Metric Unit,Metric Class,Metric Value\n";
  for (const KernelModel& kernel : model.kernels) {
    for (const LineModel& line : kernel.lines) {
      const std::string prefix =
          fmt::format("{},{},{},{}", csv_cell(kernel.name), csv_cell(line.file), line.line, csv_cell(line.source));
      const auto row = [&](std::string_view name, std::string_view unit, metrics::MetricClass klass, double value) {
        out << fmt::format("{},{},{},{},{}\n", prefix, csv_cell(name), csv_cell(unit), metrics::name(klass),
                           full(value));
      };
      for (const metrics::Selected& s : model.selection)
        if (const auto value = s.metric->evaluate(line.sums, {}); value && *value != 0)
          row(s.name, s.metric->unit, s.metric->klass, *value);
      if (line.time.issued == 0) continue;
      constexpr auto kModelled = metrics::MetricClass::Modelled;
      row("time_share", "%", kModelled, 100 * line.time.share);
      row("inst_executed", "inst", kModelled, static_cast<double>(line.time.issued));
      row("warp_cycles", "cycle", kModelled, line.time.warp_cycles());
      for (unsigned k = 0; k < sm::kStalls; ++k)
        if (line.time.stalls[k] > 0)
          row(fmt::format("warp_cycles_{}", sm::name(static_cast<sm::Stall>(k))), "cycle", kModelled,
              line.time.stalls[k]);
    }
  }
}

void write_csv_launches(std::ostream& out, const ReportModel& model) {
  out << "Launch,Kernel,Grid,Block,Dynamic Shared,Stream,Range,Metric Name,Metric Unit,Metric Class,Metric Value\n";
  for (const LaunchModel& launch : model.launches) {
    const record::LaunchRecord& r = *launch.record;
    const std::string prefix =
        fmt::format("{},{},{},{},{},{},{}", launch.index, csv_cell(model.kernels[launch.kernel].name),
                    quoted_extent(r.grid), quoted_extent(r.block), r.dynamic_shared_bytes, r.stream, csv_cell(r.range));
    for (size_t i = 0; i < model.selection.size(); ++i) {
      const metrics::Selected& s = model.selection[i];
      out << prefix << ',' << csv_cell(s.name) << ',' << csv_cell(s.metric->unit) << ','
          << metrics::name(s.metric->klass_from(launch.info->resources_from)) << ',' << full(launch.values[i]) << '\n';
    }
  }
}

}  // namespace

void write_csv(std::ostream& out, const ReportModel& model, const ReportOptions& options) {
  options.source_lines ? write_csv_lines(out, model) : write_csv_launches(out, model);
}

}  // namespace drywarp::report
