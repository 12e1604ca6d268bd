#include "profile/report/json/json_parts.h"

namespace drywarp::report {

Json timing_json(const ReportModel& model) {
  if (!model.any_time()) return nullptr;
  const sm::Summary& s = *model.any_time();
  return {{"class", "modelled"},
          {"caches", "cold"},
          {"kernels", "alone"},
          {"launch_overhead", "included"},
          {"launch_overhead_seconds", number(s.launch_overhead_ns * 1e-9)},
          {"sm_clock_hz", number(s.sm_clock_hz)},
          {"multiprocessors", number(s.sms)},
          {"peaks",
           {{"hp_flops", number(s.peak_hp_flops)},
            {"sp_flops", number(s.peak_sp_flops)},
            {"dp_flops", number(s.peak_dp_flops)},
            {"dram_bytes_per_second", number(s.peak_dram_bytes)},
            {"l2_bytes_per_second", number(s.peak_l2_bytes)},
            {"l1_bytes_per_second", number(s.peak_l1_bytes)}}}};
}

Json stand_ins_json(const std::vector<machine::StandIn>& stand_ins) {
  Json all = Json::array();
  for (const machine::StandIn& s : stand_ins) all.push_back({{"number", s.number}, {"by", s.by}});
  return all;
}

Json stalls_json(const sm::StallCycles& stalls) {
  Json all = Json::object();
  for (unsigned k = 0; k < sm::kStalls; ++k)
    if (stalls[k] > 0) all[sm::name(static_cast<sm::Stall>(k))] = number(stalls[k]);
  return all;
}

Json part_time_json(const PartTime& part) {
  return {{"share", part.share},
          {"seconds", part.seconds},
          {"instructions", part.issued},
          {"warp_cycles", number(part.warp_cycles())},
          {"stalls", stalls_json(part.stalls)}};
}

Json kernel_time_json(const KernelModel& kernel) {
  if (!kernel.time) return nullptr;
  const KernelTime& t = *kernel.time;
  Json out = {{"seconds", t.seconds.total},
              {"min", t.seconds.min},
              {"max", t.seconds.max},
              {"avg", t.seconds.avg()},
              {"share", t.share},
              {"calls", t.seconds.count},
              {"simulated_calls", t.simulated},
              {"blocks", number(t.summary.blocks)},
              {"simulated_blocks", number(t.summary.simulated_blocks)},
              {"sms", number(t.summary.sms)},
              {"simulated_sms", number(t.summary.simulated_sms)},
              {"class", "modelled"}};
  out["stand_ins"] = stand_ins_json(t.stand_ins);
  const Json parts = part_time_json(t.parts);
  out["warp_cycles"] = parts["warp_cycles"];
  out["stalls"] = parts["stalls"];
  return out;
}

Json launch_time_json(const LaunchModel& launch) {
  if (!launch.record->time) return nullptr;
  const sm::Summary& s = launch.record->time->summary;
  return {{"seconds", number(s.duration_ns * 1e-9)},
          {"simulated", launch.simulated},
          {"blocks", number(s.blocks)},
          {"simulated_blocks", number(s.simulated_blocks)},
          {"sms", number(s.sms)},
          {"simulated_sms", number(s.simulated_sms)},
          {"class", "modelled"}};
}

Json rooflines_json(const KernelModel& kernel) {
  Json all = Json::array();
  if (!kernel.time) return all;
  for (const Roofline& r : kernel.time->rooflines) {
    Json levels = Json::array();
    for (const RooflineLevel& l : r.levels)
      levels.push_back({{"level", l.key},
                        {"bytes", number(l.bytes)},
                        {"flops_per_byte", l.bytes > 0 ? number(l.intensity) : Json()},
                        {"peak_bytes_per_second", number(l.peak_bytes)},
                        {"ridge_flops_per_byte", number(l.ridge)},
                        {"roof_flops_per_second", number(l.roof)}});
    all.push_back({{"precision", r.key},
                   {"flops", number(r.flops)},
                   {"flops_per_second", number(r.achieved)},
                   {"peak_flops_per_second", number(r.peak)},
                   {"class", "modelled"},
                   {"levels", std::move(levels)}});
  }
  return all;
}

}  // namespace drywarp::report
