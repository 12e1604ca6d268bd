#include <algorithm>
#include <bit>
#include <unordered_map>

#include "model/sass/passes/passes.h"
#include "model/sass/passes/unroll.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

constexpr unsigned kMost = 32;

unsigned low_zeros(uint64_t value) { return value == 0 ? kMost : std::min<unsigned>(kMost, std::countr_zero(value)); }

// How many low bits of each register are known to be zero: a greatest fixed point over the kernel. Within a region,
// enter() and pass() narrow it to the values that the registers have there.
class Alignment {
 public:
  Alignment(const Kernel& kernel, const std::vector<Region>& regions) : bits_(kernel.registers.size(), kMost) {
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
  [[nodiscard]] unsigned of(const Source& s) const {
    if (s.is_register()) {
      const auto here = here_.find(s.reg);
      return here == here_.end() ? bits_[s.reg] : here->second;
    }
    return s.is_immediate() || !s ? low_zeros(s.value) : 0;
  }

  // At the start of an unrolled loop, a register that the loop steps has moved by all of the region's iterations at a
  // time since it was set, and by none if these are all of the loop's.
  void enter(const Kernel& kernel, const std::vector<Region>& regions, const Region& region) {
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
  void pass(const Instruction& c) {
    for (size_t i = 0; i < c.destination.size(); ++i)
      if (const Register d = c.destination[i]; d != kNone && (!here_.empty()))
        here_[d] = static_cast<uint8_t>(i == 0 ? of(c) : 0);
  }

 private:
  [[nodiscard]] unsigned of(const Instruction& c) const {
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
  [[nodiscard]] unsigned of_logic(const Instruction& c) const {
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

  std::vector<uint8_t> bits_;
  std::unordered_map<Register, uint8_t> here_;
};

constexpr unsigned kWidest = 16, kWord = 4;

bool is_narrow_load(const Instruction& c) {
  return c.op == Lds && c.role == Role::Load && (c.bytes == kWord || c.bytes == 2 * kWord) && !c.guard &&
         c.destination[0] != kNone && c.destination[1] == kNone;
}

void merge(std::vector<Instruction>& code, Alignment& alignment) {
  for (size_t i = 0; i < code.size(); ++i) {
    if (i > 0) alignment.pass(code[i - 1]);
    if (!is_narrow_load(code[i])) continue;
    const unsigned each = code[i].bytes;
    // Loads from the same base up to the next write of shared memory.
    std::vector<size_t> group{i};
    for (size_t k = i + 1; k < code.size(); ++k) {
      const Instruction& c = code[k];
      if (c.role == Role::Effect && c.op != Shfl && c.space != AddressSpace::Global) break;
      if (is_narrow_load(c) && c.bytes == each && c.source[0] == code[i].source[0] &&
          c.uniform_base == code[i].uniform_base)
        group.push_back(k);
      bool base_changes = false;
      for (Register d : c.destination)
        base_changes |= d != kNone && code[i].source[0].is_register() && d == code[i].source[0].reg;
      if (base_changes) break;
    }
    const unsigned base = std::min(alignment.of(code[i].source[0]), alignment.of(code[i].uniform_base));
    auto at = [&](int64_t offset) -> size_t {
      for (size_t k : group)
        if (!code[k].dead && code[k].offset == offset) return k;
      return code.size();
    };
    for (unsigned bytes = kWidest; bytes > each; bytes /= 2) {
      if (base < static_cast<unsigned>(std::countr_zero(bytes))) continue;
      const int64_t start = code[i].offset & ~int64_t(bytes - 1);
      std::array<size_t, 4> parts{};
      bool all = true;
      for (unsigned w = 0; w < bytes / each && all; ++w) {
        parts[w] = at(start + w * each);
        all = parts[w] != code.size();
      }
      if (!all) continue;
      Instruction wide = code[i];
      wide.offset = start;
      wide.bytes = static_cast<uint8_t>(bytes);
      size_t others = 0;
      for (unsigned w = 0; w < bytes / each; ++w) {
        wide.destination.set(w, code[parts[w]].destination[0]);
        if (parts[w] == i) continue;
        wide.merged[others++] = {code[parts[w]].instruction, code[parts[w]].step};
        code[parts[w]].dead = true;
      }
      code[i] = wide;
      break;
    }
  }
  std::erase_if(code, [](const Instruction& c) { return c.dead; });
}

}  // namespace

void merge_loads(const Kernel& kernel, std::vector<Region>& regions) {
  Alignment alignment(kernel, regions);
  for (Region& region : regions) {
    alignment.enter(kernel, regions, region);
    merge(region.code, alignment);
  }
}

}  // namespace drywarp::sass
