// The traffic between the levels of memory: for a chart of them. Each flow is a metric of the kernel's totals.
#include "profile/document/parts.h"

namespace drywarp::document {
namespace {

struct Flow {
  const char *from, *to, *what;  // in the direction of the data
  const char* metric;
  double bytes;  // of one of its units
};
constexpr double kSector = 32;
constexpr Flow kFlows[] = {
    {"l1", "sm", "global loads", "gld_transactions", kSector},
    {"sm", "l1", "global stores", "gst_transactions", kSector},
    {"l1", "sm", "local loads", "local_load_transactions", kSector},
    {"sm", "l1", "local stores", "local_store_transactions", kSector},
    {"sm", "l1", "atomics", "atomic_transactions", kSector},
    {"shared", "sm", "shared loads", "shared_load_requested_bytes", 1},
    {"sm", "shared", "shared stores", "shared_store_requested_bytes", 1},
    {"l2", "l1", "reads", "l2_tex_read_transactions", kSector},
    {"l1", "l2", "writes", "l2_tex_write_transactions", kSector},
    {"l1", "l2", "atomics", "l2_atomic_transactions", kSector},
    {"dram", "l2", "reads", "dram_read_bytes", 1},
    {"l2", "dram", "writes", "dram_write_bytes", 1},
};

struct HitRate {
  const char *level, *metric;
};
constexpr HitRate kHitRates[] = {{"l1", "tex_cache_hit_rate"}, {"l2", "lts__t_sector_hit_rate.pct"}};

}  // namespace

Json memory_json(const report::KernelModel& kernel) {
  const auto& all = document_metrics();
  Json flows = Json::array(), rates = Json::array();
  for (const Flow& flow : kFlows) {
    const size_t metric = metric_index(flow.metric);
    const auto& value = kernel.totals[metric];
    flows.push_back({{"from", flow.from},
                     {"to", flow.to},
                     {"what", flow.what},
                     {"bytes", value ? report::number(*value * flow.bytes) : Json()},
                     {"class", metrics::name(all[metric].metric->klass)},
                     {"metric", metric}});
  }
  for (const HitRate& rate : kHitRates) {
    const size_t metric = metric_index(rate.metric);
    rates.push_back({{"level", rate.level}, {"percent", report::number(kernel.totals[metric])}, {"metric", metric}});
  }
  // Exact flows are of all counted launches, modelled ones of those with a time.
  return {{"counted_launches", kernel.counted},
          {"timed_launches", kernel.time ? kernel.time->seconds.count : 0},
          {"flows", std::move(flows)},
          {"hit_rates", std::move(rates)}};
}

}  // namespace drywarp::document
