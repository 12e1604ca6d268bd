// How a kernel, and the functions that it really calls, poll what other blocks may write.
#include "base/events/poll_loop.h"
#include "engine/exec/kernels/loaded_module.h"

namespace drywarp::exec {
namespace {

// How programs poll by atomics.
bool changes_nothing(const ir::Instruction& in) {
  if (ir::info(in.op).family != ir::Family::Atomic || in.src.empty() || in.src[0].kind != ir::Operand::Kind::Immediate)
    return false;
  switch (in.mods.atom) {
    case ir::AtomOp::Add:
    case ir::AtomOp::Or:
    case ir::AtomOp::Xor:
      return in.src[0].bits == 0;
    default:
      return false;
  }
}

void append(const jit::PreparedFunction& p, const CounterBase& base, PollingCode& out) {
  const auto numbers = [&](const std::vector<bool>& blocks) {
    std::vector<uint32_t> chosen;
    for (uint32_t b = 0; b < blocks.size(); ++b)
      if (blocks[b]) chosen.push_back(base.blocks + b);
    return chosen;
  };
  for (const analysis::PollLoop& loop : p.loops.polls) {
    PollLoop& made =
        out.loops.emplace_back(PollLoop{base.blocks + loop.header, numbers(loop.inside), numbers(loop.idle), {}});
    for (const uint32_t i : loop.reads)
      if (p.numbers.access[i] != ir::kNone) made.reads.push_back(base.accesses + p.numbers.access[i]);
  }
  for (uint32_t i = 0; i < p.code.instructions.size(); ++i)
    if (p.numbers.access[i] != ir::kNone && changes_nothing(p.code.instructions[i]))
      out.unchanging.push_back(base.accesses + p.numbers.access[i]);
}

}  // namespace

PollingCode polling_code(LoadedModule& loaded, ir::FunctionId kernel) {
  PollingCode out;
  for (const CalledFunctions::Part& part : called_functions(loaded, kernel).parts)
    append(analysed(loaded, part.function), part.counters, out);
  if (out.loops.empty()) out.unchanging.clear();
  return out;
}

}  // namespace drywarp::exec
