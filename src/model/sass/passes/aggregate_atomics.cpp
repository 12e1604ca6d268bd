#include <algorithm>
#include <optional>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

constexpr uint32_t kRedux = 80;  // REDUX needs compute capability 8.0
constexpr uint32_t kScan = 70;   // seen in ptxas 13's code for 7.5, 8.0 and 9.0; assumed for 7.0

bool is_one(const Source& value) { return value.is_immediate() && value.value == 1; }

// Whether lanes can add up first: REDUX has the operation, on 32-bit integers. Of 64 bits only the number of lanes is
// multiplied by a constant.
bool can_reduce(const Instruction& c, const ir::Instruction& in) {
  using enum ir::AtomOp;
  const bool operation = in.mods.atom == Add || in.mods.atom == Min || in.mods.atom == Max || in.mods.atom == And ||
                         in.mods.atom == Or || in.mods.atom == Xor;
  if (!operation || ir::is_float(in.type) || in.mods.vector != 1) return false;
  const bool counts = in.mods.atom == Add && c.op == Red && !c.source[1].is_register();
  return ir::bits(in.type) == 32 || (ir::bits(in.type) == 64 && counts);
}

std::vector<bool> read_registers(const Kernel& kernel) {
  std::vector<bool> read(kernel.registers.size());
  for (const CodeBlock& block : kernel.blocks)
    for (const Instruction& c : block.code) for_each_source(c, [&](const Source& s) { read[s.reg] = true; });
  return read;
}

// What a block has computed for its atomics so far: the next one has the same lanes. (ptxas 13 shares it.)
class Computed {
 public:
  struct Value {
    Operation op;
    Sources source;
    ir::SpecialRegister special;
    Register result;
  };
  [[nodiscard]] std::optional<Register> find(Operation op, const Sources& source, ir::SpecialRegister special) const {
    const auto same = std::ranges::find_if(
        values_, [&](const Value& v) { return v.op == op && v.source == source && v.special == special; });
    return same == values_.end() ? std::nullopt : std::optional(same->result);
  }
  void add(const Value& value) { values_.push_back(value); }
  void forget_all() { values_.clear(); }
  // What it read is written.
  void forget(Register written) {
    std::erase_if(values_, [&](const Value& v) {
      return std::ranges::any_of(v.source, [&](const Source& s) { return s.is_register() && s.reg == written; });
    });
  }

 private:
  std::vector<Value> values_;
};

// Emits the instructions that replace an atomic.
class AggregateWriter {
 public:
  AggregateWriter(Kernel& kernel, const Instruction& atomic, std::vector<Instruction>& out, Computed& computed)
      : kernel_(kernel), instruction_(atomic.instruction), step_(atomic.step), out_(out), computed_(computed) {}

  // Effects: optimization neither shares nor folds them.
  Source emit(Operation op, Register to, std::initializer_list<Source> sources) {
    Instruction made;
    made.op = op;
    made.role = Role::Effect;
    made.destination.set(0, to);
    made.source = sources;
    made.instruction = instruction_;
    made.step = step_;
    made.acts_in = acts_in_;
    out_.push_back(made);
    return Source::of(to);
  }
  Source emit(Operation op, std::initializer_list<Source> sources, RegisterFile file = RegisterFile::General) {
    return emit(op, kernel_.make(1, file), sources);
  }
  // The same, or what the block has of it already.
  Source share(Operation op, std::initializer_list<Source> sources, RegisterFile file = RegisterFile::General,
               ir::SpecialRegister special = {}) {
    const Sources all = sources;
    if (const auto known = computed_.find(op, all, special)) return Source::of(*known);
    const Source value = emit(op, sources, file);
    out_.back().form.special = special;
    computed_.add({op, all, special, value.reg});
    return value;
  }
  Source special(ir::SpecialRegister r) { return share(S2r, {}, RegisterFile::General, r); }
  Source fresh(uint8_t words = 1) { return Source::of(kernel_.make(words)); }
  // The atomic for parts of warps, and the branch around what is emitted from here on, which is for whole warps.
  void add_for_parts(Instruction atomic, Source part) {
    atomic.guard = part;
    atomic.acts_in = machine::ActsIn::PartsOfWarps;
    out_.push_back(std::move(atomic));
    emit(Bra, kNone, {part});
    computed_.forget_all();
    acts_in_ = machine::ActsIn::WholeWarps;
  }
  // The atomic, predicated so that only `lane` executes it.
  void add_guarded(Instruction atomic, Source lane) {
    atomic.guard = share(Isetp, {special(ir::SpecialRegister::LaneId), lane}, RegisterFile::Predicate);
    atomic.one_lane = true;
    atomic.acts_in = acts_in_;
    out_.push_back(std::move(atomic));
  }

