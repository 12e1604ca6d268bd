#include <algorithm>
#include <bit>
#include <vector>

#include "base/support/round_up.h"
#include "model/sass/passes/alignment.h"
#include "model/sass/passes/merge_groups.h"
#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

constexpr unsigned kWord = 4;

bool is_narrow(const Instruction& c) { return (c.bytes == kWord || c.bytes == 2 * kWord) && !c.guard; }
// One element, or a vector of two words.
bool is_narrow_load(const Kernel& kernel, const Instruction& c) {
  const auto is_word = [&](Register d) { return d != kNone && kernel.registers[d].words == 1; };
  return c.op == Lds && c.role == Role::Load && is_narrow(c) && c.destination[0] != kNone &&
         (c.destination[1] == kNone ||
          (c.bytes == 2 * kWord && c.destination.size() == 2 && std::ranges::all_of(c.destination, is_word)));
}
bool is_narrow_constant(const Instruction& c) {
  return c.op == Ldc && c.variable != kNone && c.bytes == kWord && !c.guard && c.form == Form{} &&
         c.destination[0] != kNone && c.destination[1] == kNone;
}
// Nothing does while a kernel runs.
bool writes_constants(const Instruction&) { return false; }
// Low bits that are zero in the place of a constant variable in its bank: variables lie there in order.
unsigned zeros_of_place(const ir::Module& module, ir::SymbolId variable) {
  uint64_t place = 0;
  for (ir::SymbolId v = 0; v < variable; ++v)
    if (const ir::Symbol& symbol = module.symbols[v]; symbol.space == AddressSpace::Const)
      place = round_up(place, symbol.alignment) + symbol.size;
  return static_cast<unsigned>(std::countr_zero(round_up(place, module.symbols[variable].alignment)));
}
// Not of volatile stores.
bool is_narrow_store(const Kernel& kernel, const Instruction& c) {
  const bool is_vector = c.bytes == 2 * kWord && c.source[2].is_register() && !c.source[3];
  return c.op == Sts && is_narrow(c) && c.source[1].is_register() && (!c.source[2] || is_vector) &&
         c.instruction != kNone && kernel.function->instructions[c.instruction].mods.order == ir::Order::Weak;
}
unsigned elements_of(const Instruction& c) {
  return c.role == Role::Load ? (c.destination[1] == kNone ? 1 : 2) : (c.source[2] ? 2 : 1);
}
unsigned bytes_of_element(const Instruction& c) { return c.bytes / elements_of(c); }

// Stores of as much to the same base as the one at `first`, up to the next other access of shared memory. All of them
// can be done where the last one is.
std::vector<size_t> stores_from(const Kernel& kernel, const std::vector<Instruction>& code, size_t first) {
  std::vector<size_t> group{first};
  for (size_t k = first + 1; k < code.size(); ++k) {
    const Instruction& c = code[k];
    if (c.dead) continue;
    if (is_narrow_store(kernel, c) && same_base(c, code[first]) && c.bytes == code[first].bytes &&
        elements_of(c) == elements_of(code[first])) {
      if (std::ranges::any_of(group, [&](size_t g) { return code[g].offset == c.offset; })) break;
      group.push_back(k);
      continue;
    }
    const bool apart = c.space == AddressSpace::Global || c.space == AddressSpace::Const;
    if (c.role == Role::Branch || (c.role == Role::Load && !apart)) break;
    if (c.role == Role::Effect && c.op != Shfl && !apart) break;
    const auto stored = [&](size_t g) { return writes(c, code[g].source[1]) || writes(c, code[g].source[2]); };
    if (writes(c, code[first].source[0]) || std::ranges::any_of(group, stored)) break;
  }
  return group;
}

// The access at `kept` stands for all of `parts`.
void widen(Kernel& kernel, std::vector<Instruction>& code, const std::vector<size_t>& parts, size_t kept) {
  Instruction wide = code[kept];
  const unsigned each = bytes_of_element(wide);
  unsigned count = 0;
  for (const size_t k : parts) count += code[k].bytes / each;
  const unsigned all = std::bit_ceil(count);
  wide.bytes = static_cast<uint8_t>(each * all);
  wide.offset = code[parts[0]].offset & ~int64_t(wide.bytes - 1);
  for (unsigned w = 0; count < all && w < all; ++w) wide.destination.set(w, kernel.make());
  size_t others = 0;
  for (const size_t k : parts) {
    Instruction& part = code[k];
    const auto at = static_cast<unsigned>((part.offset - wide.offset) / each);
    for (unsigned w = 0; w < elements_of(part); ++w)
      if (part.role == Role::Load)
        wide.destination.set(at + w, part.destination[w]);
      else
        wide.source.set(1 + at + w, part.source[1 + w]);
    if (k == kept) continue;
    // Of constants, the first access says how many words its lanes load.
    if (part.space != AddressSpace::Const) wide.merged[others++] = {part.instruction, part.step};
    part.dead = true;
  }
  code[kept] = wide;
}

void merge(Kernel& kernel, std::vector<Instruction>& code, Alignment& alignment) {
  for (size_t i = 0; i < code.size(); ++i) {
    if (i > 0) alignment.pass(code[i - 1]);
    const Instruction& c = code[i];
    if (c.dead) continue;
    const bool constant = is_narrow_constant(c), load = is_narrow_load(kernel, c);
    if (!constant && !load && !is_narrow_store(kernel, c)) continue;
    const unsigned zeros = std::min(alignment.of(c.source[0]), constant ? zeros_of_place(*kernel.module, c.variable)
                                                                        : alignment.of(c.uniform_base));
    const unsigned each = bytes_of_element(c);
    // Of words alone or in vectors, or of doubles.
    const auto is_alike = [&](const Instruction& d) {
      return is_narrow_load(kernel, d) && bytes_of_element(d) == each;
    };
    const std::vector<size_t> group = constant ? loads_from(code, i, is_narrow_constant, writes_constants)
                                      : load   ? loads_from(code, i, is_alike)
                                               : stores_from(kernel, code, i);
    const std::vector<size_t> parts = parts_of(code, group, i, each, zeros, constant ? kWidestConstant : kWidest, load);
    if (!parts.empty()) widen(kernel, code, parts, constant || load ? i : std::ranges::max(parts));
  }
  std::erase_if(code, [](const Instruction& c) { return c.dead; });
}

}  // namespace

void merge_accesses(Kernel& kernel, std::vector<Region>& regions) {
  Alignment alignment(kernel, regions);
  for (Region& region : regions) {
    alignment.enter(kernel, regions, region);
    merge(kernel, region.code, alignment);
  }
}

}  // namespace drywarp::sass
