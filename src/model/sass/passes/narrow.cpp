#include "model/sass/passes/narrow.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// An integer operation whose low half needs the low halves of its operands only.
bool makes_halves(const Code& c) {
  if (c.role != Role::Pure || c.space != AddressSpace::None || c.destination[1] != kNone) return false;
  if (c.op == ImadWide) return c.variant <= 1;
  if (!c.wide) return false;
  constexpr uint32_t kWordBits = 32, kLogic = 0xff;
  switch (c.op) {
    case Iadd3:
      return c.variant == 0;
    case Lea:
      return c.variant < kWordBits || (c.variant >= kLeaHigh && c.variant < kLeaFunnel);
    case Lop3:
      return c.variant <= kLogic;
    case Shf:
      return c.variant == 1 && c.source[1].is_immediate() && c.source[1].value < kWordBits;
    default:
      return false;
  }
}

class Halves {
 public:
  explicit Halves(Kernel& kernel) : kernel_(kernel), whole_(kernel.registers.size()), upper_(kernel.registers.size()) {}

  void run() {
    for_all([&](Code& c) {
      for (const Register d : c.destination)
        if (d != kNone && c.role != Role::Copy && !makes_halves(c)) whole_[d] = true;
    });
    // A product makes both halves at once: as long as it does, it reads both of what it adds. So one that leads round a
    // loop to itself stays what it is, which sums, made of two instructions, do not.
    do {
      find_upper();
      changed_ = false;
      for_all([&](Code& c) {
        if (c.op != ImadWide || !makes_halves(c) || upper_[c.destination[0]]) return;
        c.op = Imad, c.variant = 0;
        halve(c);
        changed_ = true;
      });
    } while (changed_);
    for_all([&](Code& c) {
      const bool can = c.role == Role::Copy || makes_halves(c);
      if (can && is_pair(c.destination[0]) && !upper_[c.destination[0]]) halve(c);
    });
  }

 private:
  template <class Visit>
  void for_all(Visit visit) {
    for (CodeBlock& b : kernel_.blocks)
      for (Code& c : b.code) visit(c);
  }

  [[nodiscard]] bool is_pair(Register r) const { return kernel_.registers[r].words == 2; }

  // Readers mostly stand behind what they read.
  void find_upper() {
    upper_ = whole_;
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (auto b = kernel_.blocks.rbegin(); b != kernel_.blocks.rend(); ++b)
        for (auto c = b->code.rbegin(); c != b->code.rend(); ++c) mark(*c);
    }
  }

  // Whether the upper half of a source is read.
  [[nodiscard]] bool reads_upper(const Code& c, size_t source) const {
    if (c.space == AddressSpace::Shared || c.space == AddressSpace::Local) return source != 0;
    if (c.op == ImadWide && makes_halves(c)) return source == 2;
    const bool halved = c.op == Imad && c.variant == 0 && !c.wide;
    if (c.role != Role::Copy && !makes_halves(c) && !halved) return true;
    return c.destination[0] != kNone && upper_[c.destination[0]] && is_pair(c.destination[0]);
  }

  void mark(const Code& c) {
    for (size_t s = 0; s < c.source.size(); ++s) {
      if (!c.source[s].is_register()) continue;
      const Register r = c.source[s].reg;
      if (upper_[r] || !reads_upper(c, s)) continue;
      upper_[r] = true;
      changed_ = true;
    }
  }

  void halve(Code& c) {
    c.wide = false;
    kernel_.registers[c.destination[0]].words = 1;
    for (Source& s : c.source) {
      s.words = 1;
      if (s.is_immediate()) s.value &= 0xffffffff;
    }
  }

  Kernel& kernel_;
  std::vector<bool> whole_;  // by register: something makes it that makes no halves
  std::vector<bool> upper_;  // its upper half is read, or cannot be left out
  bool changed_ = false;
};

}  // namespace

void narrow(Kernel& kernel) { Halves(kernel).run(); }

}  // namespace drywarp::sass
