#include "lowering/optimize.h"

#include <algorithm>
#include <unordered_map>

namespace drywarp::lowering {
namespace {

using machine::Operation;
using enum machine::Operation;
using Kind = Source::Kind;

constexpr uint8_t kNegated = 1;
constexpr size_t kUniformBase = 5;  // source of a memory access: a uniform register added to the address

bool is_left_shift(const Code& c) { return c.op == Shf && c.variant == 1 && c.source[1].is_immediate(); }
bool is_plain_add(const Code& c) { return c.op == Iadd3 && c.variant == 0; }
// x + immediate
bool is_add_immediate(const Code& c) {
  return is_plain_add(c) && !c.source[2] && c.source[0].is_register() && c.source[0].modifiers == 0 &&
         c.source[1].is_immediate();
}
bool adds_nothing(const Source& s) { return !s || (s.is_immediate() && s.value == 0); }
unsigned sources_of(const Code& c) {
  unsigned n = 0;
  for (const Source& s : c.source) n += bool(s);
  return n;
}
int64_t signed_value(const Code& c, const Source& s) {
  const int64_t v = c.wide ? static_cast<int64_t>(s.value) : static_cast<int32_t>(s.value);
  return s.modifiers & kNegated ? -v : v;
}

struct KeyHash {
  size_t operator()(const std::vector<uint64_t>& key) const {
    size_t h = 0xcbf29ce484222325ull;
    for (uint64_t k : key) h = (h ^ k) * 0x100000001b3ull;
    return h;
  }
};

class Optimizer {
 public:
  explicit Optimizer(Kernel& kernel) : kernel_(kernel) { grow(); }

  void count(const std::vector<Code>& code, int by = 1) {
    for (const Code& c : code) {
      for_each_source(c, [&](const Source& s) { uses_[s.reg] += by; });
    }
  }
  void keep(Register r) { uses_[r] += 1000, touched_.push_back(r); }

  // ---- one run of instructions
  // Gives every definition a name of its own; registers in `variable` keep theirs. At the end the old names get the
  // last values, if they live on.
  void rename(std::vector<Code>& code, const std::vector<Register>& live_out, bool all_defined_elsewhere_too) {
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
    for (const auto& [r, n] : guarded) variable_.resize(kernel_.registers.size()), variable_[r] = true;
    std::unordered_map<Register, Register> now;
    std::vector<Register> order;
    for (Code& c : code) {
      for_each_source(c, [&](Source& s) {
        if (auto it = now.find(s.reg); it != now.end()) s.reg = it->second;
      });
      for (Register& d : c.destination) {
        if (d == kNone || guarded.count(d)) continue;
        const bool again = defined[d] > 1 || exposed.count(d) || (all_defined_elsewhere_too && multiple_[d]);
        if (!again) continue;
        const Register old = d;
        d = kernel_.make(kernel_.registers[old].words, kernel_.registers[old].file);
        if (!now.count(old)) order.push_back(old);
        now[old] = d;
      }
    }
    grow();
    std::vector<Code> ends;
    for (Register r : order) {
      if (!std::binary_search(live_out.begin(), live_out.end(), r)) continue;
      Code copy;
      copy.op = Mov;
      copy.role = Role::Copy;
      copy.variant = kEnd;
      copy.destination[0] = r;
      copy.source[0] = Source::of(now[r]);
      ends.push_back(copy);
    }
    auto at = code.end();
    while (at != code.begin() && (at - 1)->role == Role::Branch) --at;
    for (Code& e : ends) e.step = code.empty() ? 0 : code.back().step;
    code.insert(at, ends.begin(), ends.end());
  }

  void forward(std::vector<Code>& code) {
    values_.clear();
    for (Code& c : code) {
      substitute(c);
      for (unsigned round = 0; round < 4 && simplify(c); ++round) {
      }
      share(c);
      learn(c);
    }
  }

  // Drops what nothing reads. `uses_` must count all uses.
  void drop_dead(std::vector<Code>& code) {
    for (auto it = code.rbegin(); it != code.rend(); ++it) {
      Code& c = *it;
      if (c.dead || c.role == Role::Effect || c.role == Role::Branch) continue;
      if (c.destination[0] == kNone && c.destination[1] == kNone && c.role != Role::Load) {
        kill(c);
        continue;
      }
      bool read = false;
      for (Register d : c.destination) read |= d != kNone && uses_[d] > 0;
      if (!read && !(c.role == Role::Load && c.variant >> 8 != 0)) kill(c);
    }
    std::erase_if(code, [](const Code& c) { return c.dead; });
  }

