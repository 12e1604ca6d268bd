#include "model/sass/passes/rename.h"

#include <algorithm>
#include <unordered_map>

namespace drywarp::sass {

using enum machine::Operation;

void rename(Values& v, std::vector<Code>& code, const std::vector<Register>& live_out, bool all_defined_elsewhere_too) {
  std::unordered_map<Register, int> defined;
  std::unordered_map<Register, bool> exposed, guarded;
  for (const Code& c : code) {
    for_each_source(c, [&](const Source& s) {
      if (!defined.count(s.reg)) exposed[s.reg] = true;
    });
    for (Register d : c.destination)
      if (d != kNone) {
        ++defined[d];
        if (c.guard) guarded[d] = true;
      }
  }
  for (const auto& [r, n] : guarded) v.variable.resize(v.kernel.registers.size()), v.variable[r] = true;
  std::unordered_map<Register, Register> now;
  std::vector<Register> order;
  for (Code& c : code) {
    for_each_source(c, [&](Source& s) {
      if (auto it = now.find(s.reg); it != now.end()) s.reg = it->second;
    });
    for (Register& d : c.destination) {
      if (d == kNone || guarded.count(d)) continue;
      const bool again = defined[d] > 1 || exposed.count(d) || (all_defined_elsewhere_too && v.multiple[d]);
      if (!again) continue;
      const Register old = d;
      d = v.kernel.make(v.kernel.registers[old].words, v.kernel.registers[old].file);
      if (!now.count(old)) order.push_back(old);
      now[old] = d;
    }
  }
  v.grow();
  std::vector<Code> ends;
  for (Register r : order) {
    if (!std::binary_search(live_out.begin(), live_out.end(), r)) continue;
    Code copy;
    copy.op = v.kernel.registers[r].file == RegisterFile::Uniform ? Umov : Mov;
    copy.role = Role::Copy;
    copy.variant = kEndCopy;
    copy.destination[0] = r;
    copy.source[0] = Source::of(now[r]);
    ends.push_back(copy);
  }
  auto at = code.end();
  while (at != code.begin() && (at - 1)->role == Role::Branch) --at;
  for (Code& e : ends) e.step = code.empty() ? 0 : code.back().step;
  code.insert(at, ends.begin(), ends.end());
}

void write_directly(Values& v, std::vector<Code>& code) {
  std::unordered_map<Register, std::pair<size_t, size_t>> touched;  // last read or write of a register
  std::unordered_map<Register, size_t> made;
  for (size_t i = 0; i < code.size(); ++i) {
    for_each_source(code[i], [&](const Source& s) { touched[s.reg].first = i + 1; });
    for (Register d : code[i].destination)
      if (d != kNone) touched[d].second = i + 1, made[d] = i;
  }
  std::unordered_map<Register, Register> renamed;
  for (size_t i = 0; i < code.size(); ++i) {
    Code& c = code[i];
    if (c.role != Role::Copy || c.variant != kEndCopy || !c.source[0].is_register() || c.source[0].modifiers != 0)
      continue;
    const Register r = c.destination[0], from = c.source[0].reg;
    auto def = made.find(from);
    if (def == made.end() || renamed.count(from) || code[def->second].guard) continue;
    const size_t d = def->second;
    if (v.is_kept(from) || v.kernel.registers[from].words != v.kernel.registers[r].words) continue;
    const bool source_elsewhere = !v.fresh(from);
    if (source_elsewhere) continue;
    const auto last = touched[r];
    if (last.first > d + 1 || (last.second != i + 1)) continue;
    bool written_between = false;
    for (size_t k = d + 1; k < i && !written_between; ++k)
      for (Register w : code[k].destination) written_between |= w == r;
    if (written_between) continue;
    renamed[from] = r;
    c.dead = true;
  }
  for (Code& c : code) {
    for_each_source(c, [&](Source& s) {
      if (auto it = renamed.find(s.reg); it != renamed.end()) --v.uses[s.reg], s.reg = it->second, ++v.uses[s.reg];
    });
    for (Register& d : c.destination)
      if (auto it = renamed.find(d); it != renamed.end()) d = it->second;
  }
  std::erase_if(code, [](const Code& c) { return c.dead; });
}

void drop_dead(Values& v, std::vector<Code>& code) {
  for (auto it = code.rbegin(); it != code.rend(); ++it) {
    Code& c = *it;
    if (c.dead || c.role == Role::Effect || c.role == Role::Branch) continue;
    if (c.destination[0] == kNone && c.destination[1] == kNone && c.role != Role::Load) {
      v.kill(c);
      continue;
    }
    bool read = false;
    for (Register d : c.destination) read |= d != kNone && v.uses[d] > 0;
    if (!read && !(c.role == Role::Load && c.variant >> 8 != 0)) v.kill(c);
  }
  std::erase_if(code, [](const Code& c) { return c.dead; });
}

}  // namespace drywarp::sass
