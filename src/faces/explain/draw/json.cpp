#include "faces/explain/draw/draw.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace drywarp::explain {
namespace {

using Json = nlohmann::ordered_json;

Json start(const char* topic) { return {{"drywarp_explain", kExplainJsonVersion}, {"topic", topic}}; }
// Command lines need not be UTF-8: invalid bytes are replaced.
std::string finish(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

template <class T>
Json maybe(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

void add_launch(Json& json, const LaunchConfiguration& launch) {
  json["block"] = launch.block;
  json["grid"] = launch.grid;
}

// An object for each active lane.
Json lanes(const LaneAccesses& accesses) {
  Json all = Json::array();
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((accesses.active >> lane & 1) == 0) continue;
    const auto address = static_cast<int64_t>(accesses.addresses[lane]);
    all.push_back({{"lane", lane},
                   {"index", accesses.index[lane]},
                   {"address", address},
                   {"sector", address >> 5},
                   {"line", address >> 7}});
  }
  return all;
}

Json lane_numbers(LaneMask mask) {
  Json all = Json::array();
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    if ((mask >> lane & 1) != 0) all.push_back(lane);
  return all;
}

}  // namespace

std::string to_json(const AccessExplanation& e) {
  Json json = start("access");
  json["access"] = e.text;
  json["bytes"] = e.bytes;
  add_launch(json, e.launch);
  json["verdict"] = name(e.verdict);
  json["coalesced"] = e.verdict == Verdict::Coalesced || e.verdict == Verdict::Broadcast;
  Json pieces = Json::object();
  for (const Pieces& p : e.shown.pieces) pieces[fmt::format("{}", p.bytes)] = p.touched;
  json["warp"] = {{"block", e.shown.block},
                  {"warp", e.shown.warp},
                  {"sectors", e.shown.cost.sectors},
                  {"ideal_sectors", e.shown.cost.ideal_sectors},
                  {"packed_sectors", packed_sectors(e.shown.cost.unique_bytes)},
                  {"lines", e.shown.lines},
                  {"unique_bytes", e.shown.cost.unique_bytes},
                  {"pieces", pieces},
                  {"lanes", lanes(e.shown.lanes)}};
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
  Json turns = Json::array();
  for (const BankTurn& turn : e.shown.turns) {
    Json passes = Json::array();
    for (const auto& pass : turn.passes) {
      Json cells = Json::array();
      for (unsigned bank = 0; bank < pass.size(); ++bank)
        if (pass[bank].lanes != 0)
          cells.push_back({{"bank", bank}, {"word", pass[bank].word}, {"lanes", lane_numbers(pass[bank].lanes)}});
      passes.push_back(std::move(cells));
    }
    turns.push_back({{"lanes", lane_numbers(turn.lanes)}, {"wavefronts", turn.wavefronts}, {"passes", passes}});
  }
  json["warp"] = {{"block", e.shown.block},
                  {"warp", e.shown.warp},
                  {"wavefronts", e.shown.cost.wavefronts},
                  {"ideal_wavefronts", e.shown.cost.ideal_wavefronts},
                  {"ways", e.shown.cost.ways},
                  {"unique_bytes", e.shown.cost.unique_bytes},
                  {"turns", turns}};
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

std::string to_json(const DramTimeline& t) {
  Json json = start("dram");
  const TimelineQuery& q = t.query;
  json["latency"] = q.latency;
  json["transfer"] = q.transfer;
  json["banks"] = q.banks;
  json["channels"] = q.channels;
  json["pattern"] = to_string(q.pattern);
  json["channel_gb_per_second"] = t.channel_gbs;
  json["utilization_percent"] = 100 * t.utilization;
  json["bank_conflict_percent"] = 100 * t.conflict_share;
  json["gb_per_second"] = t.gbs;
  json["one_bank_utilization_percent"] = 100 * t.one_bank_utilization;
  json["one_bank_gb_per_second"] = t.one_bank_gbs;
  json["banks_needed"] = t.banks_needed == 0 ? Json() : Json(t.banks_needed);
  Json wanted = Json::array();
  for (const DramTimeline::Wanted& w : t.wanted) wanted.push_back({{"gb_per_second", w.gbs}, {"channels", w.channels}});
  json["channels_for"] = std::move(wanted);
  json["channel_share"] = t.channel_share;
  Json accesses = Json::array();
  for (const TimelineAccess& a : t.accesses)
    accesses.push_back({{"burst", a.burst},
                        {"channel", a.channel},
                        {"bank", a.bank},
                        {"begin", a.begin},
                        {"data", a.data},
                        {"end", a.end}});
  json["accesses"] = std::move(accesses);
  return finish(json);
}

std::string to_json(const DramRows& d) {
  static constexpr const char* kKinds[] = {"hit", "closed", "conflict"};
  Json json = start("dram");
  const RowsQuery& q = d.query;
  json["precharge"] = q.precharge;
  json["activate"] = q.activate;
  json["read"] = q.read;
  json["transfer"] = q.transfer;
  json["banks"] = q.banks;
  json["channels"] = q.channels;
  json["row_bursts"] = q.row_bursts;
  json["pattern"] = to_string(q.pattern);
  json["bursts"] = d.bursts;
  json["row_hits"] = d.hits;
  json["closed_rows"] = d.closed;
  json["bank_conflicts"] = d.conflicts;
  json["utilization_percent"] = 100 * d.utilization;
  Json accesses = Json::array();
  for (const RowAccess& a : d.accesses)
    accesses.push_back({{"burst", a.burst},
                        {"channel", a.channel},
                        {"bank", a.bank},
                        {"row", a.row},
                        {"kind", kKinds[static_cast<unsigned>(a.kind)]},
                        {"begin", a.begin},
                        {"precharged", a.precharged},
                        {"activated", a.activated},
                        {"data", a.data},
                        {"end", a.end}});
  json["accesses"] = std::move(accesses);
  return finish(json);
}

std::string to_json(const DramStream& s) {
  Json json = start("dram");
  json["device"] = s.device;
  json["pattern"] = to_string(s.query.pattern);
  json["bytes"] = s.query.bytes;
  json["elements"] = s.query.elements;
  json["channels"] = s.dram.channels;
  json["banks"] = s.dram.banks;
  json["row_bytes"] = s.dram.row_bytes;
  json["burst_bytes"] = s.dram.burst_bytes;
  json["open_row_ns"] = s.open_row_ns;
  json["row_cycle_ns"] = s.row_cycle_ns;
  json["burst_ns"] = s.burst_ns;
  json["banks_needed"] = s.banks_needed;
  json["wanted_bytes"] = s.wanted_bytes;
  json["moved_bytes"] = s.moved_bytes;
  json["row_hits"] = s.row_hits;
  json["row_misses"] = s.row_misses;
  json["bank_conflicts"] = s.bank_conflicts;
  json["row_hit_percent"] = 100 * s.row_hit_rate();
  json["bytes_by_channel"] = s.channels.bytes;
  json["bytes_by_bank"] = s.banks.bytes;
  json["channel_balance_percent"] = 100 * s.channels.balance();
  json["bank_balance_percent"] = 100 * s.banks.balance();
  json["bytes_per_second"] = s.bytes_per_second();
  json["peak_bytes_per_second"] = s.peak_bytes_per_second;
  return finish(json);
}

std::string to_json(const CacheExplanation& e) {
  Json json = start("caches");
  json["device"] = e.device;
  Json levels = Json::array();
  for (const MemoryLevel& l : e.levels)
    levels.push_back({{"name", l.name},
                      {"of", l.of},
                      {"bytes", maybe(l.bytes)},
                      {"line_bytes", maybe(l.line_bytes)},
                      {"latency_cycles", maybe(l.latency)},
                      {"far_latency_cycles", maybe(l.far_latency)}});
  json["levels"] = std::move(levels);
  json["size"] = e.query.size;
  json["pattern"] = to_string(e.query.pattern);
  json["bytes"] = e.query.bytes;
  json["multiprocessors"] = e.query.multiprocessors;
  Json passes = Json::array();
  for (const CachePass& p : e.passes)
    passes.push_back({{"requests", p.requests},
                      {"l1_sectors", p.l1_sectors},
                      {"l1_hits", p.l1_hits},
                      {"l2_sectors", p.l2_sectors},
                      {"l2_hits", p.l2_hits},
                      {"dram_bytes", p.dram_bytes},
                      {"row_hits", p.row_hits},
                      {"row_misses", p.row_misses},
                      {"mean_latency_cycles", p.mean_latency}});
  json["passes"] = std::move(passes);
  json["l1_data_bytes"] = e.l1_bytes;
  json["past_l1"] = e.past_l1;
  json["not_run"] = e.why_not.empty() ? Json() : Json(e.why_not);
  Json stand_ins = Json::array();
  for (const machine::StandIn& s : e.stand_ins) stand_ins.push_back({{"number", s.number}, {"by", s.by}});
  json["stand_ins"] = std::move(stand_ins);
  return finish(json);
}

std::string to_json(const BranchLine& e) {
  Json json = start("branch_line");
  json["file"] = e.file;
  json["line"] = e.line;
  json["source"] = e.source;
  Json branches = Json::array();
  for (const SourceBranch& b : e.branches)
    branches.push_back({{"kernel", b.kernel},
                        {"instruction", b.instruction},
                        {"ptx_line", b.ptx_line},
                        {"launches", b.launches},
                        {"launch", b.launch},
                        {"grid", {b.grid.x, b.grid.y, b.grid.z}},
                        {"block", {b.block.x, b.block.y, b.block.z}},
                        {"warps", b.warps},
                        {"active_lanes", b.lanes},
                        {"taken", b.taken},
                        {"divergent", b.divergent}});
  json["branches"] = std::move(branches);
  return finish(json);
}

std::string to_json(const LineExplanation& e) {
  Json json = start("line");
  json["file"] = e.file;
  json["line"] = e.line;
  json["source"] = e.source;
  Json accesses = Json::array();
  for (const SourceAccess& a : e.accesses) {
    const bool shared = a.memory == Memory::Shared;
    Json access = {{"kernel", a.kernel},
                   {"instruction", a.instruction},
                   {"ptx_line", a.ptx_line},
                   {"memory", memory_name(a.memory)},
                   {"kind", a.atomic  ? "atomic"
                            : a.store ? "store"
                                      : "load"},
                   {"bytes", a.bytes},
                   {"launches", a.launches},
                   {"launch", a.launch},
                   {"grid", {a.grid.x, a.grid.y, a.grid.z}},
                   {"block", {a.block.x, a.block.y, a.block.z}},
                   {"requests", a.counts.requests},
                   {"active_lanes", a.counts.lanes},
                   {shared ? "wavefronts" : "sectors", a.counts.units},
                   {shared ? "ideal_wavefronts" : "ideal_sectors", a.counts.ideal_units},
                   {"unique_bytes", a.counts.unique_bytes}};
    if (shared) access["ways"] = a.counts.ways;
    access["sample"] = nullptr;
    if (a.sample) {
      const AccessSample& s = a.sample->sample;
      LaneAccesses places;
      places.active = s.lanes, places.addresses = s.addresses;
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        places.index[lane] = static_cast<int64_t>(s.addresses[lane] / s.size);
      access["sample"] = {{"launch", a.sample->launch},
                          {"block", s.block},
                          {"warp", s.warp},
                          {shared ? "wavefronts" : "sectors", s.units},
                          {"step_bytes", maybe(a.step)},
                          {"lanes", lanes(places)}};
    }
    accesses.push_back(std::move(access));
  }
  json["accesses"] = std::move(accesses);
  return finish(json);
}

}  // namespace drywarp::explain
