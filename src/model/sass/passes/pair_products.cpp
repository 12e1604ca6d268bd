#include <algorithm>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

constexpr size_t kFarthest = 64;  // instructions between the two halves; assumed

bool multiplies(const Instruction& c, Operation op) {
  return c.op == op && c.role == Role::Pure && !c.guard && !c.wide && !c.source[2] && !c.form.in_sequence &&
         c.destination[0] != kNone && c.destination[1] == kNone;
}

bool same_factors(const Instruction& a, const Instruction& b) {
  return (a.source[0] == b.source[0] && a.source[1] == b.source[1]) ||
         (a.source[0] == b.source[1] && a.source[1] == b.source[0]);
}

// Whether the later of the two can be computed where the earlier one is.
bool can_move(const std::vector<Instruction>& code, size_t earlier, size_t later) {
  const Instruction& moved = code[later];
  for (const Source& s : moved.source)
    if (s.is_register() && writes_register(code[earlier], s.reg)) return false;
  if (writes_register(code[earlier], moved.destination[0])) return false;
  for (size_t i = earlier + 1; i < later; ++i) {
    if (touches_register(code[i], moved.destination[0])) return false;
    for (const Source& s : moved.source)
      if (s.is_register() && writes_register(code[i], s.reg)) return false;
  }
  return true;
}

void pair(std::vector<Instruction>& code, size_t high) {
  const Instruction& h = code[high];
  const size_t begin = high > kFarthest ? high - kFarthest : 0, end = std::min(code.size(), high + kFarthest);
  for (size_t i = begin; i < end; ++i) {
    const Instruction& l = code[i];
    if (l.dead || !multiplies(l, Imad) || l.form != Form{} || l.step != h.step || !same_factors(l, h)) continue;
    const size_t earlier = std::min(i, high), later = std::max(i, high);
    if (!can_move(code, earlier, later)) continue;
    Instruction whole = code[earlier];
    whole.op = ImadWide, whole.form = h.form;
    whole.destination.set(0, l.destination[0]), whole.destination.set(1, h.destination[0]);
    code[later].dead = true;
    code[earlier] = whole;
    return;
  }
}

}  // namespace

void pair_products(std::vector<Region>& regions) {
  for (Region& region : regions) {
    for (size_t i = 0; i < region.code.size(); ++i)
      if (!region.code[i].dead && multiplies(region.code[i], ImadHi)) pair(region.code, i);
    std::erase_if(region.code, [](const Instruction& c) { return c.dead; });
  }
}

}  // namespace drywarp::sass
