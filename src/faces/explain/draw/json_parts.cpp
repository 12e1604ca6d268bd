#include "faces/explain/draw/json_parts.h"

#include <fmt/format.h>

namespace drywarp::explain {

Json start(const char* topic) { return {{"drywarp_explain", kExplainJsonVersion}, {"topic", topic}}; }

// Command lines need not be UTF-8: invalid bytes are replaced.
std::string finish(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

void add_launch(Json& json, const LaunchConfiguration& launch) {
  json["block"] = launch.block;
  json["grid"] = launch.grid;
}

Json lane_numbers(LaneMask mask) {
  Json all = Json::array();
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    if ((mask >> lane & 1) != 0) all.push_back(lane);
  return all;
}

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

Json warp_json(const WarpAccess& warp) {
  Json pieces = Json::object();
  for (const Pieces& p : warp.pieces) pieces[fmt::format("{}", p.bytes)] = p.touched;
  return {{"block", warp.block},
          {"warp", warp.warp},
          {"sectors", warp.cost.sectors},
          {"ideal_sectors", warp.cost.ideal_sectors},
          {"packed_sectors", packed_sectors(warp.cost.unique_bytes)},
          {"lines", warp.lines},
          {"unique_bytes", warp.cost.unique_bytes},
          {"pieces", pieces},
          {"lanes", lanes(warp.lanes)}};
}

Json warp_json(const WarpBanks& warp) {
  Json turns = Json::array();
  for (const BankTurn& turn : warp.turns) {
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
  return {{"block", warp.block},
          {"warp", warp.warp},
          {"wavefronts", warp.cost.wavefronts},
          {"ideal_wavefronts", warp.cost.ideal_wavefronts},
          {"ways", warp.cost.ways},
          {"unique_bytes", warp.cost.unique_bytes},
          {"turns", turns}};
}

}  // namespace drywarp::explain
