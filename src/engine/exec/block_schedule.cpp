#include "engine/exec/block_schedule.h"

#include <algorithm>

#include "base/support/round_up.h"

namespace drywarp::exec {
namespace {

// A worker takes so many blocks at a time: few enough for balance, enough that workers seldom contend.
constexpr uint64_t kSharesAWorker = 32, kLargestShare = 16;

// Of a warp. Code that was compiled in linear time keeps all its values there; its group form, which runs above it,
// does likewise.
size_t stack_for(const LoadedKernel& code) {
  constexpr uint64_t kPage = 4096;
  uint64_t frame = code.frame_bytes;
  for (const auto& called : code.owned) frame = std::max(frame, called->frame_bytes);
  const uint64_t both = 2 * frame;
  return Fiber::kStackBytes + (both > Fiber::kStackBytes / 2 ? round_up(both, kPage) : 0);
}

}  // namespace

observe::BlockRange next_observed(std::span<observe::Observer* const> observers, uint64_t block, uint64_t grid) {
  observe::BlockRange next{grid, grid};
  for (const observe::Observer* observer : observers) {
    const observe::BlockRange range = observer->next(block);
    if (range.first >= grid || range.first > next.first) continue;
    next.end = range.first < next.first ? range.end : std::max(next.end, range.end);
    next.first = range.first;
  }
  next.end = std::min(next.end, grid);
  return next;
}

void BlockSchedule::run_blocks(LoadedKernel& code, uint64_t first, uint64_t end, unsigned team, LaunchCounts& counts) {
  launch_.kernel = &code;
  launch_.code = code.warp_form;
  launch_.stack_bytes = stack_for(code);
  launch_.next_block = first, launch_.end_block = end;
  launch_.share = launch_.in_clusters() ? launch_.cluster.count()
                  : launch_.ends_unwatched
                      ? 1
                      : std::clamp<uint64_t>((end - first) / (uint64_t{team} * kSharesAWorker), 1, kLargestShare);
  teams_.run(launch_, team, counts);
}

void BlockSchedule::run_observed(uint64_t first, uint64_t end, LaunchResult& result) {
  launch_.ends_unwatched = !together();
  // Several workers run only blocks that do not see each other.
  if (team() == 1 && code_.observed->options.events.polls && !launch_.in_clusters())
    for (const observe::Observer* observer : launch_.observers)
      launch_.side_by_side = std::max(launch_.side_by_side, observer->side_by_side());
  run_blocks(*code_.observed, first, end, team(), result.counts);
  launch_.ends_unwatched = false;
  launch_.side_by_side = launch_.wave;
  result.workers = team();
}

void BlockSchedule::run_unobserved(uint64_t first, uint64_t end, LaunchResult& result) {
  if (code_.watched && workers_ > 1) {
    result.workers = workers_;
    first = run_watched(launch_, workers_, races_, code_.plain->raced, first, end, result.counts,
                        [&](uint64_t begin, uint64_t part_end, LaunchCounts& counts) {
                          run_blocks(*code_.watched, begin, part_end, workers_, counts);
                        });
  }
  if (first >= end || launch_.fault) return;
  run_blocks(*code_.plain, first, end, team(), result.counts);
  result.workers = team();
}

void BlockSchedule::run(std::span<observe::Observer* const> observers, LaunchResult& result) {
  const uint64_t grid = launch_.grid.count();
  launch_.side_by_side = launch_.wave;
  for (uint64_t next = 0; next < grid && !launch_.fault;) {
    observe::BlockRange observed = next_observed(observers, next, grid);
    if (observed.first < observed.end && together()) observed = {next, grid};
    if (next < observed.first) run_unobserved(next, observed.first, result);
    next = observed.first;
    if (observed.first == observed.end || launch_.fault) continue;
    launch_.observers = observers;
    run_observed(observed.first, observed.end, result);
    launch_.observers = {};
    next = std::min(observed.end, launch_.next_block.load());
  }
}

}  // namespace drywarp::exec
