// Stopping a launch from outside: the time limit, and Ctrl-C. Warps check in their loops, workers between blocks.
#include <fmt/format.h>
#include <fmt/ranges.h>

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
