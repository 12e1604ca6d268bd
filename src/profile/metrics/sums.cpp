#include "profile/metrics/sums.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/access/access_pattern.h"

namespace drywarp::metrics {
namespace {

template <class T>
T at(const std::vector<T>& counts, uint32_t index) {
  return index < counts.size() ? counts[index] : T{};
}

// A local access takes several requests, which share its units.
void add_access(AccessSums& to, AccessCounts from, uint64_t requests_each, uint32_t wavefront_bytes) {
  from.requests *= requests_each;
  static_cast<AccessCounts&>(to) += from;
  to.excess += from.units > from.ideal_units ? from.units - from.ideal_units : 0;
  to.deliverable += from.units * wavefront_bytes;
}

void add_flops(Sums& sums, const InstructionInfo& i, uint64_t lanes) {
  const size_t precision = i.klass == InstructionClass::Fp16   ? 0
                           : i.klass == InstructionClass::Fp32 ? 1
                           : i.klass == InstructionClass::Fp64 ? 2
                                                               : 3;
  if (precision == 3 || i.flops == 0) return;
  sums.flops[precision] += lanes * i.flops;
  const FlopKind kind = i.fma ? FlopKind::Fma : i.add ? FlopKind::Add : i.mul ? FlopKind::Mul : FlopKind::Other;
  sums.flop_instructions[precision][static_cast<size_t>(kind)] += lanes * i.flops / (i.fma ? 2 : 1);
}

}  // namespace

void AccessSums::operator+=(const AccessSums& o) {
  AccessCounts::operator+=(o);
  excess += o.excess, deliverable += o.deliverable;
}

void InstructionSums::operator+=(const InstructionSums& o) {
  warps += o.warps, lanes += o.lanes, executed += o.executed;
}

InstructionSums Sums::all() const {
  InstructionSums total;
  for (const InstructionSums& c : classes) total += c;
  return total;
}

AccessSums Sums::loads_and_stores(Memory m) const {
  AccessSums total = of(m, AccessKind::Load);
  total += of(m, AccessKind::Store);
  return total;
}

uint64_t Sums::sectors() const {
  uint64_t all = 0;
  for (const Memory m : {Memory::Global, Memory::Local})
    for (const AccessSums& a : accesses[static_cast<size_t>(m)]) all += a.units;
  return all;
}

uint64_t Sums::wavefronts() const {
  uint64_t all = 0;
  for (const AccessSums& a : accesses[static_cast<size_t>(Memory::Shared)]) all += a.units;
  return all;
}

void Sums::operator+=(const Sums& o) {
  for (size_t c = 0; c < classes.size(); ++c) classes[c] += o.classes[c];
  for (size_t m = 0; m < kMemories; ++m)
    for (size_t k = 0; k < kAccessKinds; ++k) accesses[m][k] += o.accesses[m][k];
  for (size_t p = 0; p < flops.size(); ++p) {
    flops[p] += o.flops[p];
    for (size_t k = 0; k < flop_instructions[p].size(); ++k) flop_instructions[p][k] += o.flop_instructions[p][k];
  }
  branches += o.branches, divergent += o.divergent, taken += o.taken, barriers += o.barriers;
  divergent_barriers += o.divergent_barriers;
  whole = whole || o.whole;
  blocks_run += o.blocks_run, warps_run += o.warps_run, threads_run += o.threads_run;
}

void add_instruction(Sums& sums, const InstructionInfo& i, const LaunchCounts& counts) {
  const BlockCounts block = at(counts.blocks, i.block);
  const uint64_t executed =
      i.predicate == InstructionInfo::kNone ? block.lanes : at(counts.predicates, i.predicate).lanes;
  sums.classes[static_cast<size_t>(i.klass)] += {block.warps, block.lanes, executed};
  add_flops(sums, i, executed);
  if (i.branch != InstructionInfo::kNone) {
    const BranchCounts branch = at(counts.branches, i.branch);
    sums.branches += block.warps, sums.divergent += branch.divergent, sums.taken += branch.taken;
  }
  if (i.barrier) {
    for (const BarrierNote& note : counts.barrier_notes)
      if (note.code_block == i.block && note.divergent()) sums.divergent_barriers += note.times;
    sums.barriers += i.predicate == InstructionInfo::kNone ? block.warps : at(counts.predicates, i.predicate).warps;
  }
  if (i.access == InstructionInfo::kNone) return;
  const AccessKind kind = i.atomic ? AccessKind::Atomic : i.store ? AccessKind::Store : AccessKind::Load;
  const unsigned first = i.generic ? 0 : static_cast<unsigned>(i.memory), entries = i.generic ? kMemories : 1;
  for (unsigned n = 0; n < entries; ++n) {
    const uint64_t requests_each = static_cast<Memory>(first + n) == Memory::Local ? local_requests(i.access_bytes) : 1;
    add_access(sums.accesses[first + n][static_cast<size_t>(kind)], at(counts.accesses, i.access + n), requests_each,
               counts.wavefront_bytes);
  }
}

Sums sum_launch(const KernelInfo& kernel, const LaunchCounts& counts) {
  Sums sums;
  for (const InstructionInfo& i : kernel.instructions) add_instruction(sums, i, counts);
  sums.whole = true;
  sums.blocks_run = counts.blocks_run, sums.warps_run = counts.warps_run, sums.threads_run = counts.threads_run;
  return sums;
}

std::vector<LineSums> sum_lines(const KernelInfo& kernel, const LaunchCounts& counts) {
  std::map<std::pair<uint32_t, uint32_t>, Sums> by_line;
  for (const InstructionInfo& i : kernel.instructions) {
    // An entry without a block is the second access of the instruction before it (the write of cp.async).
    if (i.block != InstructionInfo::kNone && at(counts.blocks, i.block).warps == 0) continue;
    if (i.block == InstructionInfo::kNone && at(counts.accesses, i.access).requests == 0) continue;
    const bool known = i.line != 0 && i.file < kernel.files.size();
    add_instruction(by_line[known ? std::pair(i.file, i.line) : std::pair(InstructionInfo::kNone, 0u)], i, counts);
  }
  std::vector<LineSums> lines;
  for (auto& [place, sums] : by_line) lines.push_back({place.first, place.second, sums});
  return lines;
}

std::vector<Sums> sum_instructions(const KernelInfo& kernel, const LaunchCounts& counts) {
  std::vector<Sums> all(kernel.instructions.size());
  for (size_t i = 0; i < all.size(); ++i) add_instruction(all[i], kernel.instructions[i], counts);
  return all;
}

}  // namespace drywarp::metrics
