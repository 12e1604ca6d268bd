#include "model/sass/code/values.h"

#include <algorithm>
#include <utility>

namespace drywarp::sass {

std::vector<Definition> only_definitions(const std::vector<CodeBlock>& blocks, size_t registers) {
  std::vector<Definition> made(registers);
  std::vector<bool> twice(registers, false);
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (const Instruction& c : blocks[b].code)
      for (const Register d : c.destination)
        if (d != kNone) twice[d] = twice[d] || made[d].code, made[d] = {&c, b};
  for (size_t r = 0; r < registers; ++r)
    if (twice[r]) made[r] = {};
  return made;
}

void Values::count(const std::vector<Instruction>& code) {
  for (const Instruction& c : code) for_each_source(c, [&](const Source& s) { ++uses[s.reg]; });
}

void Values::find_multiple() {
  multiple.assign(kernel.registers.size(), false);
  bits_.assign(kernel.registers.size(), 0);
  signed_.assign(kernel.registers.size(), false);
  std::vector<uint8_t> times(kernel.registers.size(), 0);
  for (const CodeBlock& b : kernel.blocks)
    for (const Instruction& c : b.code) {
      const bool extends = c.role == Role::Load && c.form.type != ir::Type::None && !ir::is_signed(c.form.type);
      const bool signs = c.role == Role::Load && ir::is_signed(c.form.type) && ir::bits(c.form.type) <= 16;
      if (signs && c.destination[0] != kNone) signed_[c.destination[0]] = true;
      if (extends && c.destination[0] != kNone) bits_[c.destination[0]] = static_cast<uint8_t>(ir::bits(c.form.type));
      for (Register d : c.destination)
        if (d != kNone) {
          if (times[d]++ > 0 || c.guard) multiple[d] = true;
          times[d] = std::min<uint8_t>(times[d], 3);
        }
    }
  originals_ = kernel.registers.size();
}

void Values::find_only_added() {
  only_added.assign(kernel.registers.size(), true);
  for (const CodeBlock& b : kernel.blocks)
    for (const Instruction& c : b.code) {
      const bool adds = c.op == machine::Operation::Iadd3 && is_plain(c) && !c.wide && !c.guard && c.source[1] &&
                        !c.source[2] && !c.source[0].is_immediate() && !c.source[1].is_immediate();
      for_each_source(c, [&](const Source& s) {
        if (!adds || s.modifiers != 0) only_added[s.reg] = false;
      });
    }
}

void Values::find_only_scaled() {
  only_scaled.assign(kernel.registers.size(), true);
  for (const CodeBlock& b : kernel.blocks)
    for (const Instruction& c : b.code) {
      const bool scales = c.op == machine::Operation::Imad && is_plain(c) && !c.wide && !c.guard && !c.source[2] &&
                          c.source[1].is_immediate();
      for_each_source(c, [&](const Source& s) {
        if (!scales || s.modifiers != 0) only_scaled[s.reg] = false;
      });
    }
}

void Values::start_region(const std::vector<Instruction>& code) {
  for (Register r : touched_) uses[r] = 0, known[r] = false, variable[r] = false;
  touched_.clear();
  grow();
  touch(code);
}
void Values::touch(const std::vector<Instruction>& code) {
  for (const Instruction& c : code) {
    for_each_source(c, [&](const Source& s) { touched_.push_back(s.reg); });
    for (Register d : c.destination)
      if (d != kNone) touched_.push_back(d);
  }
}

void Values::forget_local() {
  for (Register r : learned_)
    if (known[r] && !stable_everywhere(made_by[r])) known[r] = false;
  learned_.clear();
}

void Values::grow() {
  const size_t n = kernel.registers.size();
  uses.resize(n), known.resize(n), variable.resize(n), multiple.resize(n);
  only_added.resize(n), only_scaled.resize(n), made_by.resize(n);
}

bool Values::stable_everywhere(const Instruction& c) const {
  bool yes = true;
  for_each_source(c, [&](const Source& s) { yes &= !variable[s.reg] && !(multiple[s.reg]); });
  return yes;
}

bool Values::usable(const Instruction& d) const {
  bool yes = true;
  for_each_source(d, [&](const Source& s) { yes &= stable(s.reg); });
  return yes;
}

const Instruction* Values::definition(const Source& s) const {
  if (!s.is_register() || s.modifiers != 0 || !known[s.reg]) return nullptr;
  return &made_by[s.reg];
}

void Values::set(Source& place, Source to) {
  acquire(to);
  release(place);
  place = to;
}

void Values::kill(Instruction& c) {
  for_each_source(c, [&](const Source& s) { --uses[s.reg]; });
  c.dead = true;
}

void Values::become_copy(Instruction& c, Source from) {
  acquire(from);
  for (const Source& s : c.source) release(s);
  const bool uniform = kernel.registers[c.destination[0]].file == RegisterFile::Uniform;
  c.op = uniform ? machine::Operation::Umov : machine::Operation::Mov;
  c.role = Role::Copy;
  c.wide = false;
  c.form = {};
  c.source = {from};
}

void Values::replace(Instruction& c, machine::Operation op, const Form& form, Sources sources) {
  for (const Source& s : sources) acquire(s);
  for (const Source& s : c.source) release(s);
  c.op = op;
  c.form = form;
  c.source = std::move(sources);
}

void Values::learn(const Instruction& c) {
  if (c.guard || c.destination[1] != kNone) return;
  const Register d = c.destination[0];
  if (d == kNone || variable[d] || (multiple[d] && !fresh(d))) return;
  if (c.role == Role::Copy && c.form.ends_name) return;
  if (c.role == Role::Copy && c.source[0].is_register() &&
      (variable[c.source[0].reg] || kernel.registers[c.source[0].reg].file != kernel.registers[d].file))
    return;
  if (c.role != Role::Pure && c.role != Role::Copy && !moves_word(c) && c.op != machine::Operation::Vote) return;
  if (!known[d]) learned_.push_back(d);
  known[d] = true;
  made_by[d] = c;
}

}  // namespace drywarp::sass