 private:
  Kernel& kernel_;
  uint32_t instruction_;
  uint16_t step_;
  machine::ActsIn acts_in_ = machine::ActsIn::AllWarps;
  std::vector<Instruction>& out_;
  Computed& computed_;
};

// Which registers hold one value in all lanes without being uniform registers: what follows from a vote alone, such as
// the number of active lanes. The mask of active lanes is none where lanes run apart.
class CommonValues {
 public:
  CommonValues(const Kernel& kernel, const Flow& flow)
      : kernel_(kernel), made_(only_definitions(kernel.blocks, kernel.registers.size())), known_(made_.size()) {
    const std::vector<bool> parted = blocks_of_parted_lanes(kernel, flow);
    for (Definition& made : made_)
      if (made.code && parted[made.block] && is_active_mask(*made.code)) made = {};
  }
  [[nodiscard]] bool has(const Source& s) {
    if (!s.is_register() || kernel_.registers[s.reg].file == RegisterFile::Uniform) return true;
    const Instruction* const made = made_[s.reg].code;
    if (!made || made->guard) return false;
    if (made->op == Vote) return made->destination[0] == s.reg;
    if (made->role != Role::Pure || made->source.empty() || known_[s.reg] != 0) return known_[s.reg] == kCommon;
    known_[s.reg] = kOwn;  // until it is known to be common
    for (const Source& from : made->source)
      if (!has(from)) return false;
    known_[s.reg] = kCommon;
    return true;
  }

 private:
  [[nodiscard]] bool is_active_mask(const Instruction& c) const {
    return c.op == Vote && c.instruction != kNone &&
           kernel_.function->instructions[c.instruction].op == ir::Opcode::Activemask;
  }
  static constexpr char kOwn = 1, kCommon = 2;
  const Kernel& kernel_;
  std::vector<Definition> made_;  // by register
  std::vector<char> known_;
};

// Where lanes that have one address add up first.
class OnePlace {
 public:
  OnePlace(const Kernel& kernel, const Flow& flow)
      : kernel_(kernel),
        flow_(flow),
        made_(only_definitions(kernel.blocks, kernel.registers.size())),
        parts_lanes_(loops_with_divergent_exits(kernel, flow)) {}

  // Whether the atomic has one address for all lanes, in global or shared memory, and several lanes can be there.
  [[nodiscard]] bool is_at(const Instruction& c, uint32_t block) const {
    if (c.instruction == kNone || c.guard) return false;
    const ir::Instruction& in = kernel_.function->instructions[c.instruction];
    const bool global = (c.op == Red || c.op == Atomg) && c.space == AddressSpace::Global;
    const bool shared = c.op == Atoms && c.space == AddressSpace::Shared && ir::bits(in.type) == 32;
    // ATOMS.POPC.INC adds one for each lane.
    const bool counts = shared && c.destination[0] == kNone && in.mods.atom == ir::AtomOp::Add && is_one(c.source[1]);
    return (global || shared) && !counts && can_reduce(c, in) && has_one_address(c, in, block) && !is_one_lane(block);
  }

