// DRAM and caches as JSON.
#include "faces/explain/draw/json_parts.h"

namespace drywarp::explain {

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

}  // namespace drywarp::explain
