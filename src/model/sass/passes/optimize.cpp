#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// Gives every definition a name of its own, so that what is known of a name stays true; variable registers keep theirs.
// At the end the old names get the last values if they are live. `live_out`: sorted. `all_defined_elsewhere_too`: also
// renames registers that this code writes once if other blocks write them (Values::multiple).
void rename(Values& v, std::vector<Instruction>& code, const std::vector<Register>& live_out,
            bool all_defined_elsewhere_too) {
  std::unordered_map<Register, int> defined;
  std::unordered_map<Register, bool> exposed, guarded;
  for (const Instruction& c : code) {
    for_each_source(c, [&](const Source& s) {
      if (!defined.count(s.reg)) exposed[s.reg] = true;
    });
    for (Register d : c.destination)
      if (d != kNone) {
        ++defined[d];
        if (c.guard) guarded[d] = true;
      }
  }
  for (const auto& [r, n] : guarded) v.variable.resize(v.kernel.registers.size()), v.variable[r] = true;
  std::unordered_map<Register, Register> now;
  std::vector<Register> order;
  for (Instruction& c : code) {
    for_each_source(c, [&](Source& s) {
      if (auto it = now.find(s.reg); it != now.end()) s.reg = it->second;
    });
    for (Register& d : c.destination) {
      if (d == kNone || guarded.count(d)) continue;
      const bool again = defined[d] > 1 || exposed.count(d) || (all_defined_elsewhere_too && v.multiple[d]);
      if (!again) continue;
      const Register old = d;
      d = v.kernel.make(v.kernel.registers[old].words, v.kernel.registers[old].file);
      if (!now.count(old)) order.push_back(old);
      now[old] = d;
    }
  }
  v.grow();
  std::vector<Instruction> ends;
  for (Register r : order) {
    if (!std::binary_search(live_out.begin(), live_out.end(), r)) continue;
    Instruction copy;
    copy.op = v.kernel.registers[r].file == RegisterFile::Uniform ? Umov : Mov;
    copy.role = Role::Copy;
    copy.form.ends_name = true;
    copy.destination.set(0, r);
    copy.source.set(0, Source::of(now[r]));
    ends.push_back(copy);
  }
  const auto at = before_branches(code);
  for (Instruction& e : ends) e.step = code.empty() ? 0 : code.back().step;
  code.insert(at, ends.begin(), ends.end());
}

// Coalesces a final `r = r'` where the definition of r' can write r itself.
void write_directly(Values& v, std::vector<Instruction>& code) {
  std::unordered_map<Register, std::pair<size_t, size_t>> touched;  // last read and last write of a register
  std::unordered_map<Register, size_t> made;
  std::unordered_map<Register, int> reads;
  for (size_t i = 0; i < code.size(); ++i) {
    for_each_source(code[i], [&](const Source& s) { touched[s.reg].first = i + 1, ++reads[s.reg]; });
    for (Register d : code[i].destination)
      if (d != kNone) touched[d].second = i + 1, made[d] = i;
  }
  std::unordered_map<Register, Register> renamed;
  for (size_t i = 0; i < code.size(); ++i) {
    Instruction& c = code[i];
    if (c.role != Role::Copy || !c.form.ends_name || !c.source[0].is_register() || c.source[0].modifiers != 0) continue;
    const Register r = c.destination[0], from = c.source[0].reg;
    auto def = made.find(from);
    if (def == made.end() || renamed.count(from) || code[def->second].guard) continue;
    const size_t d = def->second;
    if (v.is_kept(from) || v.kernel.registers[from].words != v.kernel.registers[r].words) continue;
    const bool is_read_elsewhere = v.uses[from] != reads[from];  // by a block that folded its definition
    if (is_read_elsewhere || !v.fresh(from)) continue;
    const auto last = touched[r];
    if (last.first > d + 1 || (last.second != i + 1)) continue;
    bool written_between = false;
    for (size_t k = d + 1; k < i && !written_between; ++k)
      for (Register w : code[k].destination) written_between |= w == r;
    if (written_between) continue;
    renamed[from] = r;
    c.dead = true;
  }
  for (Instruction& c : code) {
    for_each_source(c, [&](Source& s) {
      if (auto it = renamed.find(s.reg); it != renamed.end()) --v.uses[s.reg], s.reg = it->second, ++v.uses[s.reg];
    });
    for (Register& d : c.destination)
      if (auto it = renamed.find(d); it != renamed.end()) d = it->second;
  }
  std::erase_if(code, [](const Instruction& c) { return c.dead; });
}

