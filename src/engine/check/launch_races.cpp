#include "engine/check/launch_races.h"

#include <algorithm>

namespace drywarp::check {

void LaunchRaces::starts(const observe::BlockOrder& order, uint64_t blocks) {
  // Two arrivals of each block at a barrier of the program's own, and as many writes by polls.
  if (order.tests) history_ = std::clamp<uint64_t>(4 * blocks, 64, 4096);
  if (order.grid_barrier != 0) words.has_barrier(order.grid_barrier / 4, blocks);
  independent_ = order.independent;
  const auto mark = [](std::vector<bool>& marks, std::span<const uint32_t> accesses) {
    for (const uint32_t access : accesses) {
      if (marks.size() <= access) marks.resize(access + 1);
      marks[access] = true;
    }
  };
  mark(same_writes_, order.same_writes);
  mark(unwritten_, order.unwritten);
  records.is_over = [this](uint32_t block) { return block < over_.size() && over_[block]; };
}

std::unique_ptr<BlockRecords> LaunchRaces::lend() {
  const std::lock_guard hold(mutex_);
  if (unused_.empty()) return std::make_unique<BlockRecords>(limits_);
  std::unique_ptr<BlockRecords> one = std::move(unused_.back());
  unused_.pop_back();
  return one;
}

void LaunchRaces::ended(uint64_t block, bool published, std::unique_ptr<BlockRecords> lent) {
  RaceRecords::GivenUp given_up = lent->shared.given_up();
  const RaceRecords::GivenUp global = lent->global.given_up();
  given_up.accesses += global.accesses;
  if (!given_up.first) given_up.first = global.first;
  lent->shared.clear();
  lent->global.clear();
  lent->words = {};
  lent->locks.clear();
  const std::lock_guard hold(mutex_);
  if (given_up.accesses != 0) given_up_[block] = given_up;
  unused_.push_back(std::move(lent));
  if (independent_) return;
  if (over_.size() <= block) over_.resize(block + 1);
  over_[block] = !published;
}

RaceRecords::GivenUp LaunchRaces::given_up(uint64_t end) const {
  RaceRecords::GivenUp all = records.given_up();
  for (const auto& [block, given_up] : given_up_) {
    if (block >= end) break;
    all.accesses += given_up.accesses;
    if (!all.first) all.first = given_up.first;
  }
  return all;
}

}  // namespace drywarp::check
