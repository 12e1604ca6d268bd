// A launch cycle by cycle, as the model timed it: blocks on the slots of the SMs, warps of one SM, DRAM.
#include <cmath>

#include "profile/document/parts.h"

namespace drywarp::document {
namespace {

// To a tenth of a cycle: the rest is of no use to a drawing, and would double the document.
Json cycles(memory::Cycles at) { return report::number(std::round(at * 10) / 10); }

Json blocks_json(const sm::Timeline& t) {
  Json all = Json::array();
  for (const sm::Timeline::Block& b : t.blocks) all.push_back({b.sm, b.slot, b.block, cycles(b.start), cycles(b.end)});
  return all;
}

Json warps_json(const sm::Timeline& t) {
  Json all = Json::array();
  for (const sm::Timeline::Warp& w : t.warps) {
    Json segments = Json::array();
    for (const sm::Timeline::Segment& s : w.segments)
      segments.push_back({cycles(s.start), cycles(s.end), static_cast<unsigned>(s.reason)});
    all.push_back({{"sm", t.sm},
                   {"scheduler", w.scheduler},
                   {"slot", w.slot},
                   {"block", w.block},
                   {"warp", w.warp},
                   {"start", cycles(w.start)},
                   {"end", cycles(w.end)},
                   {"segments", std::move(segments)}});
  }
  return all;
}

Json issues_json(const sm::Timeline& t) {
  Json all = Json::array();
  for (const sm::Timeline::Issue& i : t.issues) {
    Json issue = {t.warps[i.warp].scheduler, cycles(i.cycle), i.warp, i.instruction};
    if (i.second) issue.push_back(1);
    all.push_back(std::move(issue));
  }
  return all;
}

Json dram_json(const sm::Timeline& t) {
  Json all = Json::array();
  for (const memory::DramAccess& a : t.dram)
    all.push_back({cycles(a.reached), cycles(a.data), cycles(a.end), a.channel, a.bank, a.row, a.write ? "w" : "r",
                   a.row_hit ? 1 : 0, cycles(a.opened)});
  return all;
}

}  // namespace

Json steps_json(const record::DrawnLaunch& drawn, const KernelInfo& info, const InstructionPlaces& places) {
  const BlockSteps& steps = drawn.steps;
  if (steps.warps.empty()) return nullptr;
  Json code_blocks = Json::array(), warps = Json::array();
  for (const InstructionRange& range : instruction_ranges(info)) {
    Json instructions = Json::array();
    for (uint32_t i = range.first; i <= range.last; ++i) instructions.push_back(places.of(info, i));
    code_blocks.push_back(std::move(instructions));
  }
  bool cut = false;
  for (size_t w = 0; w < steps.warps.size(); ++w) {
    const BlockSteps::Warp& warp = steps.warps[w];
    Json taken = Json::array(), barriers = Json::array();
    for (const WarpStep& step : warp.steps) taken.push_back({step.block, step.lanes, step.repeats});
    for (const BlockSteps::Barrier& barrier : warp.barriers) barriers.push_back({barrier.step, barrier.number});
    warps.push_back({{"warp", w}, {"cut", warp.cut}, {"steps", std::move(taken)}, {"barriers", std::move(barriers)}});
    cut |= warp.cut;
  }
  return {{"block", steps.block}, {"cut", cut}, {"code_blocks", std::move(code_blocks)}, {"warps", std::move(warps)}};
}

Json cycles_json(const sm::Timeline& t) {
  if (t.blocks.empty()) return nullptr;
  return {{"class", "modelled"},
          {"sms", t.sms},
          {"sm", t.sm},
          {"schedulers", t.schedulers},
          {"channels", t.channels},
          {"banks", t.banks},
          {"end", cycles(t.end)},
          {"cut", t.cut()},
          {"blocks_until", cycles(t.blocks_until)},
          {"warps_until", cycles(t.warps_until)},
          {"dram_until", cycles(t.dram_until)},
          {"blocks", blocks_json(t)},
          {"warps", warps_json(t)},
          {"issues", issues_json(t)},
          {"dram", dram_json(t)}};
}

}  // namespace drywarp::document
