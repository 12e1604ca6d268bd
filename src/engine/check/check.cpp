#include "engine/check/check.h"

#include <algorithm>

#include "engine/check/sync_check.h"

namespace drywarp::check {
namespace {

template <class Kind>
std::unique_ptr<Check> make(const CheckedLaunch& launch) {
  return std::make_unique<Kind>(launch);
}

constexpr CheckInfo kChecks[] = {
#define DW_CHECK(tool, kind, finds) {CheckTool::tool, make<kind>, finds},
#include "engine/check/checks.def"
};

}  // namespace

std::span<const CheckInfo> checks() { return kChecks; }

ThreadPlace CheckedLaunch::thread(uint64_t block_number, uint32_t warp, uint32_t lane) const {
  const uint32_t t = warp * kWarpSize + lane;
  ThreadPlace place;
  place.block = {static_cast<uint32_t>(block_number % grid[0]), static_cast<uint32_t>(block_number / grid[0] % grid[1]),
                 static_cast<uint32_t>(block_number / grid[0] / grid[1])};
  place.thread = {t % block[0], t / block[0] % block[1], t / block[0] / block[1]};
  return place;
}

const InstructionInfo* CheckedLaunch::at_access(uint32_t access) const {
  const auto found = std::ranges::find_if(kernel.instructions, [&](const InstructionInfo& i) {
    if (i.access == InstructionInfo::kNone) return false;
    return access >= i.access && access < i.access + (i.generic ? kMemories : 1);
  });
  return found == kernel.instructions.end() ? nullptr : &*found;
}

const InstructionInfo* CheckedLaunch::at_block(uint32_t code_block) const {
  const auto found = std::ranges::find(kernel.instructions, code_block, &InstructionInfo::block);
  return found == kernel.instructions.end() ? nullptr : &*found;
}

void Check::end(std::unique_ptr<observe::BlockObserver> block) {
  auto& checked = static_cast<BlockCheck&>(*block);
  std::vector<Finding> found = checked.take();
  if (found.empty()) return;
  const std::lock_guard hold(mutex_);
  found_[checked.block()] = std::move(found);
}

std::vector<Finding> Check::findings(uint64_t end) {
  std::vector<Finding> all;
  for (const auto& [block, found] : found_)
    if (block < end) add(all, found);
  return all;
}

}  // namespace drywarp::check
