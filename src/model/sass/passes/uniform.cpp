#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "model/sass/passes/passes.h"
#include "model/sass/passes/unroll.h"
#include "model/sass/select/select.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

// Per-lane operations and their forms on the uniform datapath.
constexpr struct {
  Operation lanes, uniform;
} kForms[] = {{Iadd3, Uiadd3}, {Lop3, Ulop3}, {Imad, Uimad}, {ImadWide, UimadWide}, {Shf, Ushf},
              {Lea, Ulea},     {S2r, S2ur},   {Mov, Umov},   {Isetp, Uisetp}};

constexpr uint32_t kFirst = 75;  // compute capability

// Whether an S2R reads the block's number in the grid.
bool is_block_number(const Instruction& c) {
  return c.op == S2r && c.form.window == AddressSpace::None && c.form.special >= ir::SpecialRegister::CtaidX &&
         c.form.special <= ir::SpecialRegister::CtaidZ;
}

// From Hopper on, per-lane operations read constants through uniform registers; before, constants are operands.
constexpr uint32_t kConstantsInRegisters = 90;  // compute capability

// The first reads of the launch's sizes, by offset in the constant bank.
std::map<uint64_t, uint32_t> first_reads_of_sizes(const ir::Function& function) {
  std::map<uint64_t, uint32_t> first;
  for (uint32_t i = 0; i < function.instructions.size(); ++i)
    for (const ir::Operand& operand : function.instructions[i].src)
      if (operand.kind == ir::Operand::Kind::Special)
        if (const Source size = size_of_launch(operand.special)) first.try_emplace(size.value, i);
  return first;
}

// An operand of an asynchronous instruction that says where something is. A product of a warp group has 64-bit
// descriptors, and its other registers hold matrices.
bool is_descriptor(const Instruction& c, size_t k) {
  const auto timing = machine::info(c.op).timing;
  if (timing == machine::TimingClass::BulkCopy) return true;
  return timing == machine::TimingClass::MatrixGroup && c.source[k].is_register() && k < c.form.index &&
         (c.form.index - k == 1 || c.form.index == 2);
}

// How a per-lane instruction reads a uniform register as its source `k`.
enum class Reads : uint8_t {
  InPlace,    // directly, if no other operand takes the immediate's slot
  AsAddress,  // as an address of global memory: a pointer that a single access uses is moved for it
  Alone,      // uniform registers alone: descriptors of matrices, what copies of many bytes are told
  Not,
};
Reads reads(const Instruction& c, size_t k) {
  if (is_descriptor(c, k)) return Reads::Alone;
  if (c.space == AddressSpace::Shared && (c.op == Lds || c.op == Sts)) return k == 0 ? Reads::InPlace : Reads::Not;
  if (c.space == AddressSpace::Global || c.space == AddressSpace::Generic)
    return k == 0 ? Reads::AsAddress : Reads::Not;
  if (c.space != AddressSpace::None) return Reads::Not;
  if (c.role == Role::Copy) return Reads::InPlace;
  if (c.role != Role::Pure) return Reads::Not;
  switch (c.op) {
    case Mufu:
    case Prmt:
    case Sel:
    case Fsel:
      return Reads::Not;
    case Lea:  // the shifted operand is per lane
      return k == 1 ? Reads::InPlace : Reads::Not;
    case Shf:
      return k == (c.form.shift == Shift::FunnelLeft || c.form.shift == Shift::FunnelRight ? 2 : 1) ? Reads::InPlace
                                                                                                    : Reads::Not;
    default:
      return Reads::InPlace;
  }
}

class Chooser {
 public:
  Chooser(Kernel& kernel, const Flow& flow)
      : kernel_(kernel), flow_(flow), sizes_(first_reads_of_sizes(*kernel.function)), original_(kernel.blocks) {}

  void run() {
    find_values();
    for (uint32_t b = 0; b < original_.size(); ++b)
      if (Unrolling loop = find_unrolling(kernel_, flow_, b); loop.by_count) counted_.push_back(std::move(loop));
    for (bool changed = true; changed;) {
      changed = false;
      propagate(changed);
      for (const CodeBlock& block : kernel_.blocks)
        for (const Instruction& c : block.code) {
          bool given_up = false;
          check_reads(c, given_up);
          if (given_up) propagate(changed = true);  // what follows from it stays per lane, too
        }
      if (!changed) give_up_constants(changed);
      if (!changed) give_up_limits(changed);
    }
    for (CodeBlock& block : kernel_.blocks) rewrite(block.code);
  }

