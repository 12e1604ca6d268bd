#include <algorithm>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

constexpr uint32_t kHalfBits = 32;

// A right shift: the low half of its result is one funnel shift of both halves, unless the distance is known to leave
// the upper one alone. (ptxas 13, sm_90: so do distances in registers.)
bool shifts_right(const Instruction& c) {
  const bool shifts = shift_of(c) == Shift::Right || shift_of(c) == Shift::RightArithmetic;
  return c.op == Shf && c.role == Role::Pure && shifts && c.wide && c.source[0].is_register() &&
         c.source[0].modifiers == 0 &&
         (c.source[1].is_immediate() ? c.source[1].value < kHalfBits : c.source[1].is_register());
}

// An integer operation whose low half depends only on the low halves of its operands, or whose low half is simpler.
bool can_narrow(const Instruction& c) {
  if (moves_word(c)) return c.form.shift == Shift::Right;
  if (c.role != Role::Pure || c.space != AddressSpace::None || c.destination[1] != kNone) return false;
  if (c.op == ImadWide) return !c.form.in_sequence;
  if (ends_product(c)) return true;
  if (extends_word(c) || shifts_right(c)) return true;
  if (c.op == Lop3 && c.form == Form{.table = c.form.table, .word = 1}) return true;
  if (!c.wide) return false;
  switch (c.op) {
    case Iadd3:
      return is_plain(c);
    case Lea:
      return c.form.shift != Shift::FunnelLeft && c.form.shift != Shift::FunnelRight;
    case Lop3:
      return is_logic(c);
    case Sel:
      return is_plain(c);
    case Shf:
      return shift_of(c) == Shift::Left && c.source[1].is_immediate() && c.source[1].value < kHalfBits;
    default:
      return false;
  }
}

// The low words of two values, side by side.
bool pairs_words(const Instruction& c) { return c.role == Role::Tuple && c.form == Form{} && c.source.size() == 2; }

// A 32-bit operation: of what it reads, it takes the low halves.
bool works_on_words(const Instruction& c) {
  if (c.wide) return false;
  if ((c.op == Imad || c.op == Iadd3) && is_plain(c)) return true;
  if (c.op == Lop3 && is_logic(c)) return true;
  if (c.op == Imnmx) return true;
  return is_comparison(c) && ir::bits(c.form.type) <= kHalfBits;
}

class Halves {
 public:
  explicit Halves(Kernel& kernel)
      : kernel_(kernel),
        whole_(kernel.registers.size()),
        upper_(kernel.registers.size()),
        steps_(kernel.registers.size()) {}

  void run() {
    std::vector<bool> written(kernel_.registers.size());
    for_all([&](Instruction& c) {
      for (const Register d : c.destination) {
        if (d == kNone) continue;
        if (written[d]) steps_[d] = true;
        written[d] = true;
      }
      for (const Register d : c.destination)
        if (d != kNone && c.role != Role::Copy && !can_narrow(c)) whole_[d] = true;
    });
    // IMAD.WIDE writes both halves and reads both halves of its addend, so a product that depends on itself around a
    // loop stays wide. Sums do not: they are two instructions.
    do {
      find_upper();
      changed_ = false;
      for_all([&](Instruction& c) {
        if (c.op != ImadWide || !can_narrow(c) || upper_[c.destination[0]]) return;
        c.op = Imad, c.form = {};
        halve(c);
        changed_ = true;
      });
    } while (changed_);
    // A register may be written at several places.
    std::vector<bool> pairs(kernel_.registers.size());
    for (Register r = 0; r < pairs.size(); ++r) pairs[r] = is_pair(r);
    for_all([&](Instruction& c) {
      const bool can = c.role == Role::Copy || can_narrow(c);
      if (can && pairs[c.destination[0]] && !upper_[c.destination[0]]) halve(c);
    });
  }

 private:
  template <class Visit>
  void for_all(Visit visit) {
    for (CodeBlock& b : kernel_.blocks)
      for (Instruction& c : b.code) visit(c);
  }

  [[nodiscard]] bool is_pair(Register r) const { return kernel_.registers[r].words == 2; }

