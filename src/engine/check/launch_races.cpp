#include "engine/check/launch_races.h"

namespace drywarp::check {

void LaunchRaces::starts(const observe::BlockOrder& order, uint64_t blocks) {
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
  if (unused_.empty()) return std::make_unique<BlockRecords>();
  std::unique_ptr<BlockRecords> one = std::move(unused_.back());
  unused_.pop_back();
  return one;
}

void LaunchRaces::ended(uint64_t block, bool published, std::unique_ptr<BlockRecords> lent) {
  lent->shared.clear();
  lent->global.clear();
  lent->words = {};
  const std::lock_guard hold(mutex_);
  gave_up_ = gave_up_ || lent->shared.gave_up() || lent->global.gave_up();
  unused_.push_back(std::move(lent));
  if (independent_) return;
  if (over_.size() <= block) over_.resize(block + 1);
  over_[block] = !published;
}

}  // namespace drywarp::check