 private:
  struct Value {
    const Instruction* made = nullptr;  // the last of its definitions
    unsigned writes = 0, reads = 0, addresses = 0;
    uint32_t block = 0;  // where it is made
    bool uniform = false;
    bool of_counter = false;  // a loop counter, or computed from one
    bool of_block = false;    // computed from the block's number
  };

  [[nodiscard]] bool uniform(const Source& s) const { return s.is_register() && values_[s.reg].uniform; }
  [[nodiscard]] bool is_counter(Register r) const { return values_[r].writes > 1; }
  // Whether the operand takes the slot that a uniform register would need.
  [[nodiscard]] bool takes_slot(const Source& s) const {
    if (s.is_constant()) return kernel_.compute_capability < kConstantsInRegisters;
    return s.is_immediate() && s.value != 0;
  }
  // Whether the instruction is currently chosen for the uniform datapath.
  [[nodiscard]] bool is_uniform(const Instruction& c) const {
    return c.destination[0] != kNone && values_[c.destination[0]].uniform;
  }

  [[nodiscard]] bool can_be_uniform(const Instruction& c) const {
    if (c.guard || c.destination[1] != kNone || c.space != AddressSpace::None) return false;
    if (c.role == Role::Copy) return !c.source[0].is_register() || c.source[0].modifiers == 0;
    if (c.role != Role::Pure || c.op == Isetp || !has_uniform_form(c.op)) return false;
    if (c.op == S2r) return c.form.window != AddressSpace::None || is_block_number(c);
    return c.op == ImadWide ? !c.form.in_sequence : c.op != Imad || is_plain(c) || c.form == Form{.in_sequence = true};
  }

  void find_values() {
    values_.resize(kernel_.registers.size());
    std::vector<bool> unfit(kernel_.registers.size(), false);
    for (const CodeBlock& block : original_)
      for (const Instruction& c : block.code)
        if (c.op == Imad && c.form == Form{.in_sequence = true}) in_parts_.insert(c.instruction);
    // Lanes with different trip counts would need different values.
    const std::vector<bool> divergent = loops_with_divergent_exits(kernel_, flow_);
    for (uint32_t b = 0; b < original_.size(); ++b) {
      const bool diverges = std::ranges::any_of(flow_.loops[b], [&](uint32_t header) { return divergent[header]; });
      for (const Instruction& c : original_[b].code) {
        for_each_source(c, [&](const Source& s) { ++values_[s.reg].reads; });
        if (c.source[0].is_register() && reads(c, 0) == Reads::AsAddress) ++values_[c.source[0].reg].addresses;
        for (const Register d : c.destination) {
          if (d == kNone) continue;
          Value& value = values_[d];
          value.made = &c, value.block = b;
          if (++value.writes > 1 && (d >= flow_.uniform.size() || !flow_.uniform[d])) unfit[d] = true;
          if (diverges) divergent_.insert(d);
          if (!can_be_uniform(c)) unfit[d] = true;
        }
      }
    }
    for (Register r = 0; r < values_.size(); ++r) {
      const RegisterInfo& info = kernel_.registers[r];
      values_[r].uniform = values_[r].made && !unfit[r] && info.file == RegisterFile::General && info.words <= 2 &&
                           !(is_counter(r) && divergent_.contains(r));
      values_[r].of_counter = is_counter(r);
    }
    for (bool again = true; again;) {
      again = false;
      for (const CodeBlock& block : kernel_.blocks)
        for (const Instruction& c : block.code) {
          if (!is_uniform(c)) continue;
          Value& value = values_[c.destination[0]];
          bool of_counter = value.of_counter, of_block = value.of_block || is_block_number(c);
          for_each_source(c, [&](const Source& s) {
            of_counter |= values_[s.reg].of_counter, of_block |= values_[s.reg].of_block;
          });
          again |= of_counter != value.of_counter || of_block != value.of_block;
          value.of_counter = of_counter, value.of_block = of_block;
        }
    }
  }

  // A value with a per-lane source is per lane.
  void propagate(bool& changed) {
    for (bool again = true; again;) {
      again = false;
      for (const CodeBlock& block : kernel_.blocks)
        for (const Instruction& c : block.code) {
          if (!is_uniform(c)) continue;
          bool all = true;
          for_each_source(c, [&](const Source& s) { all &= values_[s.reg].uniform; });
          if (!all) values_[c.destination[0]].uniform = false, again = changed = true;
        }
    }
  }

  void give_up(Register r, bool& changed) { values_[r].uniform = false, changed = true; }