  // Backwards, since most uses follow their definitions.
  void find_upper() {
    upper_ = whole_;
    needed_.assign(whole_.size(), false);
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (auto b = kernel_.blocks.rbegin(); b != kernel_.blocks.rend(); ++b)
        for (auto c = b->code.rbegin(); c != b->code.rend(); ++c) mark(*c);
    }
  }

  [[nodiscard]] bool reads_upper(const Instruction& c, size_t source) const {
    // A pointer to constants that steps in a loop stays whole: place_constant_loads() follows it.
    const bool constant = c.space == AddressSpace::Const && c.source[0].is_register() && !steps_[c.source[0].reg];
    const bool in_32_bits = c.space == AddressSpace::Shared || c.space == AddressSpace::Local || constant;
    if (in_32_bits) return source != 0;
    constexpr uint8_t kWord = 4;
    if (c.role == Role::Effect && c.space != AddressSpace::None && source != 0 && c.bytes <= kWord) return false;
    if (c.op == ImadWide && can_narrow(c)) return source == 2;
    if (extends_word(c) || pairs_words(c)) return false;
    const bool funnel = shift_of(c) == Shift::FunnelLeft || shift_of(c) == Shift::FunnelRight;
    if (shift_of(c) != Shift::None && source == (funnel ? 2 : 1)) return false;  // the distance
    if (shifts_right(c)) return true;
    if (moves_word(c)) return c.form.shift == Shift::Right;
    const bool takes_mask = c.op == Lop3 && (c.form.one_word || (c.wide && is_logic(c) && c.form.table == kAnd));
    if (takes_mask && c.source[1].is_immediate() && c.source[1].value >> 32 == 0) return false;
    const bool halved = works_on_words(c);
    if (c.role != Role::Copy && !can_narrow(c) && !halved) return true;
    return c.destination[0] != kNone && upper_[c.destination[0]] && is_pair(c.destination[0]);
  }

  // Whether anything depends on the instruction. The upper half of a product is dropped if nothing reads it.
  [[nodiscard]] bool is_needed(const Instruction& c) const {
    if (c.role != Role::Pure && c.role != Role::Copy && c.role != Role::Tuple) return true;
    return std::ranges::any_of(c.destination, [&](Register d) { return d != kNone && needed_[d]; });
  }
  [[nodiscard]] bool needs(const Instruction& c, const Source& s) const {
    return !ends_product(c) || !(s == c.source[1]) || upper_[c.destination[0]];
  }

  void set(std::vector<bool>& what, Register r) {
    if (what[r]) return;
    what[r] = true;
    changed_ = true;
  }

  void mark(const Instruction& c) {
    if (!is_needed(c)) return;
    for_each_source(c, [&](const Source& s) {
      if (needs(c, s)) set(needed_, s.reg);
    });
    for (size_t s = 0; s < c.source.size(); ++s)
      if (c.source[s].is_register() && reads_upper(c, s)) set(upper_, c.source[s].reg);
  }

  void halve(Instruction& c) {
    if (shifts_right(c)) {
      c.form.shift = Shift::FunnelRight;
      c.source.set(2, c.source[1]), c.source.set(1, c.source[0]);
    }
    c.wide = false;
    if (c.op == Lop3) c.form.word = 0;
    if (ends_product(c) && c.source[2]) {
      c.form = {};
      c.source.set(1, c.source[2]), c.source.set(2, {});
    } else if (ends_product(c) || extends_word(c)) {  // the low word is the first product's alone, or the value itself
      c.op = Mov, c.role = Role::Copy, c.form = {};
      c.source.set(1, {});
    }
    kernel_.registers[c.destination[0]].words = 1;
    for (Source& s : c.source) {
      s.words = 1;
      if (s.is_immediate()) s.value &= 0xffffffff;
    }
  }

  Kernel& kernel_;
  std::vector<bool> whole_;   // by register: a definition cannot be narrowed
  std::vector<bool> upper_;   // its upper half is read, or cannot be dropped
  std::vector<bool> needed_;  // a result that something depends on is computed from it
  std::vector<bool> steps_;   // written at several places
  bool changed_ = false;
};

}  // namespace

void narrow(Kernel& kernel) { Halves(kernel).run(); }

}  // namespace drywarp::sass
