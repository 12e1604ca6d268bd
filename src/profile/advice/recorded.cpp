#include "profile/advice/recorded.h"

#include <utility>

#include "profile/metrics/evaluate.h"

namespace drywarp::advice {
namespace {

// A metric as a ratio of two others, times a factor.
struct Quotient {
  const char *name, *above, *below;  // below: null for a multiple of `above`
  double factor;
};
constexpr Quotient kQuotients[] = {
    {"warp_execution_efficiency", "smsp__thread_inst_executed_per_inst_executed.ratio", nullptr, 100.0 / 32},
    {"warp_execution_efficiency", "smsp__thread_inst_executed.sum", "smsp__inst_executed.sum", 100.0 / 32},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 1},
};

}  // namespace

MetricValue recorded_metrics(MetricValue column) {
  return [column = std::move(column)](const std::string& name) -> std::optional<double> {
    if (const auto value = column(name)) return value;
    if (const metrics::Metric* metric = metrics::find_metric(name))
      for (const std::string_view other : {metric->name, metric->alias})
        if (!other.empty())
          if (const auto value = column(std::string(other))) return value;
    for (const Quotient& q : kQuotients) {
      if (name != q.name) continue;
      const auto above = column(q.above), below = q.below ? column(q.below) : std::optional(1.0);
      if (above && below && *below > 0) return q.factor * *above / *below;
    }
    return std::nullopt;
  };
}

}  // namespace drywarp::advice
