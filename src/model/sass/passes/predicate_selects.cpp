#include <algorithm>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// What a region does with a register.
struct RegisterUse {
  unsigned writes = 0, reads = 0;
  size_t written = 0, last_read = 0;  // where
  bool live_out = false;
};

bool is_selection(const Instruction& c) {
  return (c.op == Sel || c.op == Fsel) && is_plain(c) && !c.wide && !c.guard && c.source[2].is_register() &&
         c.destination[0] != kNone && c.destination[1] == kNone;
}

// What ptxas 13 computed under a predicate.
bool can_be_predicated(const Instruction& c) {
  if (c.role != Role::Pure || c.guard || c.destination[0] == kNone || c.destination[1] != kNone) return false;
  if (c.space != AddressSpace::None || (c.form.in_sequence && c.form != kPairOfHalves)) return false;
  switch (c.op) {
    case Iadd3:
    case Viadd:
    case Imad:
    case Imnmx:
    case Iabs:
    case Sel:
    case Fsel:
    case Lea:
    case Lop3:
    case Shf:
    case Prmt:
    case Fadd:
    case Fmul:
    case Ffma:
    case Fmnmx:
    case Dadd:
    case Dmul:
    case Dfma:
      return true;
    default:
      return false;
  }
}

class Selects {
 public:
  Selects(const Kernel& kernel, const LiveSets& live, Region& region)
      : kernel_(kernel), code_(region.code), uses_(kernel.registers.size()) {
    for (const Register r : live.at(region.successors)) uses_[r].live_out = true;
    for (size_t i = 0; i < code_.size(); ++i) {
      for_each_source(code_[i], [&](const Source& s) { ++uses_[s.reg].reads, uses_[s.reg].last_read = i; });
      for (const Register d : code_[i].destination)
        if (d != kNone) ++uses_[d].writes, uses_[d].written = i;
    }
  }

  void run() {
    std::vector<Instruction> out;
    // A value that moves to its selection leaves where it was: by the number of its instruction.
    std::vector<size_t> moved(code_.size(), code_.size());
    std::vector<bool> leaves(code_.size());
    taken_.resize(code_.size());
    for (size_t i = 0; i < code_.size(); ++i)
      if (is_selection(code_[i]))
        for (unsigned side = 0; side < 2; ++side)
          if (const size_t from = made_for(i, side); from < i && !leaves[from] && moved[from] == code_.size()) {
            leaves[from] = true;
            moved[i] = from;
            taken_[i] = side;
            break;
          }
    for (size_t i = 0; i < code_.size(); ++i) {
      if (leaves[i]) continue;
      if (moved[i] == code_.size())
        out.push_back(code_[i]);
      else
        predicate(i, moved[i], out);
    }
    code_ = std::move(out);
  }

 private:
  // Where the value of that operand is made, if for this selection alone, and if the other operand ends here.
  [[nodiscard]] size_t made_for(size_t i, unsigned side) const {
    const Instruction& c = code_[i];
    const Source &mine = c.source[side], &other = c.source[1 - side];
    if (!is_lane_value(mine) || !is_lane_value(other) || mine.reg == other.reg) return i;
    const RegisterUse &use = uses_[mine.reg], &beside = uses_[other.reg];
    if (use.writes != 1 || use.reads != 1 || use.live_out || use.written >= i) return i;
    const Register to = c.destination[0];
    if (uses_[to].writes != 1) return i;
    const bool keeps = to == other.reg;  // as where a loop changes its value under a condition
    if (!keeps && (beside.live_out || beside.last_read != i || beside.writes > 1)) return i;
    const Instruction& d = code_[use.written];
    if (!can_be_predicated(d) || d.wide != c.wide || d.step != c.step) return i;
    if (kernel_.registers[mine.reg].words != kernel_.registers[to].words) return i;
    bool stays = true;  // what it reads is the same at the selection
    for_each_source(d, [&](const Source& s) {
      for (size_t k = use.written + 1; k < i; ++k)
        for (const Register w : code_[k].destination) stays = stays && w != s.reg;
      stays = stays && (keeps || s.reg != to);
    });
    return stays ? use.written : i;
  }

  [[nodiscard]] bool is_lane_value(const Source& s) const {
    return s.is_register() && s.modifiers == 0 && kernel_.registers[s.reg].file == RegisterFile::General;
  }

  void predicate(size_t at, size_t from, std::vector<Instruction>& out) const {
    const Instruction& c = code_[at];
    const unsigned side = taken_[at];
    Instruction copy;
    copy.op = Mov, copy.role = Role::Copy;
    copy.destination.set(0, c.destination[0]);
    copy.source.set(0, c.source[1 - side]);
    copy.instruction = c.instruction, copy.step = c.step;
    if (copy.source[0].reg != c.destination[0]) out.push_back(copy);
    Instruction d = code_[from];
    d.destination.set(0, c.destination[0]);
    for (Source& s : d.source)  // the copy has it, so that both can share a register
      if (s.is_register() && s.reg == copy.source[0].reg) s.reg = c.destination[0];
    d.guard = c.source[2];
    d.guard.modifiers = 0;
    d.guard_negated = ((c.source[2].modifiers & kInverted) != 0) != (side == 1);
    out.push_back(d);
  }

  const Kernel& kernel_;
  std::vector<Instruction>& code_;
  std::vector<RegisterUse> uses_;
  std::vector<unsigned> taken_;
};

}  // namespace

void predicate_selects(Kernel& kernel, std::vector<Region>& regions) {
  const LiveSets live(kernel);
  for (Region& region : regions) Selects(kernel, live, region).run();
}

}  // namespace drywarp::sass