  // Whether a per-lane instruction could compute it without more moves: from values without other uses, or from one
  // uniform register.
  [[nodiscard]] bool suits_lanes(Register r) const {
    if (is_counter(r)) return false;
    const Instruction& c = *values_[r].made;
    return c.op == S2r || suits_lanes(c);
  }
  [[nodiscard]] bool suits_lanes(const Instruction& c) const {
    unsigned taken = 0;
    for (const Source& s : c.source) taken += takes_slot(s);
    if (c.op == Shf || c.role == Role::Copy) taken = 0;
    for (size_t k = 0; k < c.source.size(); ++k) {
      const Source& s = c.source[k];
      if (!uniform(s)) continue;
      const Instruction& made = *values_[s.reg].made;
      const bool own = values_[s.reg].reads == 1 || (c.op == ImadWide && is_block_number(made)) ||
                       (made.role == Role::Copy && made.source[0].is_constant());
      if (own && suits_lanes(s.reg)) continue;
      if (reads(c, k) != Reads::InPlace || ++taken > 1) return false;
    }
    return true;
  }
  // The initial value of a per-lane counter, if it is computed on the uniform datapath and moved.
  [[nodiscard]] bool is_start(const Instruction& c) const {
    const Register d = c.destination[0];
    if (d == kNone || !is_counter(d) || c.role != Role::Pure || !can_be_uniform(c) || suits_lanes(c)) return false;
    bool any = false, all = kernel_.registers[d].file == RegisterFile::General;
    for_each_source(c, [&](const Source& s) {
      any = true;
      all = all && uniform(s) && s.reg != d;
    });
    return any && all;
  }

  // Gives up uniform registers that a per-lane instruction cannot read.
  void check_reads(const Instruction& c, bool& changed) {
    if (is_uniform(c) || is_start(c)) return;
    for (size_t k = 0; k < c.source.size(); ++k)
      if (const Source& s = c.source[k]; uniform(s) && reads(c, k) != Reads::Alone)
        if (is_part(s.reg) ? ends_product(c) || sinks(s.reg) : is_passed_by(s.reg)) give_up(s.reg, changed);
    std::vector<size_t> here;
    unsigned fixed = 0;
    for (size_t k = 0; k < c.source.size(); ++k) {
      fixed += takes_slot(c.source[k]);
      if (!uniform(c.source[k])) continue;
      const Reads how = reads(c, k);
      if (how == Reads::InPlace)
        here.push_back(k);
      else if (how != Reads::Alone &&
               (how == Reads::Not || values_[c.source[k].reg].writes == 1 || values_[c.source[k].reg].addresses > 1))
        give_up_unless_moved(c.source[k].reg, changed);
    }
    if (c.space != AddressSpace::None || c.op == Shf) fixed = 0;
    if (here.empty()) return;
    if (fixed > 0) {
      for (const size_t k : here)
        if (const Register r = c.source[k].reg; c.op == ImadWide && is_product(r) && !is_counter(r))
          give_up(r, changed);
        else if (!stays_uniform(c, r))
          give_up_unless_moved(r, changed);
      return;
    }
    // Of the block's number and a launch size, ptxas keeps the one that the program reads first (84 of 84 kernels).
    if (here.size() == 1) {
      const Register r = c.source[here[0]].reg;
      const Instruction& made = *values_[r].made;
      const bool later = std::ranges::any_of(c.source, [&](const Source& other) {
        const auto size = other.is_constant() ? sizes_.find(other.value) : sizes_.end();
        return size != sizes_.end() && size->second < made.instruction;
      });
      if (later && is_block_number(made)) give_up(r, changed);
      return;
    }
    if (adds_extended(c)) return;
    // One of them stays uniform: a counter before a value, the later operand before the earlier.
    const auto gives = [&](size_t k) {
      const Register r = c.source[k].reg;
      if (is_counter(r)) return 2;
      return values_[r].made->op == S2r ? 0 : suits_lanes(r) ? 1 : 3;
    };
    const size_t first = *std::ranges::min_element(here, {}, gives);
    const Register r = c.source[first].reg;
    if (gives(first) < 3) give_up(r, changed);
  }

  [[nodiscard]] bool is_part(Register r) const { return in_parts_.contains(values_[r].made->instruction); }