// Drops instructions without uses, and predicates beside a result that nothing reads: until they are written, they
// would keep the next SHFL waiting. Values::uses must count all uses.
void drop_dead(Values& v, std::vector<Instruction>& code) {
  for (auto it = code.rbegin(); it != code.rend(); ++it) {
    Instruction& c = *it;
    if (const Register beside = c.destination[1];
        beside != kNone && v.uses[beside] == 0 && v.kernel.registers[beside].file == RegisterFile::Predicate)
      c.destination.set(1, kNone);
    if (c.dead || c.role == Role::Effect || c.role == Role::Branch) continue;
    if (c.destination[0] == kNone && c.destination[1] == kNone && c.role != Role::Load) {
      v.kill(c);
      continue;
    }
    bool read = false;
    for (Register d : c.destination) read |= d != kNone && v.uses[d] > 0;
    if (!read) v.kill(c);
  }
  std::erase_if(code, [](const Instruction& c) { return c.dead; });
}

// Copy and constant propagation, folding, and common subexpression elimination.
class Forwarder {
 public:
  // `crosses_blocks`: run() is called block by block, and values stay known from one to the next.
  Forwarder(Values& values, bool crosses_blocks) : v_(values), crosses_blocks_(crosses_blocks) {}

  void run(std::vector<Instruction>& code);

 private:
  struct KeyHash {
    size_t operator()(const std::vector<uint64_t>& key) const;
  };
  void substitute(Instruction& c);
  void forward_copies(Instruction& c, std::span<const Instruction> behind);
  bool split_off_constant(Instruction& c);
  void note_move(const Instruction& c);
  [[nodiscard]] bool can_share_load(const Instruction& c) const;
  void share(Instruction& c);
  [[nodiscard]] std::vector<uint64_t> key_of(const Instruction& c) const;

  Values& v_;
  const bool crosses_blocks_;
  std::unordered_map<std::vector<uint64_t>, Register, KeyHash> known_;  // values of this run, by operation and sources
  uint64_t slow_paths_ = 0;  // passed in this run: behind each, literals are loaded again, and reciprocals computed
  MemoryChanges changes_;    // in this run
  std::unordered_set<Register> guarded_;           // registers that this run's code writes under a guard
  std::unordered_map<Register, Register> copied_;  // registers that still hold what was copied from another one
  // Of this run: the uniform register that each was moved from, and the first register that each was moved to.
  std::unordered_map<Register, Register> moved_from_, moved_to_;
};

size_t Forwarder::KeyHash::operator()(const std::vector<uint64_t>& key) const {
  size_t h = 0xcbf29ce484222325ull;
  for (uint64_t k : key) h = (h ^ k) * 0x100000001b3ull;
  return h;
}

void Forwarder::run(std::vector<Instruction>& code) {
  known_.clear(), moved_from_.clear(), moved_to_.clear(), copied_.clear();
  guarded_.clear();
  for (const Instruction& c : code)
    if (c.guard) guarded_.insert(c.destination.begin(), c.destination.end());
  for (Instruction& c : code) {
    forward_copies(c, std::span(code).subspan(static_cast<size_t>(&c - code.data()) + 1));
    substitute(c);
    for (unsigned round = 0; round < 4 && !c.dead && fold(v_, c); ++round) {
    }
    if (c.dead) continue;
    if (split_off_constant(c))
      for (unsigned round = 0; round < 4 && fold(v_, c); ++round) {
      }
    share(c);
    v_.learn(c);
    note_move(c);
    slow_paths_ += ends_slow_path(c);
    if (!crosses_blocks_) changes_.note(c);
  }
}

// Lanes exchange a register that is written under guards, not a copy of it: the copy is not needed if nothing reads it
// behind the next write of that register.
void Forwarder::forward_copies(Instruction& c, std::span<const Instruction> behind) {
  if (crosses_blocks_) return;
  for (Source& s : c.source)
    if (const auto copy = s.is_register() ? copied_.find(s.reg) : copied_.end(); copy != copied_.end()) {
      Source from = s;
      from.reg = copy->second;
      v_.set(s, from);
    }
  for (const Register d : c.destination)
    std::erase_if(copied_, [&](const auto& copy) { return copy.first == d || copy.second == d; });
  if (c.role != Role::Copy || c.guard || c.form.ends_name || !is_plain_register(c.source[0])) return;
  const Register from = c.source[0].reg, to = c.destination[0];
  const RegisterInfo &of = v_.kernel.registers[from], &other = v_.kernel.registers[to];
  const bool alike = of.file == other.file && of.words == 1 && other.words == 1;
  if (!guarded_.contains(from) || !v_.stable(to) || !alike || v_.is_kept(to)) return;
  const auto write = std::ranges::find_if(behind, [&](const Instruction& d) { return writes_register(d, from); });
  const auto ignores = [&](const Instruction& d) { return !reads_register(d, to); };
  const auto exchanges = [&](const Instruction& d) { return ignores(d) || d.op == Shfl; };
  if (std::all_of(behind.begin(), write, exchanges) &&
      (write == behind.end() || (exchanges(*write) && std::all_of(write + 1, behind.end(), ignores))))
    copied_[to] = from;
}

