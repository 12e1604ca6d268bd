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

bool is_narrow(const Instruction& c) { return (c.bytes == kWord || c.bytes == 2 * kWord) && !c.guard; }
bool is_narrow_load(const Instruction& c) {
  return c.op == Lds && c.role == Role::Load && is_narrow(c) && c.destination[0] != kNone && c.destination[1] == kNone;
}
// Not of volatile stores.
bool is_narrow_store(const Kernel& kernel, const Instruction& c) {
  return c.op == Sts && is_narrow(c) && c.source[1].is_register() && !c.source[2] && c.instruction != kNone &&
         kernel.function->instructions[c.instruction].mods.order == ir::Order::Weak;
}
bool same_base(const Instruction& a, const Instruction& b) {
  return a.bytes == b.bytes && a.source[0] == b.source[0] && a.uniform_base == b.uniform_base;
}
bool writes(const Instruction& c, const Source& s) {
  return s.is_register() && std::ranges::find(c.destination, s.reg) != c.destination.end();
}

// Loads from the same base as the one at `first`, up to the next write of shared memory.
std::vector<size_t> loads_from(const std::vector<Instruction>& code, size_t first) {
  std::vector<size_t> group{first};
  for (size_t k = first + 1; k < code.size(); ++k) {
    const Instruction& c = code[k];
    if (c.role == Role::Effect && c.op != Shfl && c.space != AddressSpace::Global) break;
    if (is_narrow_load(c) && same_base(c, code[first])) group.push_back(k);
    if (writes(c, code[first].source[0])) break;
  }
  return group;
}

// Stores to the same base as the one at `first`, up to the next other access of shared memory. All of them can be done
// where the last one is.
std::vector<size_t> stores_from(const Kernel& kernel, const std::vector<Instruction>& code, size_t first) {
  std::vector<size_t> group{first};
  for (size_t k = first + 1; k < code.size(); ++k) {
    const Instruction& c = code[k];
    if (c.dead) continue;
    if (is_narrow_store(kernel, c) && same_base(c, code[first])) {
      if (std::ranges::any_of(group, [&](size_t g) { return code[g].offset == c.offset; })) break;
      group.push_back(k);
      continue;
    }
    const bool apart = c.space == AddressSpace::Global || c.space == AddressSpace::Const;
    if (c.role == Role::Branch || (c.role == Role::Load && !apart)) break;
    if (c.role == Role::Effect && c.op != Shfl && !apart) break;
    const auto stored = [&](size_t g) { return writes(c, code[g].source[1]); };
    if (writes(c, code[first].source[0]) || std::ranges::any_of(group, stored)) break;
  }
  return group;
}

// Of `group`, the accesses of the aligned 16 or 8 bytes around the one at `i`, by address; none if one is missing.
std::vector<size_t> parts_of(const std::vector<Instruction>& code, const std::vector<size_t>& group, size_t i,
                             unsigned base_zeros) {
  const unsigned each = code[i].bytes;
  for (unsigned bytes = kWidest; bytes > each; bytes /= 2) {
    if (base_zeros < static_cast<unsigned>(std::countr_zero(bytes))) continue;
    const int64_t start = code[i].offset & ~int64_t(bytes - 1);
    std::vector<size_t> parts;
    for (int64_t offset = start; offset < start + bytes; offset += each) {
      const auto is_there = [&](size_t k) { return !code[k].dead && code[k].offset == offset; };
      if (const auto found = std::ranges::find_if(group, is_there); found != group.end()) parts.push_back(*found);
    }
    if (parts.size() == bytes / each) return parts;
  }
  return {};
}

// The access at `kept` stands for all of `parts`.
void widen(std::vector<Instruction>& code, const std::vector<size_t>& parts, size_t kept) {
  Instruction wide = code[kept];
  wide.offset = code[parts[0]].offset;
  wide.bytes = static_cast<uint8_t>(wide.bytes * parts.size());
  size_t others = 0;
  for (unsigned w = 0; w < parts.size(); ++w) {
    Instruction& part = code[parts[w]];
    if (is_narrow_load(part))
      wide.destination.set(w, part.destination[0]);
    else
      wide.source.set(1 + w, part.source[1]);
    if (parts[w] == kept) continue;
    wide.merged[others++] = {part.instruction, part.step};
    part.dead = true;
  }
  code[kept] = wide;
}

void merge(const Kernel& kernel, std::vector<Instruction>& code, Alignment& alignment) {
  for (size_t i = 0; i < code.size(); ++i) {
    if (i > 0) alignment.pass(code[i - 1]);
    const bool load = is_narrow_load(code[i]);
    if (code[i].dead || (!load && !is_narrow_store(kernel, code[i]))) continue;
    const unsigned zeros = std::min(alignment.of(code[i].source[0]), alignment.of(code[i].uniform_base));
    const std::vector<size_t> group = load ? loads_from(code, i) : stores_from(kernel, code, i);
    const std::vector<size_t> parts = parts_of(code, group, i, zeros);
    if (!parts.empty()) widen(code, parts, load ? i : std::ranges::max(parts));
  }
  std::erase_if(code, [](const Instruction& c) { return c.dead; });
}

}  // namespace

void merge_accesses(const Kernel& kernel, std::vector<Region>& regions) {
  Alignment alignment(kernel, regions);
  for (Region& region : regions) {
    alignment.enter(kernel, regions, region);
    merge(kernel, region.code, alignment);
  }
}

}  // namespace drywarp::sass