  // A final `r = r'` vanishes where the instruction that makes r' can write r itself.
  void write_directly(std::vector<Code>& code) {
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
      if (c.role != Role::Copy || c.variant != kEnd || !c.source[0].is_register() || c.source[0].modifiers != 0)
        continue;
      const Register r = c.destination[0], from = c.source[0].reg;
      auto def = made.find(from);
      if (def == made.end() || renamed.count(from) || code[def->second].guard) continue;
      const size_t d = def->second;
      if (uses_[from] >= 1000 || kernel_.registers[from].words != kernel_.registers[r].words) continue;
      const bool source_elsewhere = !fresh(from);
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
        if (auto it = renamed.find(s.reg); it != renamed.end()) --uses_[s.reg], s.reg = it->second, ++uses_[s.reg];
      });
      for (Register& d : c.destination)
        if (auto it = renamed.find(d); it != renamed.end()) d = it->second;
    }
    std::erase_if(code, [](const Code& c) { return c.dead; });
  }

  void find_multiple() {
    multiple_.assign(kernel_.registers.size(), false);
    std::vector<uint8_t> times(kernel_.registers.size(), 0);
    for (const CodeBlock& b : kernel_.blocks)
      for (const Code& c : b.code)
        for (Register d : c.destination)
          if (d != kNone) {
            if (times[d]++ > 0 || c.guard) multiple_[d] = true;
            times[d] = std::min<uint8_t>(times[d], 3);
          }
    originals_ = kernel_.registers.size();
  }
  // Ready for the code of one region; what an earlier one left is forgotten.
  void start_region(const std::vector<Code>& code) {
    for (Register r : touched_) uses_[r] = 0, known_[r] = false, variable_[r] = false;
    touched_.clear();
    values_.clear();
    grow();
    touch(code);
  }
  void touch(const std::vector<Code>& code) {
    for (const Code& c : code) {
      for_each_source(c, [&](const Source& s) { touched_.push_back(s.reg); });
      for (Register d : c.destination)
        if (d != kNone) touched_.push_back(d);
    }
  }
  // Forget values whose registers other blocks may write.
  bool crosses_blocks = false;
  void forget_local() {
    for (Register r : learned_)
      if (known_[r] && !stable_everywhere(definition_[r])) known_[r] = false;
    learned_.clear();
  }

 private:
  static constexpr uint32_t kEnd = 0xe0d;  // variant of the copies that rename() adds

  void grow() {
    const size_t n = kernel_.registers.size();
    uses_.resize(n), known_.resize(n), variable_.resize(n), multiple_.resize(n);
    definition_.resize(n);
  }
  [[nodiscard]] bool fresh(Register r) const { return r >= originals_; }
  [[nodiscard]] bool stable(Register r) const { return !variable_[r]; }
  [[nodiscard]] bool stable_everywhere(const Code& c) const {
    bool yes = true;
    for_each_source(c, [&](const Source& s) { yes &= !variable_[s.reg] && !(multiple_[s.reg]); });
    return yes;
  }
  void release(const Source& s) {
    if (s.is_register()) --uses_[s.reg];
  }
  void acquire(const Source& s) {
    if (s.is_register()) ++uses_[s.reg];
  }
  void set(Source& place, Source to) {
    acquire(to);
    release(place);
    place = to;
  }
  void kill(Code& c) {
    for_each_source(c, [&](const Source& s) { --uses_[s.reg]; });
    c.dead = true;
  }
  [[nodiscard]] const Code* definition(const Source& s) const {
    if (!s.is_register() || s.modifiers != 0 || !known_[s.reg]) return nullptr;
    return &definition_[s.reg];
  }
  [[nodiscard]] bool only_use(const Source& s) const { return uses_[s.reg] == 1; }

  void substitute(Code& c) {
    auto carry = [&](Source& s) {
      for (unsigned depth = 0; depth < 8 && s.is_register() && known_[s.reg]; ++depth) {
        const Code& d = definition_[s.reg];
        if (d.role != Role::Copy) return;
        Source from = d.source[0];
        if (from.is_immediate() && s.modifiers != 0) return;
        if (from.is_constant() && s.modifiers != 0) return;
        from.modifiers ^= s.modifiers;
        set(s, from);
      }
    };
    for (Source& s : c.source) carry(s);
    if (c.guard && known_[c.guard.reg]) {
      const Code& d = definition_[c.guard.reg];
      if (d.role == Role::Copy && d.source[0].is_register()) {
        if (d.source[0].modifiers & 4) c.guard_negated = !c.guard_negated;
        Source plain = d.source[0];
        plain.modifiers = 0;
        set(c.guard, plain);
      }
    }
  }

  void become_copy(Code& c, Source from) {
    acquire(from);
    for (Source& s : c.source) release(s), s = {};
    c.op = Mov;
    c.role = Role::Copy;
    c.wide = false;
    c.variant = 0;
    c.source[0] = from;
  }

  // One step of improvement; false when there is none.
  bool simplify(Code& c) {
    if (c.space != MemorySpace::None && c.space != MemorySpace::Constant) return fold_address(c);
    if (c.guard) return false;
    switch (c.op) {
      case Iadd3:
        return c.variant == 0 && c.role == Role::Pure && fold_add(c);
      case Imad:
        return c.variant == 0 && c.role == Role::Pure && !c.wide && fold_multiply_add(c);
      case Lop3:
        return c.role == Role::Pure && fold_logic(c);
      case Shf:
        if (c.source[1].is_immediate() && c.source[0].is_immediate() && c.variant == 1) {
          become_copy(c, Source::immediate(c.source[0].value << (c.source[1].value & 63)));
          return true;
        }
        return false;
      case Fadd:
        return fold_float_add(c);
      case Fmul:
      case Ffma:
      case Fmnmx:
      case Fsetp:
      case Dadd:
      case Dmul:
      case Dfma:
        return fold_float_signs(c);
      case Plop3:
        return fold_predicates(c);
      default:
        return false;
    }
  }

  bool fold_address(Code& c) {
    // [x + immediate] for the address; both kinds of memory take it for nothing.
    const Code* d = definition(c.source[0]);
    if (!d || d->guard || !usable(*d)) return false;
    // [register + uniform register]
    if (is_plain_add(*d) && !d->source[2] && !d->wide && c.space == MemorySpace::Shared && !c.source[kUniformBase]) {
      for (unsigned i = 0; i < 2; ++i) {
        const Source &x = d->source[i], &y = d->source[1 - i];
        if (!x.is_register() || !y.is_register() || x.modifiers != 0 || y.modifiers != 0) continue;
        if (kernel_.registers[x.reg].file != RegisterFile::Uniform) continue;
        const Source base = y, uniform = x;
        set(c.source[kUniformBase], uniform);
        set(c.source[0], base);
        return true;
      }
    }
    if (!is_add_immediate(*d)) return false;
    const int64_t offset = c.offset + signed_value(*d, d->source[1]);
    if (offset < -(1 << 23) || offset >= (1 << 23)) return false;
    c.offset = offset;
    set(c.source[0], d->source[0]);
    return true;
  }

  [[nodiscard]] bool usable(const Code& d) const {
    bool yes = true;
    for_each_source(d, [&](const Source& s) { yes &= stable(s.reg); });
    return yes;
  }

  bool fold_add(Code& c) {
    Source &a = c.source[0], &b = c.source[1], &third = c.source[2];
    if (!b && !third && a.is_register() && a.modifiers == 0) return false;
    if (a.is_immediate() && b.is_immediate() && !third) {
      become_copy(c, Source::immediate(static_cast<uint64_t>(signed_value(c, a) + signed_value(c, b))));
      return true;
    }
    if (adds_nothing(b) && !third && a.modifiers == 0) {
      become_copy(c, a);
      return true;
    }
    if (a.is_immediate() && b && !b.is_immediate()) {
      std::swap(a, b);
      return true;
    }
    if (third) return false;
    for (unsigned side = 0; side < 2; ++side) {
      Source& mine = c.source[side];
      Source& other = c.source[1 - side];
      const Code* d = definition(mine);
      if (!d || d->guard || !usable(*d) || d->wide != (c.wide && d->op != ImadWide)) continue;
      if (d->op == ImadWide && c.wide && !d->source[2] && d->variant <= 1 && other.modifiers == 0) {
        Source x = d->source[0], y = d->source[1], plus = other;
        replace(c, ImadWide, d->variant, {x, y, plus});
        c.wide = false;
        return true;
      }
      if (d->op == Imad && !c.wide && d->variant == 0 && !d->source[2] && only_use(mine)) {
        replace(c, Imad, 0, {d->source[0], d->source[1], other});
        return true;
      }
      if (is_left_shift(*d) && d->source[1].value < 32 && !other.is_immediate() && (c.wide || only_use(mine))) {
        replace(c, Lea, static_cast<uint32_t>(d->source[1].value), {d->source[0], other});
        return true;
      }
      const bool right_shift = d->op == Shf && (d->variant == 2 || d->variant == 3) && d->source[1].is_immediate();
      if (right_shift && !c.wide && only_use(mine) && other.is_register()) {
        replace(c, Lea, 1000 + static_cast<uint32_t>(d->source[1].value), {d->source[0], other});
        return true;
      }
      if (is_plain_add(*d) && !d->source[2] && d->source[1]) {
        if (is_add_immediate(*d) && other.is_immediate()) {
          const int64_t sum = signed_value(*d, d->source[1]) + signed_value(c, other);
          Source base = d->source[0];
          set(mine, base);
          other.value = static_cast<uint64_t>(sum);
          other.modifiers = 0;
          return true;
        }
        if (only_use(mine) && !c.wide) {
          const unsigned immediates = unsigned(d->source[1].is_immediate()) + unsigned(other.is_immediate());
          if (immediates < 2) {
            replace(c, Iadd3, 0, {d->source[0], d->source[1], other});
            return true;
          }
        }
      }
    }
    return false;
  }

  bool fold_multiply_add(Code& c) {
    if (c.source[0].is_immediate() && !c.source[1].is_immediate()) {
      std::swap(c.source[0], c.source[1]);
      return true;
    }
    if (c.source[1].is_immediate() && c.source[1].value == 1 && adds_nothing(c.source[2])) {
      become_copy(c, c.source[0]);
      return true;
    }
    return false;
  }

  bool fold_logic(Code& c) {
    // Two two-input operations, the inner read only here: one LOP3 with a table of its own.
    if (c.wide || sources_of(c) != 2 || (c.variant >> 16) != 0) return false;
    for (unsigned side = 0; side < 2; ++side) {
      const Code* d = definition(c.source[side]);
      if (!d || d->op != Lop3 || d->wide || d->guard || !only_use(c.source[side]) || !usable(*d) ||
          sources_of(*d) > 2 || (d->variant >> 16) != 0)
        continue;
      const Source other = c.source[1 - side];
      const unsigned immediates = unsigned(other.is_immediate()) + unsigned(d->source[0].is_immediate()) +
                                  unsigned(d->source[1].is_immediate());
      if (immediates > 1 && sources_of(*d) == 2) continue;
      replace(c, Lop3, 0x100 | c.variant << 8 | d->variant, {d->source[0], d->source[1], other});
      c.variant &= 0xffff;
      return true;
    }
    return false;
  }

  bool fold_float_add(Code& c) {
    if (fold_float_signs(c)) return true;
    // mul + add without a rounding asked for: one rounding (-fmad).
    if (c.variant >= 4096 || ((c.variant >> 8) & 0xff) != 0 || c.source[2]) return false;
    for (unsigned side = 0; side < 2; ++side) {
      const Code* d = definition(c.source[side]);
      if (!d || d->op != Fmul || d->variant != c.variant || d->guard || !only_use(c.source[side]) || !usable(*d))
        continue;
      if (d->source[2]) continue;
      replace(c, Ffma, c.variant, {d->source[0], d->source[1], c.source[1 - side]});
      return true;
    }
    return false;
  }

  // A negation or absolute value is a modifier of the operand.
  bool fold_float_signs(Code& c) {
    for (Source& s : c.source) {
      if (!s.is_register() || !known_[s.reg]) continue;
      const Code& d = definition_[s.reg];
      const bool sign =
          (d.op == Fadd && d.variant == 4096) || (d.op == Lop3 && (d.variant == 4096 || d.variant == 4097));
      if (!sign || d.guard || !usable(d) || !d.source[0].is_register()) continue;
      Source from = d.source[0];
      from.modifiers = static_cast<uint8_t>((from.modifiers | s.modifiers) | (d.variant == 4097 ? 2 : 1));
      set(s, from);
      return true;
    }
    return false;
  }

  bool fold_predicates(Code& c) {
    // and/or of a comparison that only this reads: the comparison takes the other predicate along.
    for (unsigned side = 0; side < 2; ++side) {
      const Source mine = c.source[side];
      if (!mine.is_register() || !known_[mine.reg] || !only_use(mine)) continue;
      const Code& d = definition_[mine.reg];
      const bool compares = d.op == Isetp || d.op == Fsetp || d.op == Dsetp;
      if (!compares || d.wide || d.guard || d.source[2] || !usable(d) || d.destination[1] != kNone) continue;
      const uint32_t variant = d.variant | (c.variant & 0xff) << 20;
      replace(c, d.op, variant, {d.source[0], d.source[1], c.source[1 - side]});
      return true;
    }
    return false;
  }

  void replace(Code& c, Operation op, uint32_t variant, std::array<Source, 6> sources) {
    for (const Source& s : sources) acquire(s);
    for (Source& s : c.source) release(s);
    c.op = op;
    c.variant = variant;
    c.source = sources;
  }

  void share(Code& c) {
    if (c.role != Role::Pure || c.guard || c.destination[0] == kNone || c.destination[1] != kNone) return;
    if (c.op == S2r && crosses_blocks) return;  // handled by its own pass
    std::vector<uint64_t> key{uint64_t(c.op) << 32 | c.variant, uint64_t(c.wide)};
    for (const Source& s : c.source) {
      if (s.is_register() && !stable(s.reg)) return;
      key.push_back(uint64_t(s.kind) << 56 | uint64_t(s.modifiers) << 48 | uint64_t(s.words) << 40 | s.reg);
      key.push_back(s.value);
    }
    if (variable_[c.destination[0]]) return;
    auto [it, fresh_key] = values_.try_emplace(std::move(key), c.destination[0]);
    if (!fresh_key) become_copy(c, Source::of(it->second));
  }

  void learn(const Code& c) {
    if (c.guard || c.destination[1] != kNone) return;
    const Register d = c.destination[0];
    if (d == kNone || variable_[d] || (multiple_[d] && !fresh(d))) return;
    if (c.role == Role::Copy && c.variant == kEnd) return;
    if (c.role == Role::Copy && c.source[0].is_register() &&
        (variable_[c.source[0].reg] || kernel_.registers[c.source[0].reg].file != kernel_.registers[d].file))
      return;
    if (c.role != Role::Pure && c.role != Role::Copy) return;
    if (!known_[d]) learned_.push_back(d);
    known_[d] = true;
    definition_[d] = c;
  }

  Kernel& kernel_;
  std::vector<int> uses_;
  std::vector<bool> known_, variable_, multiple_;
  std::vector<Code> definition_;
  std::vector<Register> learned_, touched_;
  std::unordered_map<std::vector<uint64_t>, Register, KeyHash> values_;
  size_t originals_ = 0;
};

}  // namespace

