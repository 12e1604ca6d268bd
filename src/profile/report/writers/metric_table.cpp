// nvprof's --metrics output.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "profile/report/model/numbers.h"
#include "profile/report/writers/table.h"
#include "profile/report/writers/writers.h"

namespace drywarp::report {

using enum Table::Align;

void write_metric_table(std::ostream& out, const ReportModel& model, const ReportOptions& options) {
  const Style style{options.colour};
  const Profile& profile = *model.profile;
  out << "==drywarp== Profiled: " << profile.program << "\n==drywarp== Metric result:\n";
  // One table, so that the columns of all kernels line up.
  Table table({Right, Left, Left, Right, Right, Right, Left}, 2, 0);
  table.head({"Invocations", "Metric Name", "Metric Description", "Min", "Max", "Avg", "Class"});
  const size_t widest = options.width == 0 ? 72 : std::clamp<size_t>(options.width / 2, 30, 72);
  out << fmt::format("Device \"{}\"\n", profile.device);
  std::map<std::string_view, std::string_view> reasons;
  for (const KernelModel& kernel : model.kernels) {
    table.row({"Kernel:", kernel.name});
    for (size_t i = 0; i < model.selection.size(); ++i) {
      const metrics::Metric& m = *model.selection[i].metric;
      const metrics::Spread& spread = kernel.spreads[i];
      const auto value = [&](double v) {
        return spread.launches == 0 ? std::string("n/a") : readable_value(v, m.unit);
      };
      if (m.klass == metrics::MetricClass::NotAvailable) reasons[model.selection[i].name] = m.reason;
      table.row({fmt::format("{}", m.klass == metrics::MetricClass::NotAvailable ? kernel.calls : spread.launches),
                 std::string(model.selection[i].name), cut(std::string(m.description), widest), value(spread.min),
                 value(spread.max), value(spread.avg()), metrics::name(m.klass_from(kernel.registers_from))});
    }
  }
  table.print(out, style);
  if (model.kernels.empty()) out << "No kernels were launched.\n";
  for (const auto& [name, reason] : reasons) out << fmt::format("==drywarp== {}: not available: {}\n", name, reason);
}

}  // namespace drywarp::report