 private:
  [[nodiscard]] bool has_one_address(const Instruction& c, const ir::Instruction& in, uint32_t block) const {
    const Source& address = c.source[0];
    if (!address.is_register() || kernel_.registers[address.reg].file == RegisterFile::Uniform) return true;
    if (!in.address || (in.address->reg != ir::kNone && !flow_.uniform[in.address->reg])) return false;
    // To ptxas what a loop computes is not one value for lanes that leave it one after the other.
    const Definition& made = made_[address.reg];
    return std::ranges::none_of(flow_.loops[block], [&](uint32_t header) {
      return parts_lanes_[header] && (!made.code || flow_.in_loop(made.block, header));
    });
  }
  // Whether one lane of a warp runs the block: %tid.x or %laneid equals a number. There ptxas leaves atomics as they
  // are.
  [[nodiscard]] bool is_one_lane(uint32_t block) const {
    for (uint32_t b = block; flow_.dominator[b] != kNone && flow_.dominator[b] != b; b = flow_.dominator[b])
      if (is_entered_by_one(flow_.dominator[b], b)) return true;
    return false;
  }
  // Whether `block` is entered by an equality at the end of `from` alone.
  [[nodiscard]] bool is_entered_by_one(uint32_t from, uint32_t block) const {
    const auto& next = kernel_.function->blocks[from].successors;
    const auto& code = kernel_.blocks[from].code;
    if (next.size() != 2 || next[0] == next[1] || code.empty() || !code.back().guard) return false;
    if (!flow_.only_from(block, {from})) return false;
    const Instruction* compare = made_[code.back().guard.reg].code;
    if (!compare || !is_comparison(*compare) || compare->source[1].is_register()) return false;
    const bool equal = compare->form.compare == ir::Compare::Eq, branches = next[0] == block;
    if (!equal && compare->form.compare != ir::Compare::Ne) return false;
    return is_lane(compare->source[0]) && (equal != code.back().guard_negated) == branches;
  }
  [[nodiscard]] bool is_lane(const Source& s) const {
    const Instruction* made = s.is_register() && s.modifiers == 0 ? made_[s.reg].code : nullptr;
    return made && made->op == S2r &&
           (made->form.special == ir::SpecialRegister::TidX || made->form.special == ir::SpecialRegister::LaneId);
  }

  const Kernel& kernel_;
  const Flow& flow_;
  const std::vector<Definition> made_;   // by register
  const std::vector<bool> parts_lanes_;  // by header: a loop that lanes leave one after the other
};

// The old value is unused: active mask, leader, reduction of the operands, one atomic by the leader. Of equal operands
// the sum is their number times one of them.
void reduce(AggregateWriter& writer, Instruction c, bool adds, bool by_count, bool wide) {
  const Source lanes = writer.share(Vote, {}, RegisterFile::Uniform);
  const Source leader = writer.share(Ushf, {lanes}, RegisterFile::Uniform);
  if (by_count) {
    const Source count = writer.share(Popc, {lanes});
    if (wide)
      c.source.set(1, writer.emit(ImadWide, writer.fresh(2).reg, {count, c.source[1]}));
    else
      c.source.set(1, is_one(c.source[1]) ? count : writer.share(Imad, {count, c.source[1]}));
  } else {
    // Into a uniform register, and from there into one of the leader's.
    const Source sum = adds ? writer.share(Redux, {c.source[1]}, RegisterFile::Uniform)
                            : writer.emit(Redux, {c.source[1]}, RegisterFile::Uniform);
    c.source.set(1, writer.emit(Mov, {sum}));
  }
  writer.add_guarded(std::move(c), leader);
}

