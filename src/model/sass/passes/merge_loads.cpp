#include <algorithm>
#include <bit>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// How many low bits of each register are known to be zero: a greatest fixed point.
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
    if (s.is_register()) return bits_[s.reg];
    if (s.is_immediate() || !s) return s.value == 0 ? kMost : std::min<unsigned>(kMost, std::countr_zero(s.value));
    return 0;
  }

 private:
  static constexpr unsigned kMost = 32;
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
        if (!is_logic(c) || c.source[2]) return 0;
        if (c.form.table == kAnd) return std::max(a, b);
        return (c.form.table & 1) != 0 ? 0 : std::min(a, b);  // row 0: of bits that are all zero
      default:
        return 0;
    }
  }
  std::vector<uint8_t> bits_;
};

constexpr unsigned kWidest = 16, kWord = 4;

bool is_narrow_load(const Instruction& c) {
  return c.op == Lds && c.role == Role::Load && (c.bytes == kWord || c.bytes == 2 * kWord) && !c.guard &&
         c.destination[0] != kNone && c.destination[1] == kNone;
}

void merge(std::vector<Instruction>& code, const Alignment& alignment) {
  for (size_t i = 0; i < code.size(); ++i) {
    if (!is_narrow_load(code[i])) continue;
    const unsigned each = code[i].bytes;
    // Loads from the same base up to the next write of shared memory.
    std::vector<size_t> group{i};
    for (size_t k = i + 1; k < code.size(); ++k) {
      const Instruction& c = code[k];
      if (c.role == Role::Effect && c.op != Shfl && c.space != AddressSpace::Global) break;
      if (is_narrow_load(c) && c.bytes == each && c.step == code[i].step && c.source[0] == code[i].source[0] &&
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
        wide.merged[others++] = code[parts[w]].instruction;
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
  const Alignment alignment(kernel, regions);
  for (Region& region : regions) merge(region.code, alignment);
}

}  // namespace drywarp::sass