void Forwarder::substitute(Instruction& c) {
  auto carry = [&](Source& s) {
    for (unsigned depth = 0; depth < 8 && s.is_register() && v_.known[s.reg]; ++depth) {
      const Instruction& d = v_.made_by[s.reg];
      if (d.role != Role::Copy) return;
      Source from = d.source[0];
      if (from.is_immediate() && s.modifiers != 0) return;
      if (from.is_constant() && s.modifiers != 0) return;
      from.modifiers ^= s.modifiers;
      if (s.modifiers & kHalf) from.value = s.value;
      v_.set(s, from);
    }
  };
  for (Source& s : c.source) carry(s);
  carry(c.uniform_base);
  if (c.guard && v_.known[c.guard.reg]) {
    const Instruction& d = v_.made_by[c.guard.reg];
    if (d.role == Role::Copy && d.source[0].is_register()) {
      if (d.source[0].modifiers & 4) c.guard_negated = !c.guard_negated;
      Source plain = d.source[0];
      plain.modifiers = 0;
      v_.set(c.guard, plain);
    }
  }
}

std::vector<uint64_t> Forwarder::key_of(const Instruction& c) const {
  std::array<uint64_t, (sizeof c.form + 7) / 8> form{};
  std::memcpy(form.data(), &c.form, sizeof c.form);
  std::vector<uint64_t> key(form.begin(), form.end());
  key.push_back(uint64_t(c.op) << 1 | uint64_t(c.wide));
  for (const Source& s : c.source) {
    key.push_back(uint64_t(s.kind) << 56 | uint64_t(s.modifiers) << 48 | uint64_t(s.words) << 40 | s.reg);
    key.push_back(s.value);
  }
  const ir::Instruction* in = c.instruction != kNone ? &v_.kernel.function->instructions[c.instruction] : nullptr;
  key.push_back(moves_literal(c) || (in && divides_integers(*in)) ? slow_paths_ : 0);
  if (c.role == Role::Load) {
    key.insert(key.end(), {uint64_t(c.offset), c.bytes, changes_.before(c)});
    if (c.uniform_base) key.insert(key.end(), {uint64_t{1}, c.uniform_base.reg});
    if (c.variable != kNone) key.insert(key.end(), {uint64_t{2}, c.variable});
  }
  return key;
}

void Forwarder::note_move(const Instruction& c) {
  if (c.role != Role::Copy || c.guard || !is_plain_register(c.source[0])) return;
  const Register from = c.source[0].reg, to = c.destination[0];
  if (v_.kernel.registers[from].file != RegisterFile::Uniform || !v_.stable(from) || !v_.stable(to)) return;
  moved_from_[to] = from;
  moved_to_.try_emplace(from, to);
}

// a * b + (c + constant) becomes (a * b + c) + constant if a * b + c is known: addresses add a constant for free. The
// sum may be uniform, and moved.
bool Forwarder::split_off_constant(Instruction& c) {
  if (c.op != machine::Operation::ImadWide || c.role != Role::Pure || c.guard || c.form.in_sequence) return false;
  if (!c.source[2].is_register()) return false;
  const auto moved = moved_from_.find(c.source[2].reg);
  const bool is_moved = moved != moved_from_.end();
  const Instruction* d = v_.definition(is_moved ? Source::of(moved->second) : c.source[2]);
  if (!d || lane_form(d->op) != Iadd3 || !d->wide || !is_plain(*d) || d->guard || d->source[2]) return false;
  if (!d->source[0].is_register() || !d->source[1].is_immediate() || d->source[1].modifiers != 0) return false;
  if (!v_.usable(*d)) return false;
  Instruction without = c;
  without.source.set(2, d->source[0]);
  if (is_moved) {
    const auto base = moved_to_.find(d->source[0].reg);
    if (base == moved_to_.end()) return false;
    without.source.set(2, Source::of(base->second));
  }
  const auto known = known_.find(key_of(without));
  if (known == known_.end()) return false;
  const Source constant = d->source[1];
  v_.replace(c, machine::Operation::Iadd3, {}, {Source::of(known->second), constant});
  c.wide = true;
  return true;
}

