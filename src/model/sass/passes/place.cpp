#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/sass/passes/passes.h"
#include "model/sass/select/select.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

constexpr uint64_t kDescriptor = 0x208;  // of global memory, in bank 0 (sm_90)
constexpr uint64_t kStack = 0x28;

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
                            c.destination[1] == kNone &&
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
  // each iteration; the size of a block and the like before all loops. kNone: in the block.
  [[nodiscard]] uint32_t preheader(uint32_t b, const Source& s) const {
    const auto& around = flow_.loops[b];
    if (around.empty()) return kNone;
    if (!is_parameter(s)) return before_loop(around.front());
    return has_inner_.contains(around.back()) ? kNone : before_loop(around.back());
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

  void legalize(uint32_t b, Instruction& c, std::vector<Instruction>& out) {
    if (c.role == Role::Copy) {
      if (c.source[0].is_constant()) {
        const bool uniform = kernel_.registers[c.destination[0]].file == RegisterFile::Uniform;
        c.op = uniform ? Uldc : Ldc;
        c.role = Role::Pure;
      } else if (c.source[0].is_immediate()) {
        c.role = Role::Pure;
        if (kernel_.registers[c.destination[0]].file == RegisterFile::Predicate) c.op = Plop3;
        if (kernel_.registers[c.destination[0]].words > 1) c.wide = true;
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
        if (flexible && taken == 0) {
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
    auto [it, is_new] = offsets_.try_emplace({s.value, c.op == Ulea}, kNone);
    if (is_new) {
      Instruction load;
      load.op = c.op == Ulea ? Umov : Mov;
      load.source = {s};
      load.form.beside_slow_path = alone_in(b);
      load.destination = {kernel_.make(1, c.op == Ulea ? RegisterFile::Uniform : RegisterFile::General)};
      load.instruction = c.instruction;
      it->second = load.destination[0];
      const uint32_t before = c.op == Ulea ? invariant_in(b) : kNone;
      if (before == kNone)
        out.push_back(load);
      else
        hoisted_[before].push_back(load), made_at_[it->second] = before;
    }
    s = Source::of(it->second);
    c.form.beside_slow_path = alone_in(b);
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
    const uint32_t before = literal || only_sides_need(b, s) ? kNone : preheader(b, s);
    const auto& around = flow_.loops[before == kNone ? b : before];
    const bool two = s.words > 1 || (s.is_immediate() && (s.value >> 32) != 0 && s.value >> 32 != 0xffffffffu);
    const auto key = std::make_tuple(s.kind, s.value, s.words, uniform);
    auto& known = before == kNone ? local_ : by_preheader_[before];
    auto [it, is_new] = known.try_emplace(key, kNone);
    if (is_new && uniform) {  // uniform registers are plentiful: one set in a dominating block still holds it
      for (const auto& [block, made] : uniform_made_[key])
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
      if (uniform) uniform_made_[key].emplace_back(before == kNone ? b : before, it->second);
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
  std::vector<std::vector<Instruction>> hoisted_;
  std::vector<bool> read_;        // by register: before this pass
  std::vector<unsigned> writes_;  // ... how often
  std::map<std::tuple<Register, uint64_t, RegisterFile>, std::vector<std::pair<uint32_t, Register>>> bases_;
  std::map<Register, Register> same_;  // bases that are there in another register
  std::set<Register> upper_words_;     // moved there from the upper one
  std::map<Key, Register> local_;
  std::map<uint32_t, std::map<Key, Register>> by_preheader_;
  std::map<Register, uint32_t> made_at_;
  std::map<Key, std::vector<std::pair<uint32_t, Register>>> uniform_made_;  // blocks and registers
};

// An exchange of the program's. What combines lanes for an atomic takes the lanes that are there.
bool is_exchange(const Kernel& kernel, const Instruction& c) {
  if (c.op != Shfl && c.op != Vote) return false;
  if (c.instruction == kNone) return true;
  const ir::Opcode op = kernel.function->instructions[c.instruction].op;
  return op != ir::Opcode::Atom && op != ir::Opcode::Red;
}

// A slow path that all lanes take or none, for its operands are constants, needs no convergence barrier.
void drop_uniform_barriers(Kernel& kernel) {
  std::set<Register> constants;
  for (const CodeBlock& block : kernel.blocks)
    for (const Instruction& c : block.code)
      if ((c.op == Ldc || c.op == Mov) && c.role == Role::Pure && c.space == AddressSpace::None &&
          !c.source[0].is_register())
        constants.insert(c.destination.begin(), c.destination.end());
  for (CodeBlock& block : kernel.blocks) {
    auto& code = block.code;
    for (size_t i = 0; i < code.size(); ++i) {
      if (code[i].op != Bssy || code[i].target != kNone) continue;
      std::set<Register> inside;
      bool uniform = true;
      size_t k = i + 1;
      for (; k < code.size() && !ends_slow_path(code[k]); ++k) {
        const Instruction& c = code[k];
        uniform = uniform && c.space == AddressSpace::None && c.op != Bssy;
        for_each_source(c, [&](const Source& s) {
          const RegisterFile file = kernel.registers[s.reg].file;
          uniform = uniform && (file == RegisterFile::Uniform || file == RegisterFile::UniformPredicate ||
                                constants.contains(s.reg) || inside.contains(s.reg));
        });
        inside.insert(c.destination.begin(), c.destination.end());
      }
      if (uniform && k < code.size()) code[i].dead = code[k].dead = true;
    }
    std::erase_if(code, [](const Instruction& c) { return c.dead; });
  }
}

bool only_exits(const Kernel& kernel, uint32_t block) {
  const auto& next = kernel.function->blocks[block].successors;
  if (next.size() != 1 || next[0] != ir::kExit) return false;
  for (const Instruction& c : kernel.blocks[block].code)
    if (c.op != Exit) return false;
  return true;
}

}  // namespace

void share_special_registers(Kernel& kernel) {
  using Special = std::pair<ir::SpecialRegister, uint8_t>;
  std::map<Special, Register> first;
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (Instruction& c : kernel.blocks[b].code) {
      if (c.op != S2r || c.role != Role::Pure || c.guard || c.form.window != AddressSpace::None) continue;
      const Special special{c.form.special, c.form.index};
      if (b == 0) {
        first.try_emplace(special, c.destination[0]);
      } else if (auto it = first.find(special); it != first.end()) {
        c.role = Role::Copy;
        c.op = Mov;
        c.source.set(0, Source::of(it->second));
      }
    }
}

void drop_jumps(Kernel& kernel, const Flow& flow) {
  const auto& blocks = kernel.function->blocks;
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    auto& code = kernel.blocks[b].code;
    if (code.empty() || code.back().op != Operation::Bra || code.back().role != Role::Branch || code.back().guard)
      continue;
    if (blocks[b].successors.size() != 1) continue;
    const auto& before = flow.control.predecessors[b];
    const bool inverted = code.size() == 1 && before.size() == 1 && blocks[before[0]].successors.size() == 2 &&
                          blocks[before[0]].successors[0] == b + 1;
    if (blocks[b].successors[0] == b + 1 || inverted) code.pop_back();
  }
}

void exit_early(Kernel& kernel) {
  const auto& blocks = kernel.function->blocks;
  if (!kernel.function->is_kernel) return;
  std::vector<bool> exits(blocks.size(), false), behind_loop(blocks.size(), false);
  for (uint32_t b = 1; b < blocks.size(); ++b) {
    const auto& code = kernel.blocks[b].code;
    exits[b] = code.size() == 1 && code[0].op == Exit && !code[0].guard;
  }
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    auto& code = kernel.blocks[b].code;
    if (exits[b]) continue;
    const auto& next = blocks[b].successors;
    const bool branches = !code.empty() && code.back().op == Bra && code.back().role == Role::Branch;
    if (next.size() == 1 && next[0] != ir::kExit && exits[next[0]]) {
      if (branches) code.pop_back();
      Instruction exit;
      exit.op = Exit;
      exit.role = Role::Branch;
      code.push_back(exit);
    } else if (next.size() == 2 && branches && code.back().guard) {
      if (next[0] != ir::kExit && exits[next[0]]) code.back().op = Exit;
      if (next[1] == ir::kExit || !exits[next[1]]) continue;
      if (next[0] <= b) {  // behind a loop: not in its iterations
        behind_loop[next[1]] = true;
      } else {
        Instruction exit;
        exit.op = Exit;
        exit.role = Role::Branch;
        code.push_back(exit);
      }
    }
  }
  for (uint32_t b = 0; b < blocks.size(); ++b)
    if (exits[b] && !behind_loop[b]) kernel.blocks[b].code.clear();
}

void place_constants(Kernel& kernel, const Flow& flow) { Constants(kernel, flow).run(); }

void place_barriers(Kernel& kernel, const Flow& flow) {
  if (kernel.compute_capability < 70) return;
  drop_uniform_barriers(kernel);
  std::set<std::pair<uint32_t, uint32_t>> placed;
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    if (!flow.divergent[b]) continue;
    const uint32_t target = flow.control.reconvergence[b];
    if (target == ir::kExit || only_exits(kernel, target)) continue;
    if (auto& code = kernel.blocks[b].code; !code.empty() && (code.back().op == Bra || code.back().op == Brx))
      code.back().reconverges = true;
    // A branch out of a loop opens its barrier before the loop.
    uint32_t opens = b;
    for (uint32_t header : flow.loops[b]) {
      const auto& outside = flow.loops[target];
      if (std::find(outside.begin(), outside.end(), header) == outside.end()) {
        opens = flow.dominator[header];
        break;
      }
    }
    placed.insert({opens, target});
  }
  for (const auto& [opens, target] : placed) {
    // Nested branches with the same reconvergence point share the outermost's barrier: a switch has one.
    const bool is_open = std::ranges::any_of(placed, [&, at = opens, to = target](const auto& outer) {
      return outer.second == to && outer.first != at && flow.dominates(outer.first, at) &&
             flow.loops[outer.first] == flow.loops[at];
    });
    if (is_open) continue;
    Instruction open, close;
    open.op = Bssy;
    close.op = Bsync;
    open.role = close.role = Role::Effect;
    open.target = close.target = target;
    auto& code = kernel.blocks[opens].code;
    const auto at = before_branches(code);
    code.insert(at, open);
    auto& reconverged = kernel.blocks[target].code;
    reconverged.insert(reconverged.begin(), close);
  }
}

void place_exchange_checks(Kernel& kernel, const Flow& flow) {
  if (kernel.compute_capability < 80) return;
  const ir::Function& f = *kernel.function;
  std::vector<bool> diverged(f.blocks.size(), false), exchanges = diverged;
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    for (const Instruction& c : kernel.blocks[b].code)
      exchanges[b] = exchanges[b] || (is_exchange(kernel, c) && (c.op == Shfl || c.source[0]));
    const uint32_t target = flow.control.reconvergence[b];
    if (!flow.divergent[b] || target == ir::kExit || only_exits(kernel, target)) continue;
    const std::vector<bool> region = analysis::divergent_region(f, flow.control, b);
    for (uint32_t k = 0; k < region.size(); ++k)
      if (region[k]) diverged[k] = true;
  }
  std::vector<bool> goes_on(f.blocks.size(), false);  // with exchanges of the block behind it
  for (uint32_t b = 0; b < f.blocks.size(); ++b)
    if (const auto& before = flow.control.predecessors[b]; diverged[b] && exchanges[b] && before.size() == 1)
      goes_on[before[0]] = true;
  constexpr uint8_t kCollective = 7;  // registers of the slow path, assumed: mask, operands, result, return
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    if (!diverged[b] || !exchanges[b]) continue;
    auto& code = kernel.blocks[b].code;
    const auto& before = flow.control.predecessors[b];
    const bool follows = before.size() == 1 && exchanges[before[0]];
    const auto last =
        std::find_if(code.rbegin(), code.rend(), [&](const Instruction& c) { return is_exchange(kernel, c); });
    if (!goes_on[b] && last != code.rend()) last->ends_exchanges = true;
    for (size_t i = 0; i < code.size(); ++i) {
      if (!is_exchange(kernel, code[i])) continue;
      code[i].clobbers = kCollective;
      if (follows) break;
      Instruction mask, branch;
      mask.op = Umov;
      branch.op = Bra;
      mask.role = branch.role = Role::Effect;
      mask.instruction = branch.instruction = code[i].instruction;
      branch.for_exchange = true;
      code.insert(code.begin() + static_cast<std::ptrdiff_t>(i), {mask, branch});
      break;
    }
  }
}

void place_prologue(Kernel& kernel) {
  bool global = false;
  for (const CodeBlock& b : kernel.blocks)
    for (const Instruction& c : b.code) global |= c.space == AddressSpace::Global || c.space == AddressSpace::Generic;
  std::vector<Instruction> prologue;
  Instruction stack;
  stack.op = kernel.compute_capability >= 90 ? Ldc : Mov;
  stack.role = Role::Effect;
  stack.source.set(0, Source::constant(kStack, 1));
  prologue.push_back(stack);
  if (global && kernel.compute_capability >= 80) {
    Instruction descriptor;
    descriptor.op = Uldc;
    descriptor.role = Role::Effect;
    descriptor.source.set(0, Source::constant(kDescriptor, 2));
    prologue.push_back(descriptor);
  }
  if (kernel.blocks.empty() || !kernel.function->is_kernel) return;
  auto& first = kernel.blocks[0].code;
  first.insert(first.begin(), prologue.begin(), prologue.end());
}

}  // namespace drywarp::sass
