// Code without some of its instructions.
#include <algorithm>

#include "model/whatif/changes.h"

namespace drywarp::whatif {
namespace {

using machine::MachineInstruction;
using machine::Operation;

// A machine block needs an instruction, and a warp its exit.
template <class IsFree>
bool remove(machine::MachineKernel& code, IsFree is_free) {
  bool any = false;
  for (machine::MachineBlock& block : code.blocks) {
    auto& all = block.instructions;
    const auto kept = std::remove_if(
        all.begin(), all.end(), [&](const MachineInstruction& in) { return in.op != Operation::Exit && is_free(in); });
    if (kept == all.end()) continue;
    any = true;
    if (kept == all.begin()) {
      all.front() = {};
      all.front().op = Operation::Nop;
    }
    all.erase(kept == all.begin() ? all.begin() + 1 : kept, all.end());
  }
  return any;
}

}  // namespace

bool remove_barriers(TimedLaunch& l, const KernelInfo&) {
  return remove(l.code, [](const MachineInstruction& in) { return in.op == Operation::Bar; });
}

bool remove_atomics(TimedLaunch& l, const KernelInfo&) {
  return remove(l.code,
                [](const MachineInstruction& in) { return in.op == Operation::Atomg || in.op == Operation::Red; });
}

bool free_addresses(TimedLaunch& l, const KernelInfo& kernel) {
  return remove(l.code, [&](const MachineInstruction& in) {
    return in.ptx < kernel.instructions.size() && kernel.instructions[in.ptx].address_only;
  });
}

bool remove_local(TimedLaunch& l, const KernelInfo&) {
  return remove(l.code, [](const MachineInstruction& in) { return in.spill || in.space == AddressSpace::Local; });
}

// Without a destination nothing waits for the data; a wait before the exit does. So a warp pays for one latency, and
// the limits of what moves the data stay. Loads whose addresses come from other loads cannot do that.
bool hide_loads(TimedLaunch& l, const KernelInfo&) {
  bool any = false;
  for (machine::MachineBlock& block : l.code.blocks)
    for (MachineInstruction& in : block.instructions) {
      if (machine::info(in.op).timing != machine::TimingClass::GlobalLoad) continue;
      any = any || in.destination[0];
      in.destination.clear();
    }
  MachineInstruction wait;
  wait.op = Operation::Depbar;
  for (machine::MachineBlock& block : l.code.blocks) {
    auto& all = block.instructions;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].op != Operation::Exit) continue;
      wait.step = all[i].step;
      all.insert(all.begin() + static_cast<ptrdiff_t>(i++), wait);
    }
  }
  return any;
}

bool keep_only_lines(TimedLaunch& l, const KernelInfo& kernel, const LineRange& lines) {
  const auto is_kept = [&](const MachineInstruction& in) {
    return in.file < kernel.files.size() && lines.contains(kernel.files[in.file], in.line);
  };
  bool has_line = false;
  for (const machine::MachineBlock& block : l.code.blocks)
    has_line = has_line || std::any_of(block.instructions.begin(), block.instructions.end(), is_kept);
  return has_line && remove(l.code, [&](const MachineInstruction& in) { return !is_kept(in); });
}

}  // namespace drywarp::whatif
