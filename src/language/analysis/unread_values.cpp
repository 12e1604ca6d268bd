#include <algorithm>

#include "language/analysis/passes.h"
#include "language/ir/accesses.h"

namespace drywarp::analysis {
namespace {

using ir::Family;

bool reads_memory(const ir::Instruction& in) {
  const Family family = ir::info(in.op).family;
  return family == Family::Load || family == Family::Atomic;
}

}  // namespace

bool only_computes(const ir::Instruction& in) {
  switch (ir::info(in.op).family) {
    case Family::Arithmetic:
    case Family::Special:
    case Family::Bits:
    case Family::Logic:
    case Family::Compare:
    case Family::Convert:
    case Family::Video:
    case Family::Move:
      return !in.mods.carry_out && !in.address && in.call_arguments.empty();
    default:
      return false;
  }
}

std::vector<bool> unread_values(const ir::Function& f) {
  std::vector<bool> unread(f.instructions.size(), false);
  if (std::ranges::none_of(f.instructions, reads_memory)) return unread;
  RegisterSet read(f.registers.size());
  const auto is_read = [&](const ir::Instruction& in) {
    bool any = false;
    for_each_definition(in, [&](ir::RegisterId r) { any |= read.has(r); });
    return any;
  };
  // Uses mostly follow definitions, so from the last instruction to the first a chain of them takes one pass.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto in = f.instructions.rbegin(); in != f.instructions.rend(); ++in) {
      if (only_computes(*in) && !is_read(*in)) continue;
      for_each_use(*in, [&](ir::RegisterId r) {
        changed |= !read.has(r);
        read.add(r);
      });
    }
  }
  for (size_t i = 0; i < unread.size(); ++i) unread[i] = reads_memory(f.instructions[i]) && !is_read(f.instructions[i]);
  return unread;
}

}  // namespace drywarp::analysis
