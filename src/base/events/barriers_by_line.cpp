#include "base/events/barriers_by_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace drywarp {
namespace {

// Without a source line, a barrier is known by its line of PTX.
auto order_of(const BarrierOfLine& b) { return std::tuple(b.file, b.line, b.line == 0 ? b.ptx_line : 0); }

const InstructionInfo* barrier_at(const KernelInfo& kernel, uint32_t code_block) {
  const auto found = std::ranges::find_if(kernel.instructions,
                                          [&](const InstructionInfo& i) { return i.barrier && i.block == code_block; });
  return found == kernel.instructions.end() ? nullptr : &*found;
}

// Only what CUDA leaves undefined is added up, so that the sum is the metric's.
void add_up(BarrierNote& to, const BarrierNote& from) {
  const uint64_t times = to.divergent() == from.divergent() ? to.times + from.times
                         : to.divergent()                   ? to.times
                                                            : from.times;
  if (from.kind < to.kind) to = from;
  to.times = times;
}

}  // namespace

void add_barriers(std::vector<BarrierOfLine>& barriers, const KernelInfo& kernel,
                  const std::vector<BarrierNote>& notes) {
  for (const BarrierNote& note : notes) {
    const InstructionInfo* at = barrier_at(kernel, note.code_block);
    if (!at) continue;
    BarrierOfLine b{{}, 0, at->ptx_line, note};
    if (at->line != 0 && at->file < kernel.files.size()) b.file = kernel.files[at->file], b.line = at->line;
    const auto place = std::ranges::lower_bound(barriers, order_of(b), {}, order_of);
    if (place != barriers.end() && order_of(*place) == order_of(b))
      add_up(place->note, note);
    else
      barriers.insert(place, std::move(b));
  }
}

std::string place_of(const BarrierOfLine& b, bool folder) {
  if (b.line == 0) return fmt::format("PTX line {}", b.ptx_line);
  const size_t slash = b.file.rfind('/');
  return fmt::format("{}:{}", folder || slash == b.file.npos ? b.file : b.file.substr(slash + 1), b.line);
}

std::string barrier_text(const BarrierOfLine& b, const std::string& place) {
  return fmt::format("{} at {}: {}. {}", name(b.note.kind), place, what_happened(b.note), meaning(b.note));
}

}  // namespace drywarp
