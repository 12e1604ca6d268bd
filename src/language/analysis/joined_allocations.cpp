#include "language/analysis/joined_allocations.h"

#include <algorithm>

namespace drywarp::analysis {

std::optional<std::vector<uint64_t>> JoinedAllocations::of(ir::RegisterId r) {
  followed_.assign(code_.registers.size(), false);
  found_.clear();
  if (!follow(r) || found_.empty()) return std::nullopt;
  std::ranges::sort(found_);
  found_.erase(std::ranges::unique(found_).begin(), found_.end());
  return found_;
}

bool JoinedAllocations::follow(ir::RegisterId r) {
  if (followed_[r]) return true;
  followed_[r] = true;
  if (ir::bits(code_.registers[r].type) != 64) return true;  // a number
  if (const uint64_t allocation = forms_.of(r).allocation; allocation != 0) {
    found_.push_back(allocation);
    return true;
  }
  const std::vector<uint32_t>& definitions = forms_.definitions()[r];
  return !definitions.empty() &&
         std::ranges::all_of(definitions, [&](uint32_t i) { return follow(code_.instructions[i]); });
}

bool JoinedAllocations::follow(const ir::Instruction& in) {
  using ir::Opcode;
  const bool moves = in.op == Opcode::Mov || in.op == Opcode::Cvta || in.op == Opcode::Add || in.op == Opcode::Selp;
  const size_t before = found_.size();
  const auto is_known = [&](const ir::Operand& o) {
    if (o.kind == ir::Operand::Kind::Register) return follow(o.id);
    return o.kind == ir::Operand::Kind::Immediate || o.kind == ir::Operand::Kind::Special;
  };
  // What has been loaded may be an address; so may what was exchanged or called for.
  const bool computes = !in.address && in.dst.size() == 1 && in.op != Opcode::Call && !in.src.empty() &&
                        ir::info(in.op).family != ir::Family::WarpExchange;
  if (!computes || !std::ranges::all_of(in.src, is_known)) return false;
  // A distance of two addresses, or a part of one, leads to others.
  return moves || in.op == Opcode::Mad || found_.size() == before;
}

}  // namespace drywarp::analysis
