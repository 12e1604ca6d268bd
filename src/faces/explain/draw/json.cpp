// Sectors, banks, warps and branches as JSON.
#include <fmt/format.h>

#include "faces/explain/draw/json_parts.h"

namespace drywarp::explain {

std::string to_json(const AccessExplanation& e) {
  Json json = start("access");
  json["access"] = e.text;
  json["bytes"] = e.bytes;
  add_launch(json, e.launch);
  json["verdict"] = name(e.verdict);
  json["coalesced"] = e.verdict == Verdict::Coalesced || e.verdict == Verdict::Broadcast;
  json["warp"] = warp_json(e.shown);
  Json spread = Json::object();
  for (const auto& [sectors, warps] : e.warps_by_sectors) spread[fmt::format("{}", sectors)] = warps;
  json["all"] = {{"blocks", e.examined_blocks},
                 {"warps", e.warps},
                 {"requests", e.requests},
                 {"sectors", e.sectors},
                 {"ideal_sectors", e.ideal_sectors},
                 {"packed_sectors", e.packed_sectors},
                 {"sectors_per_request", e.sectors_per_request()},
                 {"requested_bytes", e.requested_bytes},
                 {"unique_bytes", e.unique_bytes},
                 {"efficiency_percent", e.efficiency()},
                 {"warps_by_sectors", spread}};
  json["device"] = {{"name", e.device},
                    {"line_bytes", maybe(e.line_bytes)},
                    {"past_l1", e.past_l1},
                    {"filled_bytes", maybe(e.moved_bytes)},
                    {"pieces", maybe(e.device_pieces)},
                    {"coalesced_lanes", maybe(e.coalesced_lanes)}};
  Json segments = Json::object();
  for (const auto& [size, count] : e.segments) segments[fmt::format("{}", size)] = count;
  json["device"]["segments"] = std::move(segments);
  return finish(json);
}

std::string to_json(const BankExplanation& e) {
  Json json = start("banks");
  json["access"] = e.text;
  json["bytes"] = e.bytes;
  add_launch(json, e.launch);
  json["warp"] = warp_json(e.shown);
  json["all"] = {{"blocks", e.examined_blocks},
                 {"warps", e.warps},
                 {"requests", e.requests},
                 {"wavefronts", e.wavefronts},
                 {"ideal_wavefronts", e.ideal_wavefronts},
                 {"worst_ways", e.worst_ways},
                 {"efficiency_percent", e.efficiency()}};
  const auto padding = [](const Padding& p) {
    return Json{{"elements", p.elements}, {"wavefronts", p.wavefronts}, {"ideal_wavefronts", p.ideal_wavefronts}};
  };
  Json tried = Json::array();
  for (const Padding& p : e.tried) tried.push_back(padding(p));
  json["padding"] = {{"of", e.pads_rows ? "rows" : fmt::format("every {} bytes", e.padded_bytes())},
                     {"tried", tried},
                     {"suggestion", e.suggestion ? padding(*e.suggestion) : Json()}};
  json["device"] = {{"name", e.device}};
  json["device"]["banks"] = e.device_known ? Json(e.banks.count) : Json();
  json["device"]["bank_bytes"] = e.device_known ? Json(e.banks.bank_bytes) : Json();
  json["device"]["word_bytes"] = e.banks.word_bytes;
  return finish(json);
}

std::string to_json(const WarpExplanation& e) {
  Json json = start("warps");
  add_launch(json, e.launch);
  json["threads_per_block"] = e.launch.threads();
  json["warps_per_block"] = e.warps.size();
  json["idle_lanes_per_block"] = e.idle_lanes();
  json["blocks"] = e.launch.blocks();
  json["warps_in_grid"] = e.warps_in_grid();
  Json all = Json::array();
  for (const WarpThreads& w : e.warps)
    all.push_back({{"warp", w.warp}, {"threads", w.threads}, {"first", w.first}, {"last", w.last}});
  json["warps"] = std::move(all);
  return finish(json);
}

std::string to_json(const DivergenceExplanation& e) {
  static constexpr const char* kKinds[] = {"if", "switch", "loop"};
  Json json = start("divergence");
  json["branch"] = kKinds[static_cast<unsigned>(e.kind)];
  json["expression"] = e.text;
  add_launch(json, e.launch);
  json["all"] = {{"blocks", e.examined_blocks},
                 {"warps", e.warps},
                 {"working_warps", e.working_warps},
                 {"divergent_warps", e.divergent_warps},
                 {"branches", e.branches},
                 {"divergent_branches", e.divergent_branches},
                 {"branch_efficiency_percent", e.branch_efficiency()},
                 {"passes", e.passes},
                 {"split_trips", e.split_trips},
                 {"active_lanes", e.lanes},
                 {"efficiency_percent", e.efficiency()}};
  Json trips = Json::array();
  for (const TripCounts& t : e.trips)
    trips.push_back({{"trip", t.trip}, {"warps", t.warps}, {"divergent_warps", t.divergent}, {"lanes", t.lanes}});
  if (e.kind == BranchKind::Loop) json["trips"] = std::move(trips);
  Json warps = Json::array();
  for (const WarpPaths& w : e.shown) {
    Json passes = Json::array();
    for (const Pass& p : w.passes) passes.push_back({{"value", p.value}, {"lanes", lane_numbers(p.lanes)}});
    warps.push_back(
        {{"block", w.block}, {"warp", w.warp}, {"warps", w.warps}, {"divergent", w.divergent}, {"passes", passes}});
  }
  json["warps"] = std::move(warps);  // the first ones
  return finish(json);
}

std::string to_json(const ReductionExplanation& e) {
  Json json = start("divergence");
  json["reduction"] = name(e.reduction);
  json["condition"] = condition(e.reduction);
  json["threads_per_block"] = e.threads;
  json["elements"] = e.elements;
  json["blocks"] = e.blocks();
  json["additions_per_block"] = e.additions();
  Json rounds = Json::array();
  for (const ReductionRound& r : e.rounds)
    rounds.push_back({{"stride", r.stride},
                      {"threads", r.threads},
                      {"working_warps", r.warps},
                      {"divergent_warps", r.divergent_warps}});
  json["rounds"] = std::move(rounds);
  return finish(json);
}

}  // namespace drywarp::explain
