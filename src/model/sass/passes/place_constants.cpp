#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/sass/passes/passes.h"
#include "model/sass/passes/unroll.h"
#include "model/sass/select/select.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

}  // namespace

bool takes_operand(const Instruction& c) {
  return c.role == Role::Pure && c.space == AddressSpace::None && c.op != Mufu && c.op != Prmt;
}

void merge_constants(std::vector<Instruction>& code) {
  const auto parameter = [](const Instruction& c) {
    return (c.op == Ldc || c.op == Uldc) && c.role == Role::Pure && !c.guard && c.space == AddressSpace::None &&
           c.destination[1] == kNone && c.source[0].is_constant() && c.source[0].words == 1 &&
           c.source[0].value >= kParameters &&
           (c.source[0].value < kOtherBanks || c.source[0].value >= 2 * kOtherBanks);
  };
  constexpr uint64_t kWord = 4, kPair = 8;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i].dead || !parameter(code[i])) continue;
    for (size_t k = i + 1; k < code.size(); ++k) {
      if (code[k].dead || code[k].op != code[i].op || !parameter(code[k])) continue;
      const uint64_t a = code[i].source[0].value, b = code[k].source[0].value;
      if (a / kPair != b / kPair || (a ^ b) != kWord) continue;
      code[i].destination.set(1, code[k].destination[0]);
      code[k].dead = true;
      break;
    }
  }
  std::erase_if(code, [](const Instruction& c) { return c.dead; });
}