  // In a block that some lanes pass by ptxas computes what lanes read for lanes alone, but for addresses in shared
  // memory.
  [[nodiscard]] bool is_passed_by(Register r) const {
    const Instruction& m = *values_[r].made;
    const bool computed =
        !values_[r].of_counter && m.op != S2r && m.op != Mov && m.role != Role::Copy && !is_shared_base(m);
    return computed && flow_.passed_by[values_[r].block] && std::ranges::none_of(m.source, [&](const Source& s) {
             return uniform(s) && is_shared_base(*values_[s.reg].made);
           });
  }
  // Whether ptxas computes a product of 64 bits where it is needed, for lanes alone: in the one block that reads it, or
  // in one that is not reached in any case.
  [[nodiscard]] bool sinks(Register r) const {
    uint32_t place = kNone;
    std::set<uint32_t> readers;  // blocks
    for (const uint32_t b : flow_.control.order)
      for (const Instruction& c : kernel_.blocks[b].code) {
        if (std::ranges::none_of(c.source, [&](const Source& s) { return s.is_register() && s.reg == r; })) continue;
        if (is_uniform(c)) return false;
        readers.insert(b);
        if (place == kNone) place = b;
        while (!flow_.dominates(place, b)) place = flow_.dominator[place];
      }
    while (place != kNone && flow_.loops[place].size() > flow_.loops[values_[r].block].size())
      place = flow_.dominator[flow_.loops[place].back()];
    const bool elsewhere = std::ranges::any_of(
        readers, [&](uint32_t b) { return b != place && (flow_.unconditional[b] || !readers.contains(place)); });
    return place == kNone || !flow_.unconditional[place] || !elsewhere;
  }

  // A product of a uniform value, and a uniform word of 64 bits that is added to it and moves to a pair of registers.
  [[nodiscard]] bool adds_extended(const Instruction& c) const {
    return c.op == ImadWide && uniform(c.source[2]) && extends_word(*values_[c.source[2].reg].made) &&
           (uniform(c.source[0]) || uniform(c.source[1]));
  }

  // Of a pointer that a loop steps: its step and one other instruction read it. Its two words then move to a pair of
  // registers in each iteration.
  [[nodiscard]] bool is_read_beside_step(Register r) const { return values_[r].reads <= 2; }

  // A uniform sum of 64 bits that the instruction reads from a pair of registers.
  [[nodiscard]] bool adds_pair(const Instruction& c) const {
    if (adds_extended(c)) return true;
    const Source& sum = c.source[2];
    return c.op == ImadWide && is_counter(sum.reg) && !is_product(sum.reg) &&
           std::ranges::any_of(c.source, [&](const Source& s) { return takes_slot(s); });
  }

  void give_up_unless_moved(Register r, bool& changed) {
    if (values_[r].of_counter || suits_lanes(r)) give_up(r, changed);
  }

  [[nodiscard]] bool is_product(Register r) const { return values_[r].made->op == ImadWide; }

  // Beside an immediate: the immediate moves to a register, or the comparison runs on the uniform datapath.
  [[nodiscard]] bool stays_uniform(const Instruction& c, Register r) const {
    if (is_compared(c)) return !is_counter(r) && !suits_lanes(r);
    if (c.op == ImadWide)
      return is_counter(r) && c.source[2].is_register() && c.source[2].reg == r &&
             (is_product(r) || is_read_beside_step(r));
    // An addition keeps its immediate.
    const bool adds = c.op == Imad || c.op == Iadd3;
    if (adds && !is_shared_base(*values_[r].made)) return false;
    return !values_[r].of_counter && !values_[r].of_block && has_uniform_form(c.op);
  }

  // A counter is not uniform if its step is in a per-lane register anyway, nor is a product of 64 bits if the pointer
  // that it is added to is.
  void give_up_constants(bool& changed) {
    std::set<uint64_t> per_lane;
    for (const CodeBlock& block : kernel_.blocks)
      for (const Instruction& c : block.code) {
        if (is_uniform(c) || c.role == Role::Copy) continue;
        unsigned fixed = 0;
        for (const Source& s : c.source) fixed += takes_slot(s) || uniform(s);
        for (size_t k = 0; k < c.source.size(); ++k)
          if (c.source[k].is_constant() && (fixed > 0 || reads(c, k) != Reads::InPlace))
            per_lane.insert(c.source[k].value);
      }
    for (const CodeBlock& block : kernel_.blocks)
      for (const Instruction& c : block.code) {
        if (!is_uniform(c) || c.role == Role::Copy) continue;
        const auto in_lanes = [&](const Source& s) { return s.is_constant() && per_lane.contains(s.value); };
        const bool steps = is_counter(c.destination[0]) && std::ranges::any_of(c.source, in_lanes);
        if (steps || (c.op == ImadWide && in_lanes(c.source[2]))) give_up(c.destination[0], changed);
      }
  }

  // What a per-lane counter is compared with is per lane in a loop that ptxas unrolls by a count: the code before the
  // loop computes from both how many iterations are left.
  void give_up_limits(bool& changed) {
    for (const Unrolling& loop : counted_)
      if (!values_[loop.counter].uniform && uniform(loop.limit)) give_up(loop.limit.reg, changed);
  }

