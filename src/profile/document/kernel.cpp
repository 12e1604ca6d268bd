// A kernel: what docs/json.md has of it, with metrics by their place in the document's definitions.
#include <fmt/format.h>

#include "profile/document/parts.h"

namespace drywarp::document {
namespace {

using report::number;

Json totals_json(const report::KernelModel& k) {
  Json values = Json::array(), min = Json::array(), max = Json::array(), avg = Json::array();
  for (size_t i = 0; i < k.totals.size(); ++i) {
    const metrics::Spread& spread = k.spreads[i];
    const bool any = spread.launches != 0;
    values.push_back(number(k.totals[i]));
    min.push_back(any ? number(spread.min) : Json());
    max.push_back(any ? number(spread.max) : Json());
    avg.push_back(any ? number(spread.avg()) : Json());
  }
  return {{"values", std::move(values)}, {"min", std::move(min)}, {"max", std::move(max)}, {"avg", std::move(avg)}};
}

// The metrics that are exact for this kernel only, because a compiler reported them.
Json exact_metrics(const report::KernelModel& k) {
  Json exact = Json::array();
  const auto& all = document_metrics();
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].metric->klass_from(k.registers_from) != all[i].metric->klass) exact.push_back(i);
  return exact;
}

// The metrics of a part of a kernel that are not zero, by their place.
Json part_metrics(const metrics::Sums& sums) {
  Json values = Json::object();
  const auto& all = document_metrics();
  for (size_t i = 0; i < all.size(); ++i) {
    const auto value = all[i].metric->evaluate(sums, {});
    if (value && *value != 0) values[fmt::format("{}", i)] = number(value);
  }
  return values;
}

Json lines_json(const report::KernelModel& k) {
  Json all = Json::array();
  for (const report::LineModel& l : k.lines)
    all.push_back({{"file", l.file},
                   {"line", l.line},
                   {"source", l.source},
                   {"cost", l.cost},
                   {"time", k.time ? report::part_time_json(l.time) : Json()},
                   {"metrics", part_metrics(l.sums)}});
  return all;
}

Json regions_json(const report::KernelModel& k) {
  Json all = Json::array();
  for (const report::RegionModel& r : k.regions)
    all.push_back({{"name", r.name},
                   {"file", r.file},
                   {"first_line", r.first_line},
                   {"last_line", r.last_line},
                   {"time", k.time ? report::part_time_json(r.time) : Json()},
                   {"metrics", part_metrics(r.sums)}});
  return all;
}

Json instructions_json(const report::KernelModel& k) {
  Json all = Json::array();
  for (const report::InstructionModel& i : k.instructions)
    all.push_back({{"ptx_line", i.ptx_line},
                   {"text", i.text},
                   {"file", i.file},
                   {"line", i.line},
                   {"class", name(i.info->klass)},
                   {"code_block", i.info->block == InstructionInfo::kNone ? Json() : Json(i.info->block)},
                   {"time", k.time ? report::part_time_json(i.time) : Json()},
                   {"metrics", part_metrics(i.sums)}});
  return all;
}

}  // namespace

Json kernel_json(const Subject& s, const report::KernelModel& k) {
  Json out = report::kernel_facts_json(k);
  out["exact_metrics"] = exact_metrics(k);
  out["totals"] = totals_json(k);
  out["lines"] = lines_json(k);
  out["instructions"] = instructions_json(k);
  out["regions"] = regions_json(k);
  out["occupancy"] = occupancy_json(s, k);
  out["memory"] = memory_json(k);
  add_machine_code(s, k, out);
  out["drawn"] = drawn_json(s, k);
  return out;
}

}  // namespace drywarp::document