void optimize_kernel(Kernel& kernel) {
  const LiveSets live(kernel);
  Optimizer o(kernel);
  o.crosses_blocks = true;
  o.find_multiple();
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    o.rename(kernel.blocks[b].code, live.at(kernel.function->blocks[b].successors), true);
  for (const CodeBlock& b : kernel.blocks) o.count(b.code);
  for (CodeBlock& b : kernel.blocks) {
    o.forward(b.code);
    o.forget_local();
  }
  for (unsigned round = 0; round < 2; ++round)
    for (auto b = kernel.blocks.rbegin(); b != kernel.blocks.rend(); ++b) o.drop_dead(b->code);
  for (CodeBlock& b : kernel.blocks) o.write_directly(b.code);
}

void optimize_regions(Kernel& kernel, std::vector<Region>& regions, const LiveSets& live) {
  Optimizer o(kernel);
  for (Region& region : regions) {
    const std::vector<Register> live_out = live.at(region.successors);
    o.start_region(region.code);
    o.rename(region.code, live_out, false);
    o.touch(region.code);
    o.count(region.code);
    for (Register r : live_out) o.keep(r);
    o.forward(region.code);
    o.drop_dead(region.code);
    o.write_directly(region.code);
  }
}

}  // namespace drywarp::lowering
