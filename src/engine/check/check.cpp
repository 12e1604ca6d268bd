#include "engine/check/check.h"

#include <algorithm>

#include "engine/check/init_check.h"
#include "engine/check/memory_check.h"
#include "engine/check/race_check.h"
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

CheckedLaunch::CheckedLaunch(const KernelInfo& kernel, const Extent& grid, const Extent& block, MemoryMap& memory)
    : kernel_(kernel), grid_(grid), block_(block), memory_(memory) {
  const auto note = [](auto& table, uint32_t number, const InstructionInfo& i) {
    if (number == InstructionInfo::kNone) return;
    if (table.size() <= number) table.resize(size_t{number} + 1);
    if (!table[number]) table[number] = &i;
  };
  for (const InstructionInfo& i : kernel.instructions) {
    note(by_block_, i.block, i);
    if (i.access == InstructionInfo::kNone) continue;
    for (unsigned m = 0; m < (i.generic ? kMemories : 1); ++m) note(by_access_, i.access + m, i);
  }
}

uint32_t CheckedLaunch::warps() const { return (block_[0] * block_[1] * block_[2] + kWarpSize - 1) / kWarpSize; }

ThreadPlace CheckedLaunch::thread(uint64_t block, uint32_t warp, uint32_t lane) const {
  const uint32_t t = warp * kWarpSize + lane;
  const auto along = [](uint64_t number, const Extent& size) -> Extent {
    return {static_cast<uint32_t>(number % size[0]), static_cast<uint32_t>(number / size[0] % size[1]),
            static_cast<uint32_t>(number / size[0] / size[1])};
  };
  return {along(block, grid_), along(t, block_)};
}

const InstructionInfo* CheckedLaunch::at_access(uint32_t access) const {
  return access < by_access_.size() ? by_access_[access] : nullptr;
}

const InstructionInfo* CheckedLaunch::at_block(uint32_t code_block) const {
  return code_block < by_block_.size() ? by_block_[code_block] : nullptr;
}

const InstructionInfo* CheckedLaunch::at_line(uint32_t ptx_line, uint32_t line) const {
  const InstructionInfo* first = nullptr;
  for (const InstructionInfo& i : kernel_.instructions) {
    if (i.ptx_line != ptx_line || i.line != line) continue;
    if (i.load || i.store || i.atomic) return &i;
    if (!first) first = &i;
  }
  return first;
}

BlockCheck::BlockCheck(Check& check, uint64_t block) : check_(check), launch_(check.launch()), block_(block) {}

BlockCheck::~BlockCheck() {
  if (!findings_.empty()) check_.keep(block_, std::move(findings_));
}

void Check::keep(uint64_t block, std::vector<Finding> found) {
  const std::lock_guard hold(mutex_);
  found_[block] = std::move(found);
}

std::vector<Finding> Check::findings(uint64_t end) const {
  std::vector<Finding> all;
  for (const auto& [block, found] : found_)
    if (block < end) add(all, found);
  add(all, between_blocks(end));
  return all;
}

}  // namespace drywarp::check