namespace {

class Constants {
 public:
  Constants(Kernel& kernel, const Flow& flow)
      : kernel_(kernel),
        flow_(flow),
        side_(find_sides(kernel, flow)),
        hoisted_(kernel.blocks.size()),
        read_(kernel.registers.size()),
        writes_(kernel.registers.size()) {
    for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
      const auto& around = flow.loops[b];
      for (size_t i = 0; i + 1 < around.size(); ++i) has_inner_.insert(around[i]);
      for (const Instruction& c : kernel.blocks[b].code) {
        for_each_source(c, [&](const Source& s) { read_[s.reg] = true; });
        for (const Register d : c.destination)
          if (d != kNone) ++writes_[d];
        if (moves_word(c) && c.form.shift == Shift::Right) upper_words_.insert(c.destination[0]);
        if (around.empty() || side_[b]) continue;
        for (const Source& s : c.source)
          if (s.is_constant()) needed_always_.emplace(around.back(), s.value);
      }
    }
    for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
      for (const Instruction& c : kernel.blocks[b].code) note_registers(b, c);
      const Unrolling unrolling = find_unrolling(kernel, flow, b);
      note_limit(unrolling);
      const auto loads = [](const Instruction& c) { return c.op == Ldg; };
      if (unrolling.by_count && std::ranges::any_of(kernel.blocks[b].code, loads)) loads_by_count_.insert(b);
    }
  }

  void run() {
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) block(b);
    for (uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      auto& code = kernel_.blocks[b].code;
      const auto at = before_branches(code);
      code.insert(at, hoisted_[b].begin(), hoisted_[b].end());
      for (Instruction& c : code) rename(c);
      merge_constants(code);
    }
  }

 private:
  void block(uint32_t b) {
    auto& code = kernel_.blocks[b].code;
    std::vector<Instruction> out;
    out.reserve(code.size());
    local_.clear();
    offsets_.clear();
    for (Instruction& c : code) {
      if (share_base(b, c)) continue;
      legalize(b, c, out);
      if (ends_slow_path(c) || is_call(c)) local_.clear();
      // A loop invariant is computed before the loop; hoist_literals() does literals.
      const bool constant = c.role == Role::Pure && !c.guard && c.destination[0] != kNone &&
                            c.destination[1] == kNone && !is_repeated(c) &&
                            (c.op == Ldc || c.op == Uldc || c.op == Mov || c.op == Umov || c.op == S2ur ||
                             c.op == Ulea || c.op == Uiadd3) &&
                            !flow_.loops[b].empty() && c.space == AddressSpace::None;
      const bool loads = c.op == Ldc || c.op == Uldc;
      const uint32_t before = !constant || loads_literal(kernel_, c) ? kNone
                              : loads                                ? preheader(b, c.source[0])
                                                                     : invariant_in(b);
      bool free = before != kNone;
      for_each_source(c, [&](const Source& s) { free = free && hoisted_here(before, s.reg); });
      if (free && c.destination[0] >= kernel_.function->registers.size()) {
        made_at_[c.destination[0]] = before;
        hoisted_[before].push_back(c);
      } else {
        out.push_back(c);
      }
    }
    code = std::move(out);
  }
  [[nodiscard]] bool hoisted_here(uint32_t b, Register r) const {
    auto it = made_at_.find(r);
    return it != made_at_.end() && flow_.dominates(it->second, b);
  }

  [[nodiscard]] uint32_t before_loop(uint32_t header) const {
    const uint32_t before = flow_.dominator[header];
    return before == header ? kNone : before;
  }
  // Where a constant of block `b` is loaded: a parameter before its loop, if that has no other loop inside, else in
  // each iteration; the size of a block and the like before all loops. A loop that is unrolled by a count and loads
  // from global memory loads the pointers again that it adds to (ptxas 13: 15 of 17 loops). kNone: in the block.
  [[nodiscard]] uint32_t preheader(uint32_t b, const Source& s) const {
    const auto& around = flow_.loops[b];
    if (around.empty()) return kNone;
    if (!is_parameter(s)) return before_loop(around.front());
    if (s.words > 1 && loads_by_count_.contains(b)) return kNone;
    return has_inner_.contains(around.back()) ? kNone : before_loop(around.back());
  }
  // Of the program's registers; of others no type is known.
  [[nodiscard]] bool is_float(Register r) const {
    const auto& program = kernel_.function->registers;
    return r < program.size() && ir::is_float(program[r].type);
  }
  [[nodiscard]] static bool is_parameter(const Source& s) { return s.is_constant() && s.value >= kParameters; }
  // Where other values without operands are computed: before all loops that run the block in each iteration.
  [[nodiscard]] uint32_t invariant_in(uint32_t b) const {
    uint32_t before = kNone;
    for (auto header = flow_.loops[b].rbegin(); header != flow_.loops[b].rend(); ++header) {
      const bool always = std::ranges::all_of(flow_.control.predecessors[*header], [&](uint32_t p) {
        return std::ranges::find(flow_.loops[p], *header) == flow_.loops[p].end() || flow_.dominates(b, p);
      });
      if (!always || before_loop(*header) == kNone) break;
      before = before_loop(*header);
    }
    return before;
  }
  // A predicated side of a branch in a loop loads under its predicate what only such sides need.
  [[nodiscard]] bool only_sides_need(uint32_t b, const Source& s) const {
    return alone_in(b) && s.is_constant() && !needed_always_.contains({flow_.loops[b].back(), s.value});
  }

  // Notes the constants of a word that the instruction cannot read from a uniform register.
  void note_registers(uint32_t b, const Instruction& c) {
    if (c.role == Role::Copy || c.role == Role::Tuple || c.op == Mov || c.op == Ldc) return;
    if (side_[b] || !flow_.loops[b].empty()) return;
    if (machine::info(c.op).pipe == machine::Pipe::Uniform) return;
    bool taken = !takes_operand(c);
    for (const Source& s : c.source) taken |= s.is_register() && kernel_.registers[s.reg].file == RegisterFile::Uniform;
    for (size_t k = 0; k < c.source.size(); ++k)
      taken |= c.source[k].is_immediate() && c.source[k].value != 0 && !is_free_immediate(c, k);
    for (const Source& s : c.source) {
      if (!s.is_constant()) continue;
      if (taken && s.words == 1 && is_parameter(s)) in_registers_.insert(s.value);
      taken = true;
    }
  }

  // Of a loop that is unrolled by a count: what a per-lane counter is compared with (uniform.cpp).
  void note_limit(const Unrolling& unrolling) {
    if (!unrolling.by_count || !is_parameter(unrolling.limit) || unrolling.limit.words != 1) return;
    if (kernel_.registers[unrolling.counter].file == RegisterFile::General) limits_.insert(unrolling.limit.value);
  }

  void legalize(uint32_t b, Instruction& c, std::vector<Instruction>& out) {
    if (c.role == Role::Copy || (c.op == Mov && c.guard && c.source[0].is_constant())) {
      if (c.source[0].is_constant()) {
        const bool uniform = kernel_.registers[c.destination[0]].file == RegisterFile::Uniform;
        c.op = uniform ? Uldc : Ldc;
        c.role = Role::Pure;
      } else if (c.source[0].is_immediate()) {
        c.role = Role::Pure;
        const RegisterInfo& to = kernel_.registers[c.destination[0]];
        if (to.file == RegisterFile::Predicate) c.op = Plop3;
        if (to.words > 1 && is_float(c.destination[0]) && c.source[0].value == 0)
          c.op = Cs2r;  // both words at once
        else if (to.words > 1)
          c.wide = true;
      }
      return;
    }
    if (c.op == Ldc && c.space == AddressSpace::None) return;
    if (c.role == Role::Tuple || c.op == Mov) return;
    const bool multiplies = (c.op == ImadWide && !c.form.in_sequence) || ends_product(c);
    if (multiplies && c.role == Role::Pure && c.source[2]) place_addend(b, c, out);
    if (is_shared_base(c)) place_offset(b, c, out);
    const bool uniform_code = machine::info(c.op).pipe == machine::Pipe::Uniform;
    const bool flexible = takes_operand(c) || uniform_code;
    unsigned taken = 0;
    // Uniform registers first: they keep their operand slot.
    for (const Source& s : c.source) taken += s.is_register() && kernel_.registers[s.reg].file == RegisterFile::Uniform;
    // Of two immediates the first stays.
    for (size_t k = 0; k < c.source.size(); ++k) {
      Source& s = c.source.at(k);
      if (s.is_immediate()) {
        if (s.value == 0 && k == 1 && swaps(c)) place_zero(c, s, out);
        if (s.value == 0 || c.op == S2ur || (uniform_code && taken < 2)) continue;  // the zero register
        if (c.space != AddressSpace::None && k == 0) continue;                      // an absolute address
        if (is_free_immediate(c, k) || counts_up(c)) continue;
        const bool shifted = c.op == Shf && k == 0;  // a register
        if (flexible && taken == 0 && !shifted) {
          ++taken;
          continue;
        }
        if (uniform_code) continue;
        replace(b, c, s, false, out);
      }
    }
    for (Source& s : c.source) {
      if (!s.is_constant()) continue;
      const bool as_uniform =
          uniform_code || (flexible && taken == 0 && kernel_.compute_capability >= 75 && !only_sides_need(b, s));
      if (kernel_.compute_capability < 90 && flexible && taken == 0 && c.op != ImadWide) {
        ++taken;  // read in place
        continue;
      }
      ++taken;
      replace(b, c, s, as_uniform, out);
    }
  }

  // The base of shared memory, and of an array in it, is there once a dominating block of the same loops has computed
  // it. Otherwise each predicated side in a loop computes its own.
  bool share_base(uint32_t b, Instruction& c) {
    const bool window = (c.op == S2r || c.op == S2ur) && c.form.window == AddressSpace::Shared;
    if ((!window && !is_shared_base(c)) || c.role != Role::Pure || c.guard) return false;
    if (!window) rename(c);
    const Register d = c.destination[0];
    const Register of = window ? kNone : c.source[0].reg;
    const uint64_t offset = window ? 0 : c.source[1].value;
    if (writes_[d] != 1) return false;
    auto& known = bases_[{of, offset, kernel_.registers[d].file}];
    for (const auto& [block, base] : known)
      if (flow_.dominates(block, b) && flow_.loops[block] == flow_.loops[b]) {
        same_[d] = base;
        return true;
      }
    known.emplace_back(b, d);
    if (window && alone_in(b)) c.form.beside_slow_path = true;
    return false;
  }
  [[nodiscard]] bool alone_in(uint32_t b) const { return side_[b] && !flow_.loops[b].empty(); }
  void rename(Instruction& c) const {
    const auto apply = [&](Source& s) {
      if (!s.is_register()) return;
      if (const auto it = same_.find(s.reg); it != same_.end()) s.reg = it->second;
    };
    for (Source& s : c.source) apply(s);
    apply(c.uniform_base), apply(c.guard);
  }

  // The base of an array in shared memory: a register has the array's offset in the window.
  void place_offset(uint32_t b, Instruction& c, std::vector<Instruction>& out) {
    Source& s = c.source.at(1);
    s = Source::of(offset_register(b, c, s.value, out));
    c.form.beside_slow_path = alone_in(b);
  }
  // The array's place is added to the window's start, which the block's arrays share.
  Register offset_register(uint32_t b, const Instruction& base, uint64_t value, std::vector<Instruction>& out) {
    const bool uniform = base.op == Ulea;
    auto [it, is_new] = offsets_.try_emplace({value, uniform}, kNone);
    if (!is_new) return it->second;
    Instruction load;
    load.op = uniform ? Umov : Mov;
    load.source = {Source::immediate(value)};
    if (value > kSharedStart) {
      load.op = uniform ? Uiadd3 : Iadd3;
      load.source = {Source::of(offset_register(b, base, kSharedStart, out)), Source::immediate(value - kSharedStart)};
    }
    load.form.beside_slow_path = alone_in(b);
    load.destination = {kernel_.make(1, uniform ? RegisterFile::Uniform : RegisterFile::General)};
    load.instruction = base.instruction;
    it->second = load.destination[0];
    const uint32_t before = uniform ? invariant_in(b) : kNone;
    if (before == kNone)
      out.push_back(load);
    else
      hoisted_[before].push_back(load), made_at_[it->second] = before;
    return it->second;
  }

  // The IMAD.WIDE of a product adds a pair of registers: both words of a literal, or a word and a zero beside it.
  void place_addend(uint32_t b, Instruction& c, std::vector<Instruction>& out) {
    Source& addend = c.source.at(2);
    if (addend.modifiers != 0) return;
    if (addend.is_immediate() && addend.value != 0) {
      addend.words = 2;
      const bool uniform = c.op == ImadWide && c.source[0].is_register() && c.source[1].is_register();
      replace(b, c, addend, uniform && kernel_.compute_capability >= 75, out);
      return;
    }
    const bool extended = addend.is_register() && kernel_.registers[addend.reg].file == RegisterFile::General &&
                          (kernel_.registers[addend.reg].words == 1 || upper_words_.contains(addend.reg));
    if (!extended) return;
    Instruction zero, both;
    zero.op = both.op = Mov;
    zero.source = {Source::immediate(0)};
    zero.form.beside_slow_path = true;  // each pair has its own
    zero.destination = {kernel_.make()};
    both.role = Role::Tuple;
    both.source = {addend, Source::of(zero.destination[0])};
    both.destination = {kernel_.make(2)};
    zero.instruction = both.instruction = c.instruction;
    out.push_back(zero);
    out.push_back(both);
    addend = Source::of(both.destination[0]);
  }

  // A compare-and-swap takes its two values from registers side by side; the result may be written over the first.
  [[nodiscard]] bool swaps(const Instruction& c) const {
    return (c.op == Atomg || c.op == Atoms || c.op == Red) && !c.form.in_sequence &&
           kernel_.function->instructions[c.instruction].mods.atom == ir::AtomOp::Cas;
  }
  void place_zero(const Instruction& c, Source& s, std::vector<Instruction>& out) {
    Instruction zero;
    zero.op = c.bytes > 4 ? Cs2r : ImadMov;
    zero.source = {s};
    zero.form.beside_slow_path = true;  // each has its own
    zero.destination = {kernel_.make(c.bytes > 4 ? 2 : 1)};
    zero.instruction = c.instruction;
    out.push_back(zero);
    s = Source::of(zero.destination[0]);
  }

  // ATOMS.POPC.INC adds one and names no operand.
  [[nodiscard]] bool counts_up(const Instruction& c) const {
    if (c.op != Atoms || !c.source[1].is_immediate() || c.source[1].value != 1 || c.source[2]) return false;
    const ir::Instruction& in = kernel_.function->instructions[c.instruction];
    const bool adds = in.mods.atom == ir::AtomOp::Add && !ir::is_float(in.type) && ir::bits(in.type) == 32;
    return adds && (c.destination[0] == kNone || !read_[c.destination[0]]);
  }

  // Shift distances, tables, permutations: fields of the instruction.
  static bool is_free_immediate(const Instruction& c, size_t k) {
    switch (c.op) {
      case Shf:
      case Shfl:
      case Prmt:
      case Bar:
      case Warpsync:
      case Sgxt:
      case Bmsk:
      case Nanosleep:
        return k > 0 || c.op == Bar || c.op == Warpsync || c.op == Nanosleep;
      case Lea:
        return false;
      default:
        return false;
    }
  }

  void replace(uint32_t b, Instruction& c, Source& s, bool uniform, std::vector<Instruction>& out) {
    const bool literal = s.is_immediate() && !uniform;
    // Outside of loops, what one instruction needs in a register all read there. (ptxas 13: in 12 of 12 kernels.)
    const bool per_lane = s.is_constant() && s.words == 1 && machine::info(c.op).pipe != machine::Pipe::Uniform;
    const bool everywhere =
        per_lane && ((flow_.loops[b].empty() && in_registers_.contains(s.value)) || limits_.contains(s.value));
    uniform = uniform && !everywhere;
    const uint32_t before = literal || only_sides_need(b, s) ? kNone : preheader(b, s);
    const auto& around = flow_.loops[before == kNone ? b : before];
    const bool two = s.words > 1 || (s.is_immediate() && (s.value >> 32) != 0 && s.value >> 32 != 0xffffffffu);
    const auto key = std::make_tuple(s.kind, s.value, s.words, uniform);
    auto& known = before == kNone ? local_ : by_preheader_[before];
    auto [it, is_new] = known.try_emplace(key, kNone);
    if (is_new &&
        (uniform || everywhere)) {  // uniform registers are plentiful: one set in a dominating block still holds it
      for (const auto& [block, made] : made_[key])
        if (flow_.dominates(block, b) && (flow_.loops[block] == around || !is_parameter(s)))
          it->second = made, is_new = false;
    }
    if (is_new) {
      Instruction load;  // not guarded, even if `c` is
      load.op = s.is_constant() ? (uniform ? Uldc : Ldc) : uniform ? Umov : Mov;
      load.source = {s};
      load.source.at(0).modifiers = 0;
      load.wide = s.is_immediate() && two;
      const auto words = static_cast<uint8_t>(s.is_constant() ? s.words : two ? 2 : 1);
      load.destination = {kernel_.make(words, uniform ? RegisterFile::Uniform : RegisterFile::General)};
      load.instruction = c.instruction;
      it->second = load.destination[0];
      if (uniform || everywhere) made_[key].emplace_back(before == kNone ? b : before, it->second);
      if (before == kNone)
        out.push_back(load);
      else
        hoisted_[before].push_back(load), made_at_[it->second] = before;
    }
    const uint8_t modifiers = s.modifiers;
    s = Source::of(it->second);
    s.modifiers = modifiers;
  }

  using Key = std::tuple<Source::Kind, uint64_t, uint8_t, bool>;
  Kernel& kernel_;
  const Flow& flow_;
  std::vector<bool> side_;                                 // by block: a predicated side of a branch
  std::set<uint32_t> has_inner_;                           // headers of loops with others inside
  std::set<std::pair<uint32_t, uint64_t>> needed_always_;  // by innermost loop: constants outside of such sides
  std::map<std::pair<uint64_t, bool>, Register> offsets_;  // of the block's arrays in shared memory
  std::set<uint64_t> in_registers_;    // constants of a word that an instruction outside of loops needs in a register
  std::set<uint64_t> limits_;          // parameters that the counter of an unrolled loop is compared with
  std::set<uint32_t> loads_by_count_;  // loops unrolled by a count that load from global memory
  std::vector<std::vector<Instruction>> hoisted_;
  std::vector<bool> read_;        // by register: before this pass
  std::vector<unsigned> writes_;  // ... how often
  std::map<std::tuple<Register, uint64_t, RegisterFile>, std::vector<std::pair<uint32_t, Register>>> bases_;
  std::map<Register, Register> same_;  // bases that are there in another register
  std::set<Register> upper_words_;     // moved there from the upper one
  std::map<Key, Register> local_;
  std::map<uint32_t, std::map<Key, Register>> by_preheader_;
  std::map<Register, uint32_t> made_at_;
  std::map<Key, std::vector<std::pair<uint32_t, Register>>> made_;  // blocks and registers
};

}  // namespace

void place_constants(Kernel& kernel, const Flow& flow) { Constants(kernel, flow).run(); }

}  // namespace drywarp::sass
