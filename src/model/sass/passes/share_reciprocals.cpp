#include <algorithm>
#include <map>
#include <optional>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// What divisions by the same divisor share.
struct Divisor {
  uint32_t block = 0;
  Source value;
  bool is_signed = false;
  // Its absolute value, twice, and negated; the reciprocal in fixed point; whether it is zero, and its complement.
  Register magnitude = kNone, kept = kNone, negated = kNone, reciprocal = kNone, is_zero = kNone, inverted = kNone;
};

class Sharer {
 public:
  Sharer(Kernel& kernel, const Flow& flow) : kernel_(kernel), flow_(flow), writes_(count_writes(kernel)) {
    for (size_t i = 0; i < flow.control.order.size(); ++i) place_[flow.control.order[i]] = i;
  }

  void run() {
    for (const uint32_t b : flow_.control.order)
      for (size_t i = 0; i < kernel_.blocks[b].code.size(); ++i)
        if (kernel_.blocks[b].code[i].op == I2f)
          if (const std::optional<Divisor> found = divisor_at(b, i)) share(*found);
    if (renamed_.empty()) return;
    for (CodeBlock& block : kernel_.blocks) {
      for (Instruction& c : block.code)
        for_each_source(c, [&](Source& s) {
          if (const auto known = renamed_.find(s.reg); known != renamed_.end()) s.reg = known->second;
        });
      std::erase_if(block.code, [](const Instruction& c) { return c.dead; });
    }
  }

 private:
  // Of the 32-bit integer division that the I2F begins; nothing: it is another one's.
  [[nodiscard]] std::optional<Divisor> divisor_at(uint32_t block, size_t begin) const {
    const std::vector<Instruction>& code = kernel_.blocks[block].code;
    const uint32_t division = code[begin].instruction;
    if (division == kNone || code[begin].guard) return std::nullopt;
    const ir::Instruction& in = kernel_.function->instructions[division];
    if (!divides(in) || ir::is_float(in.type) || ir::bits(in.type) != 32) return std::nullopt;
    Divisor d{.block = block, .value = code[begin].source[0], .is_signed = ir::is_signed(in.type)};
    for (const Instruction& c : code) {
      if (c.instruction != division) continue;
      const Register to = c.destination[0];
      if (c.op == ImadHi && d.reciprocal == kNone) d.reciprocal = to;
      if (c.op == Iabs && to == code[begin].source[0].reg) d.kept = to, d.value = c.source[0];
    }
    if (d.reciprocal == kNone || (d.is_signed && d.kept == kNone)) return std::nullopt;
    for (const Instruction& c : code) {
      if (c.instruction != division) continue;
      const Register to = c.destination[0];
      if (c.op == Iabs && c.source[0] == d.value && to != d.kept) d.magnitude = to;
      const bool takes = c.op == Iadd3 && c.source[0].reg == d.magnitude && !c.source[1];
      if (takes && d.magnitude != kNone && c.source[0].modifiers == kNegated) d.negated = to;
      if (c.op == Isetp && c.form.compare == ir::Compare::Eq && c.source[1].is_immediate()) d.is_zero = to;
      if (c.op == Lop3 && !c.guard && c.form.table == kNot && c.source[0] == d.value) d.inverted = to;
    }
    if (d.value.is_register() && writes_[d.value.reg] > 1) return std::nullopt;
    return d;
  }

  // Behind a call, as of the slow path of another division, and behind two loops, one in the other, ptxas computes the
  // reciprocal again.
  [[nodiscard]] bool are_near(uint32_t before, uint32_t behind) const {
    const size_t common = flow_.loops[behind].size();
    return std::ranges::none_of(flow_.control.order, [&](uint32_t b) {
      const size_t at = place_.at(b);
      if (at < place_.at(before) || at > place_.at(behind)) return false;
      const auto calls = [](const Instruction& c) { return is_call(c) || c.clobbers != 0; };
      return flow_.loops[b].size() > common + 1 || std::ranges::any_of(kernel_.blocks[b].code, calls);
    });
  }

  void share(const Divisor& d) {
    const auto known = std::ranges::find_if(known_, [&](const Divisor& k) {
      return k.value == d.value && k.is_signed == d.is_signed && (k.magnitude == kNone) == (d.magnitude == kNone) &&
             k.block != d.block && flow_.dominates(k.block, d.block) && are_near(k.block, d.block);
    });
    if (known == known_.end()) {
      known_.push_back(d);
      return;
    }
    const auto rename = [&](Register from, Register to) {
      if (from != kNone && to != kNone) renamed_[from] = to;
    };
    rename(d.magnitude, known->magnitude), rename(d.kept, known->kept), rename(d.negated, known->negated);
    rename(d.reciprocal, known->reciprocal), rename(d.is_zero, known->is_zero), rename(d.inverted, known->inverted);
    bool within = false;
    for (Instruction& c : kernel_.blocks[d.block].code) {
      within |= c.op == I2f && c.instruction != kNone && c.source[0].reg == (d.is_signed ? d.kept : d.value.reg);
      c.dead |= within || renamed_.contains(c.destination[0]);
      if (c.destination[0] == d.reciprocal) within = false;
    }
  }

  Kernel& kernel_;
  const Flow& flow_;
  std::vector<unsigned> writes_;
  std::map<uint32_t, size_t> place_;
  std::vector<Divisor> known_;
  std::map<Register, Register> renamed_;
};

}  // namespace

void share_reciprocals(Kernel& kernel, const Flow& flow) { Sharer(kernel, flow).run(); }

}  // namespace drywarp::sass
