#include <algorithm>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

bool is_move(const Instruction& c) {
  return c.op == Mov && !c.guard && (c.role == Role::Copy || (c.role == Role::Pure && c.source[0].is_immediate())) &&
         c.destination[0] != kNone && c.destination[1] == kNone;
}

// Whether the instructions from `at` on neither use the result of the move in front of them nor change what it moves.
bool passes_over(const Instruction& move, std::span<const Instruction> code) {
  return std::ranges::none_of(code, [&](const Instruction& c) {
    const Source& from = move.source[0];
    bool reads = false;
    for_each_source(c, [&](const Source& s) { reads |= s.reg == move.destination[0]; });
    return reads || writes_register(c, move.destination[0]) || (from.is_register() && writes_register(c, from.reg));
  });
}

}  // namespace

// Moves in front of a branch out of the middle of a loop stay there in ptxas's code, too.
void sink_moves(Kernel& kernel, const Flow& flow) {
  const LiveSets live(kernel);
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    const auto& next = kernel.function->blocks[b].successors;
    if (next.size() != 2 || flow.loops[b].empty()) continue;
    const uint32_t loop = flow.loops[b].back();
    for (unsigned side = 0; side < 2; ++side) {
      const uint32_t exit = next[side], stays = next[1 - side];
      if (exit == ir::kExit || stays == ir::kExit || flow.in_loop(exit, loop) || stays != loop ||
          !flow.only_from(exit, {b}))
        continue;
      auto& code = kernel.blocks[b].code;
      auto& target = kernel.blocks[exit].code;
      for (size_t i = code.size(); i-- > 0;) {
        if (!is_move(code[i]) || std::ranges::binary_search(live.in(stays), code[i].destination[0]) ||
            !passes_over(code[i], std::span(code).subspan(i + 1)))
          continue;
        target.insert(target.begin(), code[i]);
        code.erase(code.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
}

}  // namespace drywarp::sass
