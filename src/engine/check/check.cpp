#include "engine/check/check.h"

#include <algorithm>

#include "engine/check/init_check.h"
#include "engine/check/memory_check.h"
#include "engine/check/race_check.h"
#include "engine/check/sync_check.h"
#include "engine/check/toolkit_headers.h"

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

CheckedLaunch::CheckedLaunch(const KernelInfo& kernel, const Extent& grid, const Extent& block, MemoryMap& memory,
                             const std::string& headers)
    : kernel_(kernel), grid_(grid), block_(block), memory_(memory) {
  in_headers_.resize(kernel.files.size());
  for (size_t f = 0; f < kernel.files.size(); ++f)
    in_headers_[f] =
        (!headers.empty() && kernel.files[f].starts_with(headers + "/")) || is_toolkit_header(kernel.files[f]);
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
  return thread_place(grid_, block_, block, warp * kWarpSize + lane);
}

ThreadPlace thread_place(const Extent& grid, const Extent& size, uint64_t block, uint32_t thread) {
  const auto along = [](uint64_t number, const Extent& sides) -> Extent {
    return {static_cast<uint32_t>(number % sides[0]), static_cast<uint32_t>(number / sides[0] % sides[1]),
            static_cast<uint32_t>(number / sides[0] / sides[1])};
  };
  return {along(block, grid), along(thread, size)};
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

CodeLine CheckedLaunch::line(const InstructionInfo& instruction) const {
  CodeLine at = code_line(kernel_, instruction);
  const auto of_program = [&](uint32_t file) { return file < in_headers_.size() && !in_headers_[file]; };
  if (at.line == 0 || of_program(instruction.file)) return at;
  for (uint32_t call = instruction.inlined_at; call != InstructionInfo::kNone; call = kernel_.calls[call].inlined_at) {
    const InlinedCall& outer = kernel_.calls[call];
    if (outer.line == 0 || !of_program(outer.file)) continue;
    at.file = kernel_.files[outer.file], at.line = outer.line;
    break;
  }
  return at;
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
