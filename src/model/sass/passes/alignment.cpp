#include "model/sass/passes/alignment.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "model/sass/passes/unroll.h"

namespace drywarp::sass {

using enum machine::Operation;

namespace {

constexpr unsigned kMost = 32;

unsigned low_zeros(uint64_t value) { return value == 0 ? kMost : std::min<unsigned>(kMost, std::countr_zero(value)); }

}  // namespace

Alignment::Alignment(const Kernel& kernel, const std::vector<Region>& regions) : bits_(kernel.registers.size(), kMost) {
  std::vector<bool> written(kernel.registers.size(), false);
  for (const Region& region : regions)
    for (const Instruction& c : region.code)
      for (Register d : c.destination)
        if (d != kNone) written[d] = true;
  for (size_t r = 0; r < bits_.size(); ++r)
    if (!written[r]) bits_[r] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Region& region : regions)
      for (const Instruction& c : region.code)
        for (size_t i = 0; i < c.destination.size(); ++i) {
          const Register d = c.destination[i];
          if (d == kNone) continue;
          const unsigned now = i == 0 ? of(c) : 0;
          if (now < bits_[d]) bits_[d] = static_cast<uint8_t>(now), changed = true;
        }
  }
}
unsigned Alignment::of(const Source& s) const {
  if (s.is_register()) {
    const auto here = here_.find(s.reg);
    if (here != here_.end()) return here->second;
    return s.reg < bits_.size() ? bits_[s.reg] : 0;
  }
  return s.is_immediate() || !s ? low_zeros(s.value) : 0;
}

void Alignment::enter(const Kernel& kernel, const std::vector<Region>& regions, const Region& region) {
  here_.clear();
  const uint32_t head = region.path[0].block;
  const auto is_head = [&](const Step& s) { return s.block == head; };
  if (region.path.size() < 2 || !std::ranges::all_of(region.path, is_head)) return;
  for (const Instruction& c : kernel.blocks[head].code) {
    const Register r = c.destination[0];
    if (r == kNone) continue;
    const std::optional<int64_t> step = step_of(kernel.blocks[head], r);
    if (!step) continue;
    const uint64_t moved = static_cast<uint64_t>(*step) * region.path.size();
    unsigned bits = region.whole_loop ? kMost : low_zeros(moved);
    for (const Region& before : regions)
      for (const Instruction& sets : before.code)
        for (size_t i = 0; i < sets.destination.size() && before.path[0].block != head; ++i)
          if (sets.destination[i] == r) bits = std::min(bits, i == 0 ? of(sets) : 0);
    here_[r] = static_cast<uint8_t>(bits);
  }
}
void Alignment::pass(const Instruction& c) {
  for (size_t i = 0; i < c.destination.size(); ++i)
    if (const Register d = c.destination[i]; d != kNone && (!here_.empty()))
      here_[d] = static_cast<uint8_t>(i == 0 ? of(c) : 0);
}

unsigned Alignment::of(const Instruction& c) const {
  const unsigned a = of(c.source[0]), b = of(c.source[1]), d = of(c.source[2]);
  switch (c.op) {
    case Mov:
    case Umov:
      return c.role == Role::Tuple ? 0 : a;
    case Iadd3:
    case Uiadd3:
      return is_plain(c) ? std::min({a, b, d}) : 0;
    case Imad:
    case ImadWide:
    case Uimad:
    case UimadWide:
      return std::min({kMost, a + b, d});
    case Lea:
    case Ulea:
      return c.form.shift == Shift::Left ? std::min({kMost, a + c.form.distance, b}) : 0;
    case Shf:
    case Ushf:
      return shift_of(c) == Shift::Left && c.source[1].is_immediate()
                 ? std::min<unsigned>(kMost, a + (c.source[1].value & 63))
                 : 0;
    case Lop3:
    case Ulop3:
      return is_logic(c) ? of_logic(c) : 0;
    default:
      return 0;
  }
}
// The result's bit is zero if the table has only zeros for the operands' possible bits.
unsigned Alignment::of_logic(const Instruction& c) const {
  for (const Source& s : c.source)
    if (s.modifiers != 0) return 0;
  unsigned bit = 0;
  for (; bit < kMost; ++bit)
    for (unsigned row = 0; row < 8; ++row) {
      bool possible = (c.form.table >> row & 1) != 0;
      for (unsigned i = 0; i < 3; ++i) {
        const Source& s = c.source[i];
        const bool one = (row >> (2 - i) & 1) != 0, fixed = s.is_immediate() || !s;
        if (fixed ? one != ((s.value >> bit & 1) != 0) : one && bit < of(s)) possible = false;
      }
      if (possible) return bit;
    }
  return bit;
}

}  // namespace drywarp::sass