  // Two uniform values, or one and an immediate, are compared on the uniform datapath.
  [[nodiscard]] bool is_compared(const Instruction& c) const {
    if (c.op != Isetp || c.role != Role::Pure || c.wide || c.guard || c.source[2] || c.destination[1] != kNone ||
        c.form.beside_slow_path)
      return false;
    const Source &a = c.source[0], &b = c.source[1];
    return (uniform(a) && (uniform(b) || takes_slot(b))) || (uniform(b) && takes_slot(a));
  }

  void rewrite(std::vector<Instruction>& code) {
    std::vector<Instruction> out;
    out.reserve(code.size());
    std::unordered_map<Register, Register> moved;  // in this block, to per-lane registers
    for (Instruction& c : code) {
      if (is_uniform(c)) {
        c.op = uniform_form(c.op);
        kernel_.registers[c.destination[0]].file = RegisterFile::Uniform;
      } else if (is_start(c)) {
        const Register result = c.destination[0];
        Instruction copy =
            copy_of(kernel_.make(kernel_.registers[result].words, RegisterFile::Uniform), result, c.instruction);
        values_.emplace_back();
        c.op = uniform_form(c.op);
        c.destination.set(0, copy.source[0].reg);
        out.push_back(c);
        c = copy;
      } else if (is_compared(c)) {
        const Register result = c.destination[0];
        c.op = Uisetp;
        c.destination.set(0, kernel_.make(1, RegisterFile::UniformPredicate));
        out.push_back(c);
        c.op = Plop3;
        c.source = {Source::of(c.destination[0])};
        c.destination.set(0, result);
        c.form = {.table = kAll};  // a uniform predicate copied to a per-lane one
      } else {
        move(c, moved, out);
      }
      for (const Register d : c.destination)
        if (d != kNone) moved.erase(d);
      out.push_back(c);
    }
    code = std::move(out);
  }

  // The uniform register that R2UR gives it.
  Register to_uniform(const Instruction& c, Register from, std::vector<Instruction>& out) {
    const RegisterInfo info = kernel_.registers[from];
    if (info.file != RegisterFile::General) return from;
    Instruction moved;
    moved.op = R2ur;
    moved.role = Role::Effect;  // once for each instruction, as ptxas does
    moved.wide = info.words == 2;
    moved.source.set(0, Source::of(from));
    moved.destination.set(0, kernel_.make(info.words, RegisterFile::Uniform));
    moved.instruction = c.instruction;
    values_.emplace_back();
    out.push_back(moved);
    return moved.destination[0];
  }

  void move(Instruction& c, std::unordered_map<Register, Register>& moved, std::vector<Instruction>& out) {
    const bool free = c.op == Shf || c.space != AddressSpace::None ||
                      std::ranges::none_of(c.source, [&](const Source& s) { return takes_slot(s); });
    bool room = true;
    for (size_t k = c.source.size(); k-- > 0;) {
      Source& s = c.source.at(k);
      if (s.is_register() && reads(c, k) == Reads::Alone) {
        if (!uniform(s)) s.reg = to_uniform(c, s.reg, out);
        continue;
      }
      if (!uniform(s)) continue;
      if (reads(c, k) == Reads::InPlace && room && (free || stays_uniform(c, s.reg)) && !(k == 2 && adds_pair(c))) {
        room = false;
        continue;
      }
      const auto [known, is_new] = moved.try_emplace(s.reg, kNone);
      if (is_new) {
        known->second = kernel_.make(kernel_.registers[s.reg].words);
        values_.emplace_back();
        out.push_back(copy_of(s.reg, known->second, c.instruction));
      }
      s.reg = known->second;
    }
  }

  Kernel& kernel_;
  const Flow& flow_;
  const std::map<uint64_t, uint32_t> sizes_;
  const std::vector<CodeBlock> original_;  // rewriting a block must not change what others know of its values
  std::vector<Unrolling> counted_;         // loops that are unrolled by a count
  std::vector<Value> values_;
  // Products of 64-bit values, whose parts are uniform together or not at all.
  std::set<uint32_t> in_parts_;
  std::set<Register> divergent_;  // written in loops with divergent exits
};

}  // namespace

Operation uniform_form(Operation op) {
  for (const auto& form : kForms)
    if (form.lanes == op) return form.uniform;
  return op;
}

Operation lane_form(Operation op) {
  for (const auto& form : kForms)
    if (form.uniform == op) return form.lanes;
  return op;
}

void choose_uniform(Kernel& kernel, const Flow& flow) {
  if (kernel.compute_capability >= kFirst) Chooser(kernel, flow).run();
}

}  // namespace drywarp::sass
