// Threads that do the work of four neighbours, with accesses four times as wide: a quarter of the warps, which load and
// store the same bytes with a quarter of the instructions, and compute as much as before.
#include <algorithm>
#include <map>

#include "model/whatif/changes.h"

namespace drywarp::whatif {
namespace {

constexpr unsigned kThreads = 4;    // whose work one thread does
constexpr unsigned kMostBytes = 4;  // of an access that can be widened: 16 bytes are the most

// Whether all recorded accesses are loads and stores of global memory that can be widened.
bool only_narrow_accesses(const LaunchTrace& trace, const KernelInfo& kernel) {
  std::vector<bool> narrow;  // by TraceAccess::access
  for (const InstructionInfo& in : kernel.instructions) {
    if (in.access == InstructionInfo::kNone || in.generic) continue;
    if (narrow.size() <= in.access) narrow.resize(in.access + 1);
    narrow[in.access] = !in.atomic && in.memory == Memory::Global && in.access_bytes <= kMostBytes;
  }
  if (trace.uses_objects()) return false;
  bool any = false;
  for (const BlockTrace& block : trace.blocks)
    for (const WarpTrace& warp : block.warps)
      for (const TraceAccess& a : warp.accesses) {
        if (a.space != AddressSpace::Global || a.access >= narrow.size() || !narrow[a.access]) return false;
        any = true;
      }
  return any;
}

// Repeats what computes an element, for the three others. Addresses and branches are those of one thread.
void widen_code(machine::MachineKernel& code, const KernelInfo& kernel) {
  const auto computes = [&](const machine::MachineInstruction& in) {
    if (in.ptx >= kernel.instructions.size() || in.space != AddressSpace::None) return false;
    const InstructionInfo& info = kernel.instructions[in.ptx];
    return !info.address_only &&
           (info.klass == InstructionClass::Fp16 || info.klass == InstructionClass::Fp32 ||
            info.klass == InstructionClass::Fp64 || info.klass == InstructionClass::Integer ||
            info.klass == InstructionClass::BitConvert || info.klass == InstructionClass::Special);
  };
  for (machine::MachineBlock& block : code.blocks) {
    std::vector<machine::MachineInstruction> all;
    for (machine::MachineInstruction& in : block.instructions) {
      if (in.space == AddressSpace::Global) in.bytes = static_cast<uint8_t>(in.bytes * kThreads);
      all.insert(all.end(), computes(in) ? kThreads : 1, in);
    }
    block.instructions = std::move(all);
  }
}

// The first warp's steps; each access touches what the same access of the others does, too.
WarpTrace merged(const std::vector<const WarpTrace*>& warps) {
  WarpTrace out;
  const WarpTrace& first = **std::ranges::max_element(warps, {}, [](const auto* w) { return w->accesses.size(); });
  out.steps.assign(first.steps.begin(), first.steps.end());
  for (size_t i = 0; i < first.accesses.size(); ++i) {
    TraceAccess access = first.accesses[i];
    struct Line {
      unsigned sectors = 0, parts = 0, part_bytes = 0;
    };
    std::map<uint64_t, Line> lines;
    uint32_t units = 0, ideal = 0;
    for (const WarpTrace* warp : warps) {
      if (i >= warp->accesses.size() || warp->accesses[i].access != access.access) continue;
      const TraceAccess& a = warp->accesses[i];
      units += a.units, ideal += a.ideal_units;
      for (uint32_t at = a.first_line; at < a.first_line + a.line_count; ++at) {
        const TraceLine& l = warp->lines[at];
        Line& line = lines[l.address()];
        line.sectors |= l.sectors(), line.parts |= l.parts(),
            line.part_bytes = std::max(line.part_bytes, l.part_bytes());
      }
    }
    access.units = static_cast<uint16_t>(units), access.ideal_units = static_cast<uint16_t>(ideal);
    access.first_line = static_cast<uint32_t>(out.lines.size());
    access.line_count = static_cast<uint16_t>(lines.size());
    for (const auto& [address, l] : lines)
      out.lines.push_back(TraceLine::of(address, l.sectors, l.parts, l.part_bytes));
    out.accesses.push_back(access);
  }
  return out;
}

std::vector<BlockTrace> widened(const std::vector<BlockTrace>& blocks) {
  std::vector<const WarpTrace*> warps;
  for (const BlockTrace& block : blocks)
    for (const WarpTrace& warp : block.warps) warps.push_back(&warp);
  const size_t per_block = blocks.front().warps.size();
  std::vector<BlockTrace> out(blocks.size() / kThreads);
  for (size_t b = 0; b < out.size(); ++b) {
    out[b].block = b;
    for (size_t w = 0; w < per_block; ++w) {
      const auto at = warps.begin() + static_cast<ptrdiff_t>((b * per_block + w) * kThreads);
      out[b].warps.push_back(merged({at, at + kThreads}));
    }
  }
  return out;
}

}  // namespace

bool widen(TimedLaunch& l, const KernelInfo& kernel) {
  const auto& blocks = l.trace.blocks;
  if (blocks.size() < kThreads || !only_narrow_accesses(l.trace, kernel)) return false;
  if (std::ranges::any_of(blocks, [&](const auto& b) { return b.warps.size() != blocks.front().warps.size(); }))
    return false;
  // A sampled launch: a quarter of the blocks on a quarter of the multiprocessors, so that it runs as many waves.
  sm::SimulatedLaunch& launch = l.launch;
  const bool sampled = launch.simulated != 0 && launch.simulated < launch.blocks;
  if (sampled && launch.sms >= kThreads) launch.sms /= kThreads;
  if (launch.simulated != 0) launch.simulated = std::max<uint64_t>(launch.simulated / kThreads, 1);
  launch.blocks = (launch.blocks + kThreads - 1) / kThreads;
  l.trace.blocks = widened(blocks);
  l.trace.blocks_in_grid = launch.blocks;
  renumber_samples(l.trace, 1, kThreads);
  widen_code(l.code, kernel);
  return true;
}

}  // namespace drywarp::whatif
