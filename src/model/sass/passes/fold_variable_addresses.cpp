// A load of a constant variable has the variable's place in its bank as a displacement: c[3][R + place].
#include <bit>
#include <map>
#include <optional>
#include <vector>

#include "model/sass/passes/passes.h"
#include "model/sass/select/select.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

bool loads_constant(const Instruction& c) {
  return c.op == Ldc && c.space == AddressSpace::Const && is_plain_register(c.source[0]);
}

// What writes an address, and which loads read it.
struct AddressUses {
  std::vector<Instruction*> writers, loads;
  bool has_other_uses = false;
};

struct Indexed {
  Instruction index;
  ir::SymbolId variable;
};

// Splits an address that is the sum of an index and a variable's address.
std::optional<Indexed> split(const Instruction& c, const ir::Module& module) {
  if (c.role != Role::Pure || c.guard || c.wide || c.destination[1] != kNone) return std::nullopt;
  const bool product = c.op == Imad && is_plain(c) && c.source[1].is_immediate();
  const bool shift = c.op == Lea && c.form == Form{.shift = Shift::Left, .distance = c.form.distance} && !c.source[2];
  if (!product && !shift && !(c.op == Iadd3 && is_plain(c))) return std::nullopt;
  std::optional<ir::SymbolId> variable;
  Instruction index = c;
  index.source = {};
  for (size_t k = 0; k < c.source.size(); ++k) {
    const bool added = product ? k == 2 : shift ? k == 1 : !variable;
    const auto found = added ? constant_variable_at(module, c.source[k]) : std::nullopt;
    if (found)
      variable = found;
    else if (c.source[k])
      index.source.push_back(c.source[k]);
  }
  const Source first = index.source[0], factor = index.source[1];
  const bool sum_of_others = c.op == Iadd3 && factor;
  if (!variable || (!sum_of_others && !is_plain_register(first))) return std::nullopt;
  if (shift || (product && std::has_single_bit(factor.value))) {
    const uint64_t distance = shift ? c.form.distance : static_cast<uint64_t>(std::countr_zero(factor.value));
    index.op = Shf;
    index.form = {.shift = Shift::Left};
    index.source = {first, Source::immediate(distance)};
  } else if (!factor) {
    index = copy_of(first.reg, c.destination[0], c.instruction);
  }
  return Indexed{index, *variable};
}

}  // namespace

void fold_variable_addresses(Kernel& kernel) {
  std::map<Register, AddressUses> addresses;
  for (CodeBlock& block : kernel.blocks)
    for (Instruction& c : block.code)
      if (loads_constant(c)) addresses[c.source[0].reg].loads.push_back(&c);
  for (CodeBlock& block : kernel.blocks)
    for (Instruction& c : block.code) {
      for_each_source(c, [&](const Source& s) {
        if (const auto it = addresses.find(s.reg); it != addresses.end())
          it->second.has_other_uses |= !loads_constant(c);
      });
      for (const Register d : c.destination)
        if (const auto it = addresses.find(d); it != addresses.end()) it->second.writers.push_back(&c);
    }
  for (const auto& [address, of] : addresses) {
    if (of.has_other_uses || of.writers.size() != 1) continue;
    const std::optional<Indexed> sum = split(*of.writers[0], *kernel.module);
    if (!sum) continue;
    *of.writers[0] = sum->index;
    for (Instruction* load : of.loads) load->variable = sum->variable;
  }
}

}  // namespace drywarp::sass