// All operands are equal: each lane's old value is the leader's plus the operand times the number of lower lanes.
void add_by_count(AggregateWriter& writer, Instruction c) {
  const Register result = c.destination[0];
  const Source value = c.source[1];
  const Source lanes = writer.share(Vote, {}, RegisterFile::Uniform);
  const Source leader = writer.share(Flo, {lanes}), count = writer.share(Popc, {lanes});
  c.source.set(1, is_one(value) ? count : writer.share(Imad, {count, value}));
  const Source found = writer.fresh();
  c.destination.set(0, found.reg);
  writer.add_guarded(std::move(c), leader);
  const Source before =
      writer.share(Popc, {writer.share(Lop3, {writer.special(ir::SpecialRegister::LanemaskLt), lanes})});
  const Source base = writer.emit(Shfl, {found, leader});
  if (is_one(value)) {
    writer.emit(Iadd3, result, {base, before});
  } else {
    writer.emit(Imad, result, {before, value, base});
  }
}

// Operands differ: an atomic for each lane of a part of a warp, a scan over a whole warp. (In loops, its sums stay in
// one register.)
void add_by_scan(AggregateWriter& writer, Instruction c, bool in_loop) {
  constexpr int kSteps = 5;  // 32 lanes
  const Register result = c.destination[0];
  const Source part = writer.emit(Isetp, {writer.emit(Vote, {})}, RegisterFile::Predicate);
  writer.add_for_parts(c, part);
  Source sum = c.source[1];
  for (int i = 0; i < kSteps; ++i) {
    sum = writer.emit(Imad, {sum, writer.emit(Shfl, {sum})});
    if (i == 0 || !in_loop) sum = writer.emit(Mov, {sum});
  }
  c.source.set(1, sum);
  const Source found = writer.fresh();
  c.destination.set(0, found.reg);
  writer.add_guarded(std::move(c), Source::immediate(31));
  const Source before = writer.emit(Shfl, {sum}), base = writer.emit(Shfl, {found});
  writer.emit(Iadd3, result, {base, before});
}

}  // namespace

void aggregate_atomics(Kernel& kernel, const Flow& flow) {
  const std::vector<bool> read = read_registers(kernel);
  for (CodeBlock& block : kernel.blocks)
    for (Instruction& c : block.code)
      if ((c.op == Atomg || c.op == Atoms) && c.destination[0] != kNone && !read[c.destination[0]]) {
        if (c.op == Atomg && c.destination[1] == kNone) c.op = Red;
        c.destination.set(0, kNone);
      }
  const auto is_atomic = [](const Instruction& c) { return c.op == Red || c.op == Atomg || c.op == Atoms; };
  if (std::ranges::none_of(kernel.blocks, [&](const CodeBlock& b) { return std::ranges::any_of(b.code, is_atomic); }))
    return;
  struct Found {
    bool at_one_place, same_operand;
  };
  std::vector<Found> atomics;  // in the order of the code, before it is rewritten
  const OnePlace one_place(kernel, flow);
  CommonValues common(kernel, flow);
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (const Instruction& c : kernel.blocks[b].code)
      if (is_atomic(c)) atomics.push_back({one_place.is_at(c, b), common.has(c.source[1])});
  size_t number = 0;
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    CodeBlock& block = kernel.blocks[b];
    std::vector<Instruction> out;
    Computed computed;
    for (Instruction& c : block.code) {
      for (const Register d : c.destination) computed.forget(d);
      const Found found = is_atomic(c) ? atomics[number++] : Found{};
      const bool adds = found.at_one_place && kernel.function->instructions[c.instruction].mods.atom == ir::AtomOp::Add;
      AggregateWriter writer(kernel, c, out, computed);
      const bool returns = c.op == Atomg || (c.op == Atoms && c.destination[0] != kNone);
      if (found.at_one_place && !returns && kernel.compute_capability >= kRedux) {
        const bool wide = ir::bits(kernel.function->instructions[c.instruction].type) == 64;
        const bool by_count = adds && !c.source[1].is_register();
        reduce(writer, std::move(c), adds, by_count, wide);
      } else if (adds && returns && kernel.compute_capability >= kScan) {
        if (found.same_operand)
          add_by_count(writer, std::move(c));
        else
          add_by_scan(writer, std::move(c), !flow.loops[b].empty());
      } else {
        out.push_back(std::move(c));
      }
    }
    block.code = std::move(out);
  }
}

}  // namespace drywarp::sass
