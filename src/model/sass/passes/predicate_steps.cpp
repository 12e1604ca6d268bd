#include <algorithm>
#include <span>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

bool is_lane_word(const Kernel& kernel, const Source& s) {
  if (!is_plain_register(s)) return false;
  const RegisterInfo& info = kernel.registers[s.reg];
  return info.file == RegisterFile::General && info.words == 1;
}

// A sum of a register and a selected literal, or nothing.
class Steps {
 public:
  Steps(Kernel& kernel, const LiveSets& live, Region& region)
      : kernel_(kernel), code_(region.code), reads_(kernel.registers.size()), writes_(kernel.registers.size()) {
    for (const Register r : live.at(region.successors)) ++reads_[r];
    for (const Instruction& c : code_) {
      for_each_source(c, [&](const Source& s) { ++reads_[s.reg]; });
      for (const Register d : c.destination)
        if (d != kNone) ++writes_[d];
    }
  }

  void run() {
    std::vector<Instruction> out;
    for (size_t i = 0; i < code_.size(); ++i)
      if (!step(i, out)) out.push_back(code_[i]);
    std::erase_if(out,
                  [&](const Instruction& c) { return std::ranges::find(taken_, c.destination[0]) != taken_.end(); });
    code_ = std::move(out);
  }

 private:
  bool step(size_t i, std::vector<Instruction>& out) {
    const Instruction& c = code_[i];
    if (c.op != Iadd3 || !is_plain(c) || c.wide || c.guard || c.destination[1] != kNone || c.source[2]) return false;
    for (unsigned side = 0; side < 2; ++side)
      if (const Instruction* selection = selection_for(i, side)) {
        taken_.push_back(selection->destination[0]);
        add(c, *selection, c.source[1 - side], out);
        return true;
      }
    return false;
  }

  // The selection that makes this operand, for this sum alone.
  [[nodiscard]] const Instruction* selection_for(size_t i, unsigned side) const {
    const Source &mine = code_[i].source[side], &other = code_[i].source[1 - side];
    if (!is_lane_word(kernel_, mine) || !is_lane_word(kernel_, other) || mine.reg == other.reg) return nullptr;
    if (reads_[mine.reg] != 1 || writes_[mine.reg] != 1) return nullptr;
    const auto before = std::span(code_).first(i);
    const auto made = std::ranges::find_if(before, [&](const auto& d) { return writes_register(d, mine.reg); });
    if (made == before.end() || made->op != Sel || !is_plain(*made) || made->wide || made->guard) return nullptr;
    const Source &chosen = made->source[0], &left = made->source[1];
    if (!chosen.is_immediate() || !left.is_immediate() || (chosen.value != 0 && left.value != 0)) return nullptr;
    if (!made->source[2].is_register()) return nullptr;
    const Register chosen_by = made->source[2].reg;
    if (kernel_.registers[chosen_by].file != RegisterFile::Predicate) return nullptr;
    const bool keeps = std::none_of(made, before.end(), [&](const auto& d) { return writes_register(d, chosen_by); });
    return keeps ? &*made : nullptr;
  }

  void add(const Instruction& c, const Instruction& selection, const Source& base, std::vector<Instruction>& out) {
    const bool in_place = c.destination[0] == base.reg;
    Instruction first = c, second = c;
    if (in_place) first.destination.set(0, kernel_.make());
    second.destination = first.destination;
    const unsigned zero = selection.source[0].value == 0 ? 0 : 1;
    first.source = {base, selection.source[1 - zero]};
    second.op = Mov, second.source = {base};
    second.guard = Source::of(selection.source[2].reg);
    second.guard_negated = ((selection.source[2].modifiers & kInverted) != 0) != (zero == 1);
    out.push_back(first), out.push_back(second);
    if (!in_place) return;
    Instruction moved = c;
    moved.op = Mov, moved.source = {Source::of(first.destination[0])};
    out.push_back(moved);
  }

  Kernel& kernel_;
  std::vector<Instruction>& code_;
  std::vector<unsigned> reads_, writes_;
  std::vector<Register> taken_;  // selections that became steps
};

}  // namespace

void predicate_steps(Kernel& kernel, std::vector<Region>& regions) {
  const LiveSets live(kernel);
  for (Region& region : regions) Steps(kernel, live, region).run();
}

}  // namespace drywarp::sass
