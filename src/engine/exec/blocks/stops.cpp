// Stopping a launch from outside: the time limit, and Ctrl-C. Warps check in their loops, workers between blocks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "base/support/plural.h"
#include "engine/exec/blocks/warp.h"
#include "engine/exec/kernels/loaded_module.h"

namespace drywarp::exec {
namespace {

std::optional<FaultKind> reason_to_stop(const Launch& launch) {
  if (launch.interrupted->load(std::memory_order_relaxed)) return FaultKind::Interrupted;
  if (launch.given_up.load(std::memory_order_relaxed)) return FaultKind::Abandoned;
  if (launch.timeout_seconds <= 0) return std::nullopt;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - launch.started;
  if (elapsed.count() < launch.timeout_seconds) return std::nullopt;
  return FaultKind::Timeout;
}

std::string why(const Launch& launch, FaultKind kind) {
  std::string what = "the run was interrupted";
  if (kind == FaultKind::Timeout)
    what = fmt::format("the kernel ran longer than {}", plural_real(launch.timeout_seconds, "second"));
  if (kind == FaultKind::Abandoned) what = "the kernel still waited when the program ended or gave the device up";
  return fmt::format("{}, with {} of {} done", what, launch.blocks_done.load(std::memory_order_relaxed),
                     plural(launch.grid.count(), "block"));
}

// "1 warp is at app.cu:5, 7 warps wait at the barrier of app.cu:9"
std::string where_warps_are(const Block& block) {
  std::map<std::string, unsigned> places;
  for (const auto& warp : block.warps) {
    if (warp->state == Warp::State::AtBarrier)
      ++places["at the barrier of " + place_of(*warp, warp->barrier_instruction)];
    else if (warp->state == Warp::State::Done)
      ++places["at the end"];
    else if (warp->last_seen.code)
      ++places["at " + place_of(*warp, warp->last_seen)];
    else
      ++places["not past the first loop"];
  }
  std::vector<std::string> parts;
  for (const auto& [place, warps] : places) parts.push_back(fmt::format("{} {}", warps, place));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

void stop_if_asked(Warp& warp, uint32_t instruction) {
  Launch& launch = *warp.worker->launch;
  warp.last_seen = here(warp, instruction);
  if (launch.stops(warp.owner->index))
    for (;;) warp.fiber->leave();
  const auto kind = reason_to_stop(launch);
  if (!kind) return;
  const auto lane = static_cast<uint32_t>(std::countr_zero(warp.live));
  raise(warp, fault_at(warp, *kind, instruction, lane,
                       fmt::format("{}\nwarps of block ({},{},{}): {}", why(launch, *kind), warp.ctaid[0],
                                   warp.ctaid[1], warp.ctaid[2], where_warps_are(*warp.owner))));
}

Fault blocks_deadlock(const Launch& launch, std::span<const std::unique_ptr<Block>> resident) {
  constexpr size_t kMostNamed = 8;
  const auto named = [&](const std::vector<uint64_t>& blocks) {
    std::vector<std::string> names;
    for (const uint64_t b : blocks) {
      if (names.size() == kMostNamed) {
        names.emplace_back("...");
        break;
      }
      names.push_back(fmt::format("({},{},{})", b % launch.grid.x, b / launch.grid.x % launch.grid.y,
                                  b / launch.grid.x / launch.grid.y));
    }
    return fmt::format("{} of {}, {}", blocks.size(), plural(launch.grid.count(), "block"), fmt::join(names, " "));
  };
  std::map<uint64_t, const Block*> waiting;  // by index
  for (const auto& block : resident) waiting[block->index] = block.get();
  std::map<std::string, std::vector<uint64_t>> places;  // of their warps
  for (const auto& [index, block] : waiting) places[where_warps_are(*block)].push_back(index);
  std::vector<uint64_t> ended;
  const uint64_t begun = launch.blocks_done.load(std::memory_order_relaxed) + waiting.size();
  for (uint64_t b = 0; b < std::max(begun, waiting.rbegin()->first + 1); ++b)
    if (!waiting.contains(b)) ended.push_back(b);
  std::string message = "blocks wait for others, and nothing that is left to run can end that:";
  for (const auto& [place, blocks] : places) message += fmt::format("\n    {}, wait: warps {}", named(blocks), place);
  if (!ended.empty()) message += fmt::format("\n    {}, {} ended", named(ended), ended.size() == 1 ? "has" : "have");
  const uint64_t all = waiting.size() + ended.size();
  if (all < launch.grid.count()) {
    message += fmt::format("\n    {} have not begun", launch.grid.count() - all);
    if (waiting.size() == launch.resident_blocks)
      message += fmt::format(": the device holds {} at once, and they wait for one of those that it holds to end",
                             plural(launch.resident_blocks, "block"));
  }
  const Block& first = *waiting.begin()->second;
  const auto polls = std::ranges::find_if(
      first.warps, [](const auto& warp) { return warp->state == Warp::State::Ready && warp->last_seen.code; });
  if (polls == first.warps.end()) {
    Fault fault;
    fault.kind = FaultKind::BarrierDeadlock;
    fault.message = std::move(message);
    return fault;
  }
  const Warp& warp = **polls;
  return fault_at(warp, FaultKind::BarrierDeadlock, warp.last_seen,
                  static_cast<uint32_t>(std::countr_zero(warp.live & ~warp.exited)), std::move(message));
}

bool stop_before_block(Launch& launch, uint64_t block) {
  if (launch.stops(block)) return true;
  const auto kind = reason_to_stop(launch);
  if (!kind) return false;
  Fault fault;
  fault.kind = *kind;
  fault.message = why(launch, *kind);
  record_fault(launch, block, std::move(fault));
  return true;
}

}  // namespace drywarp::exec
