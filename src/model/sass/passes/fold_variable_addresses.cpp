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
  return c.op == Ldc && c.space == AddressSpace::Const && c.source[0].is_register() && c.source[0].modifiers == 0;
}

// Instructions that write and read a register.
struct Uses {
  std::vector<Instruction*> writers, loads;
  bool others = false;  // that are no loads at this address
};

bool is_plain_register(const Source& s) { return s.is_register() && s.modifiers == 0; }

// The index alone, of an address that is the sum of a variable's and an index.
std::optional<Instruction> without_variable(const Instruction& c, const ir::Module& module, ir::SymbolId& variable) {
  if (c.role != Role::Pure || c.guard || c.wide || c.destination[1] != kNone) return std::nullopt;
  const auto is_variable = [&](const Source& s) {
    const auto found = constant_variable_at(module, s);
    if (found) variable = *found;
    return found.has_value();
  };
  const auto shifted = [&](uint64_t distance) {
    Instruction index = c;
    index.op = Shf;
    index.form = {.shift = Shift::Left};
    index.source = {c.source[0], Source::immediate(distance)};
    return index;
  };
  if (c.op == Imad && is_plain(c) && is_plain_register(c.source[0]) && c.source[1].is_immediate() &&
      is_variable(c.source[2])) {
    if (std::has_single_bit(c.source[1].value))
      return shifted(static_cast<uint64_t>(std::countr_zero(c.source[1].value)));
    Instruction index = c;
    index.source.set(2, {});
    return index;
  }
  if (c.op == Lea && c.form == Form{.shift = Shift::Left, .distance = c.form.distance} &&
      is_plain_register(c.source[0]) && !c.source[2] && is_variable(c.source[1]))
    return shifted(c.form.distance);
  if (c.op != Iadd3 || !is_plain(c)) return std::nullopt;
  std::vector<Source> others;
  bool found = false;
  for (const Source& s : c.source)
    if (!found && is_variable(s))
      found = true;
    else if (s)
      others.push_back(s);
  if (!found || others.empty()) return std::nullopt;
  if (others.size() == 1)
    return is_plain_register(others[0]) ? std::optional(copy_of(others[0].reg, c.destination[0], c.instruction))
                                        : std::nullopt;
  Instruction index = c;
  index.source = {others[0], others[1]};
  return index;
}

}  // namespace

void fold_variable_addresses(Kernel& kernel) {
  std::map<Register, Uses> uses;
  for (CodeBlock& block : kernel.blocks)
    for (Instruction& c : block.code)
      if (loads_constant(c)) uses[c.source[0].reg].loads.push_back(&c);
  for (CodeBlock& block : kernel.blocks)
    for (Instruction& c : block.code) {
      for_each_source(c, [&](const Source& s) {
        if (const auto it = uses.find(s.reg); it != uses.end()) it->second.others |= !loads_constant(c);
      });
      for (const Register d : c.destination)
        if (const auto it = uses.find(d); it != uses.end()) it->second.writers.push_back(&c);
    }
  for (auto& [address, of] : uses) {
    if (of.others || of.writers.size() != 1) continue;
    ir::SymbolId variable = 0;
    const std::optional<Instruction> index = without_variable(*of.writers[0], *kernel.module, variable);
    if (!index) continue;
    *of.writers[0] = *index;
    for (Instruction* load : of.loads) load->variable = variable;
  }
}

}  // namespace drywarp::sass
