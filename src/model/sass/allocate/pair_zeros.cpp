#include <algorithm>
#include <unordered_set>

#include "model/sass/allocate/allocate.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// Of fewer zeros ptxas has pairs too, where it happens to place them so.
constexpr int kFewest = 5;

class Zeros {
 public:
  Zeros(Kernel& kernel, Allocation& allocation, Region& region)
      : kernel_(kernel), allocation_(allocation), code_(region.code) {}

  void run() {
    clear_copies();
    const auto is_word = [&](const Instruction& c) { return is_zero(c) && words(c) == 1; };
    if (std::ranges::count_if(code_, is_word) < kFewest) return;
    for (size_t i = 0; i < code_.size(); ++i)
      if (is_word(code_[i])) pair(i);
    std::erase_if(code_, [](const Instruction& c) { return c.dead; });
  }

 private:
  [[nodiscard]] unsigned words(const Instruction& c) const { return kernel_.registers[c.destination[0]].words; }
  [[nodiscard]] bool is_general(Register r) const { return kernel_.registers[r].file == RegisterFile::General; }
  [[nodiscard]] bool is_zero(const Instruction& c) const {
    const bool moves = c.op == Mov || c.op == ImadMov || c.op == Cs2r;
    return moves && c.source.size() == 1 && c.source[0] == Source::immediate(0) && c.destination[0] != kNone &&
           is_general(c.destination[0]) && !c.dead;
  }

  // A copy of a zero is one itself.
  void clear_copies() {
    std::unordered_set<Register> zeros;
    for (Instruction& c : code_) {
      const bool copies = c.role == Role::Copy && !c.guard && is_plain_register(c.source[0]);
      if (copies && zeros.contains(c.source[0].reg) && is_general(c.destination[0]) &&
          words(c) == kernel_.registers[c.source[0].reg].words &&
          allocation_.number[c.destination[0]] != allocation_.number[c.source[0].reg]) {
        c.op = words(c) == 2 ? Cs2r : ImadMov;
        c.role = Role::Pure;
        c.source = {Source::immediate(0)};
      }
      const bool zero = is_zero(c) && !c.guard;
      for (const Register d : c.destination)
        if (d != kNone) zero ? (void)zeros.insert(d) : (void)zeros.erase(d);
    }
  }

  [[nodiscard]] bool touches(const Instruction& c, uint16_t number) const {
    const auto covers = [&](Register r) {
      return is_general(r) && allocation_.number[r] <= number &&
             number < allocation_.number[r] + kernel_.registers[r].words;
    };
    bool found = std::ranges::any_of(c.destination, [&](Register d) { return d != kNone && covers(d); });
    for_each_source(c, [&](const Source& s) { found = found || covers(s.reg); });
    return found;
  }

  // With the next zero beside it, if nothing between needs that one's register.
  void pair(size_t i) {
    Instruction& c = code_[i];
    const uint16_t number = allocation_.number[c.destination[0]], other = number ^ 1;
    for (size_t k = i + 1; k < code_.size() && code_[k].step == c.step; ++k) {
      Instruction& d = code_[k];
      if (c.guard && writes_register(d, c.guard.reg)) return;
      const bool beside = is_zero(d) && words(d) == 1 && allocation_.number[d.destination[0]] == other;
      if (!beside && touches(d, other)) return;
      if (!beside) continue;
      if (d.guard != c.guard || d.guard_negated != c.guard_negated) return;
      c.op = Cs2r;
      c.wide = false;
      c.destination = {kernel_.make(2)};
      allocation_.number.push_back(std::min(number, other));
      d.dead = true;
      return;
    }
  }

  Kernel& kernel_;
  Allocation& allocation_;
  std::vector<Instruction>& code_;
};

}  // namespace

void pair_zeros(Kernel& kernel, std::vector<Region>& regions, Allocation& allocation) {
  constexpr uint32_t kFirstWithCs2r = 70;
  if (kernel.compute_capability < kFirstWithCs2r) return;
  allocation.number.resize(kernel.registers.size(), machine::kNoRegister);
  for (Region& region : regions) Zeros(kernel, allocation, region).run();
}

}  // namespace drywarp::sass
