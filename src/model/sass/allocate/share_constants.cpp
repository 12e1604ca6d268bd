#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "model/sass/allocate/allocate.h"

namespace drywarp::sass {
namespace {

bool is_constant(const Instruction& c) {
  bool sources = false;
  for_each_source(c, [&](const Source&) { sources = true; });
  return !sources && c.role == Role::Pure && !c.guard && c.op == machine::Operation::Ldc &&
         c.space == AddressSpace::None && c.destination[0] != kNone && c.destination[1] == kNone;
}

bool loads_the_same(const Instruction& a, const Instruction& b) {
  return a.form == b.form && a.wide == b.wide && a.source == b.source;
}

}  // namespace

void share_constants(const Kernel& kernel, std::vector<Instruction>& code, const std::vector<Register>& live_out) {
  std::unordered_map<Register, size_t> last;  // where each register is read last
  std::unordered_map<Register, unsigned> writes;
  for (size_t i = 0; i < code.size(); ++i) {
    for_each_source(code[i], [&](const Source& s) { last[s.reg] = i; });
    for (const Register d : code[i].destination)
      if (d != kNone) ++writes[d];
  }
  const std::unordered_set<Register> lives_on(live_out.begin(), live_out.end());
  std::vector<size_t> kept;
  std::unordered_map<Register, Register> shared;
  for (size_t i = 0; i < code.size(); ++i) {
    Instruction& c = code[i];
    if (!shared.empty())
      for_each_source(c, [&](Source& s) {
        if (const auto other = shared.find(s.reg); other != shared.end()) s.reg = other->second;
      });
    if (!is_constant(c) || writes[c.destination[0]] != 1 ||
        kernel.registers[c.destination[0]].file != machine::RegisterFile::General)
      continue;
    const Register r = c.destination[0];
    const auto same = std::ranges::find_if(kept, [&](size_t k) {
      const Register other = code[k].destination[0];
      return loads_the_same(code[k], c) && (lives_on.contains(other) || (last.contains(other) && last[other] > i));
    });
    if (same == kept.end() || lives_on.contains(r)) {
      kept.push_back(i);
      continue;
    }
    const Register other = code[*same].destination[0];
    shared[r] = other;
    if (const auto end = last.find(r); end != last.end()) last[other] = std::max(last[other], end->second);
    c.dead = true;
  }
  std::erase_if(code, [](const Instruction& c) { return c.dead; });
}

}  // namespace drywarp::sass
