// The accesses and branches of a program's source line as JSON.
#include "faces/explain/draw/draw.h"
#include "faces/explain/draw/json_parts.h"

namespace drywarp::explain {

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
