#include "engine/check/launch_races.h"

#include <algorithm>

namespace drywarp::check {

void LaunchRaces::starts(const observe::BlockOrder& order, const Sides& grid) {
  const uint64_t blocks = uint64_t{grid[0]} * grid[1] * grid[2];
  grid_ = grid, cluster_ = order.cluster;
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

uint64_t LaunchRaces::cluster_of(uint64_t block) const {
  const uint64_t x = block % grid_[0] / cluster_[0], y = block / grid_[0] % grid_[1] / cluster_[1],
                 z = block / grid_[0] / grid_[1] / cluster_[2];
  return (z * grid_[1] + y) * grid_[0] + x;
}

std::shared_ptr<BlockRecords> LaunchRaces::lend(uint64_t block) {
  const std::lock_guard hold(mutex_);
  std::shared_ptr<BlockRecords> one;
  const auto of_cluster = in_clusters() ? of_clusters_.find(cluster_of(block)) : of_clusters_.end();
  if (of_cluster != of_clusters_.end()) {
    one = of_cluster->second;
  } else if (unused_.empty()) {
    one = std::make_shared<BlockRecords>(limits_);
  } else {
    one = std::move(unused_.back());
    unused_.pop_back();
  }
  if (in_clusters()) of_clusters_[cluster_of(block)] = one;
  ++one->blocks;
  return one;
}

void LaunchRaces::ended(uint64_t block, bool published, std::shared_ptr<BlockRecords> lent) {
  const std::lock_guard hold(mutex_);
  if (!independent_) {
    if (over_.size() <= block) over_.resize(block + 1);
    over_[block] = !published;
  }
  if (--lent->blocks != 0) return;
  if (in_clusters()) of_clusters_.erase(cluster_of(block));
  RaceRecords::GivenUp given_up = lent->shared.given_up();
  const RaceRecords::GivenUp global = lent->global.given_up();
  given_up.accesses += global.accesses;
  if (!given_up.first) given_up.first = global.first;
  lent->shared.clear();
  lent->global.clear();
  lent->words = {};
  lent->locks.clear();
  lent->shared_words = {};
  if (given_up.accesses != 0) given_up_[block] = given_up;
  unused_.push_back(std::move(lent));
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