// Iterations of an unrolled loop load what the ones before have loaded. (nvcc and clang share loads of the PTX's own.)
bool Forwarder::can_share_load(const Instruction& c) const { return !crosses_blocks_ && can_repeat(c); }

void Forwarder::share(Instruction& c) {
  if (c.role != Role::Pure && !can_share_load(c)) return;
  if (c.guard || c.destination[0] == kNone || c.destination[1] != kNone) return;
  if (c.form.beside_slow_path) return;
  if (c.op == S2r && crosses_blocks_) return;  // share_special_registers() does these
  for (const Source& s : c.source)
    if (s.is_register() && !v_.stable(s.reg)) return;
  if (v_.variable[c.destination[0]]) return;
  auto [it, fresh_key] = known_.try_emplace(key_of(c), c.destination[0]);
  if (fresh_key) return;
  v_.become_copy(c, Source::of(it->second));
  c.space = AddressSpace::None, c.bytes = 0, c.offset = 0, c.takes_access = c.read_only = false;
}

}  // namespace

void optimize_kernel(Kernel& kernel) {
  const LiveSets live(kernel);
  Values v(kernel);
  v.find_multiple();
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    rename(v, kernel.blocks[b].code, live.at(kernel.function->blocks[b].successors), true);
  for (const CodeBlock& b : kernel.blocks) v.count(b.code);
  v.find_only_added();
  v.find_only_scaled();
  Forwarder forward(v, true);
  for (CodeBlock& b : kernel.blocks) {
    forward.run(b.code);
    v.forget_local();
  }
  for (unsigned round = 0; round < 2; ++round)
    for (auto b = kernel.blocks.rbegin(); b != kernel.blocks.rend(); ++b) drop_dead(v, b->code);
  for (CodeBlock& b : kernel.blocks) write_directly(v, b.code);
}

namespace {

bool tests_zero(const Instruction& c) {
  const unsigned bits = c.wide ? 64 : 32;
  return (c.form.compare == ir::Compare::Eq || c.form.compare == ir::Compare::Ne) && ir::bits(c.form.type) == bits &&
         c.source[0].is_register() && c.source[0].modifiers == 0 && c.source[1].is_immediate() &&
         c.source[1].value == 0;
}

// `reads`: of each register, by all code that may read it.
void fuse_tests(std::vector<Instruction>& code, std::vector<unsigned>& reads) {
  std::unordered_map<Register, size_t> made;  // by which LOP3
  for (size_t i = 0; i < code.size(); ++i) {
    Instruction& c = code[i];
    if (is_comparison(c) && tests_zero(c))
      if (const auto logic = made.find(c.source[0].reg);
          logic != made.end() && (!c.wide || reads[c.source[0].reg] == 1)) {
        const auto between = std::span(code).subspan(logic->second, i - logic->second);
        if (std::ranges::none_of(between,
                                 [&](const Instruction& x) { return touches_register(x, c.destination[0]); })) {
          auto& to = code[logic->second].destination;
          to.set(--reads[c.source[0].reg] == 0 ? 0 : 1, c.destination[0]);
          made.erase(logic);
          c.dead = true;
          continue;
        }
      }
    for (const Register d : c.destination)
      if (d != kNone) made.erase(d);
    if (c.op == Lop3 && is_logic(c) && !c.guard && c.destination[1] == kNone) made[c.destination[0]] = i;
  }
  std::erase_if(code, [](const Instruction& c) { return c.dead; });
}

}  // namespace

void fuse_zero_tests(Kernel& kernel) {
  std::vector<unsigned> reads(kernel.registers.size());
  for (const CodeBlock& block : kernel.blocks)
    for (const Instruction& c : block.code) for_each_source(c, [&](const Source& s) { ++reads[s.reg]; });
  for (CodeBlock& block : kernel.blocks) fuse_tests(block.code, reads);
}

void optimize_regions(Kernel& kernel, std::vector<Region>& regions, const LiveSets& live) {
  Values v(kernel);
  Forwarder forward(v, false);
  for (Region& region : regions) {
    const std::vector<Register> live_out = live.at(region.successors);
    v.start_region(region.code);
    rename(v, region.code, live_out, false);
    v.touch(region.code);
    v.count(region.code);
    for (Register r : live_out) v.keep(r);
    forward.run(region.code);
    drop_dead(v, region.code);
    write_directly(v, region.code);
    if (region.path.size() == 1) continue;
    std::vector<unsigned> reads(kernel.registers.size());
    for (const Register r : live_out) ++reads[r];
    for (const Instruction& c : region.code) for_each_source(c, [&](const Source& s) { ++reads[s.reg]; });
    fuse_tests(region.code, reads);
  }
}

}  // namespace drywarp::sass
