#include <algorithm>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// A 64-bit register that a loop steps, of which the loop reads the low word alone.
class CounterSplitter {
 public:
  CounterSplitter(Kernel& kernel, const Flow& flow) : kernel_(kernel), flow_(flow), places_(kernel.registers.size()) {
    for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
      for (const Instruction& c : kernel.blocks[b].code) {
        for (const Register d : c.destination)
          if (d != kNone) places_[d].push_back({&c, b, true});
        for_each_source(c, [&](const Source& s) { places_[s.reg].push_back({&c, b, false}); });
      }
  }

  void run() {
    struct Split {
      Register counter;
      uint32_t header;
    };
    std::vector<Split> splits;
    for (Register r = 0; r < places_.size(); ++r) {
      const auto step = std::ranges::find_if(places_[r], [&](const Place& p) { return p.writes && !loops(p).empty(); });
      if (kernel_.registers[r].words != 2 || step == places_[r].end()) continue;
      for (const uint32_t header : loops(*step))
        if (is_counter_of(r, header)) splits.push_back({r, header});
    }
    if (splits.empty()) return;
    const LiveSets live(kernel_);
    std::erase_if(splits, [&](const Split& s) { return is_live_behind(live, s.counter, s.header); });
    for (const Split& s : splits) split(s.counter, s.header);
  }

 private:
  struct Place {
    const Instruction* code;
    uint32_t block;
    bool writes;
  };

  [[nodiscard]] const std::vector<uint32_t>& loops(const Place& p) const { return flow_.loops[p.block]; }
  // Reads the low word, or adds a number to a counter: to `r`, or on the way to it.
  [[nodiscard]] bool reads_low_word(const Instruction& c, Register r, unsigned depth) const {
    if (c.role == Role::Copy && (c.destination[0] == r || kernel_.registers[c.destination[0]].words == 1)) return true;
    if (is_comparison(c) && !c.wide && ir::bits(c.form.type) == 32) return true;
    const bool adds = c.op == Iadd3 && c.wide && is_plain(c) && c.source[1].is_immediate() && !c.source[2];
    if (!adds || depth > 1) return false;
    const Register sum = c.destination[0];
    return sum == r || std::ranges::all_of(places_[sum], [&](const Place& p) {
             return p.writes ? p.code == &c : reads_low_word(*p.code, r, depth + 1);
           });
  }
  // Whether only the loop writes it again after its first value, which code in front of the loop reads whole.
  [[nodiscard]] bool is_counter_of(Register r, uint32_t header) const {
    if (kernel_.registers[r].file != RegisterFile::General) return false;
    unsigned starts = 0, steps = 0, reads_outside = 0;
    for (const Place& p : places_[r]) {
      const bool inside = flow_.in_loop(p.block, header);
      if (p.writes && p.code->guard) return false;
      if (p.writes) (inside ? steps : starts) += 1;
      if (!p.writes && !inside) ++reads_outside;
      if (!p.writes && inside && !reads_low_word(*p.code, r, 0)) return false;
    }
    return starts == 1 && steps != 0 && reads_outside != 0 && flow_.dominator[header] != kNone &&
           !flow_.in_loop(flow_.dominator[header], header);
  }
  [[nodiscard]] bool is_live_behind(const LiveSets& live, Register r, uint32_t header) const {
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      if (!flow_.in_loop(b, header)) continue;
      for (const uint32_t next : kernel_.function->blocks[b].successors)
        if (next != ir::kExit && !flow_.in_loop(next, header) && std::ranges::binary_search(live.in(next), r))
          return true;
    }
    return false;
  }

  void split(Register r, uint32_t header) {
    const Register counter = kernel_.make(2);
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      if (!flow_.in_loop(b, header)) continue;
      for (Instruction& c : kernel_.blocks[b].code) {
        for_each_source(c, [&](Source& s) {
          if (s.reg == r) s.reg = counter;
        });
        for (Register& d : c.destination)
          if (d == r) d = counter;
      }
    }
    auto& before = kernel_.blocks[flow_.dominator[header]].code;
    before.insert(before_branches(before), copy_of(r, counter));
  }

  Kernel& kernel_;
  const Flow& flow_;
  std::vector<std::vector<Place>> places_;  // by register
};

}  // namespace

void split_counters(Kernel& kernel, const Flow& flow) { CounterSplitter(kernel, flow).run(); }

}  // namespace drywarp::sass
