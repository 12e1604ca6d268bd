#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "model/sass/passes/passes.h"

namespace drywarp::sass {
namespace {

using enum machine::Operation;

constexpr uint32_t kNewForm = 80;   // older targets have other checks, which are not modelled
constexpr uint8_t kCollective = 7;  // registers of the slow path, assumed: mask, operands, result, return

bool is_syncwarp(const Instruction& c) { return c.op == Warpsync && !c.for_exchange; }

// An exchange of the program's, or a __syncwarp(). What combines lanes for an atomic takes the lanes that are there, as
// activemask does.
bool is_exchange(const Kernel& kernel, const Instruction& c) {
  const bool exchanges =
      c.op == Shfl || c.op == Match || c.op == Redux || (c.op == Vote && c.source[0]) || is_syncwarp(c);
  if (!exchanges || c.instruction == kNone) return false;
  const ir::Opcode op = kernel.function->instructions[c.instruction].op;
  return op != ir::Opcode::Atom && op != ir::Opcode::Red;
}

// The WARPSYNC of an exchange, itself or the one in front of it, whose lanes have masks of their own.
bool has_own_mask(const Instruction& exchange, const Instruction* before) {
  if (is_syncwarp(exchange)) return exchange.source[0].is_register();
  return before && before->op == Warpsync && before->for_exchange && before->source[0].is_register();
}

// Where masks come from.
class Masks {
 public:
  Masks(const Kernel& kernel, const Flow& flow, const std::vector<bool>& parted)
      : flow_(flow),
        parted_(parted),
        original_(kernel.blocks),
        made_(only_definitions(original_, kernel.registers.size())) {}
  // Whether all lanes of block `b` have the same mask: that of active lanes, if none have parted since.
  [[nodiscard]] bool is_common(const Source& mask, uint32_t b) const {
    const Definition& made = made_[mask.reg];
    if (!made.code || made.code->op != Vote || made.code->source[0]) return false;
    if (!parted_[made.block]) return true;
    while (b != made.block) {
      const auto& from = flow_.control.predecessors[b];
      if (from.size() != 1 || flow_.divergent[from[0]] || from[0] >= b) return false;
      b = from[0];
    }
    return true;
  }
  // Whether two masks are computed alike. (Cooperative groups compute theirs for each exchange.)
  [[nodiscard]] bool same(const Source& a, const Source& b, unsigned depth = 0) const {
    if (a == b) return true;
    constexpr unsigned kDeepest = 4;
    if (!a.is_register() || !b.is_register() || a.modifiers != b.modifiers || depth == kDeepest) return false;
    const Instruction *x = made_[a.reg].code, *y = made_[b.reg].code;
    if (!x || !y || x->op != y->op || !(x->form == y->form) || x->source.size() != y->source.size()) return false;
    if ((x->role != Role::Pure && x->role != Role::Copy && x->op != S2r) || x->guard || y->guard) return false;
    for (size_t i = 0; i < x->source.size(); ++i)
      if (!same(x->source[i], y->source[i], depth + 1)) return false;
    return true;
  }

 private:
  const Flow& flow_;
  const std::vector<bool>& parted_;
  const std::vector<CodeBlock> original_;  // checks are written into the kernel's
  const std::vector<Definition> made_;     // by register
};

// Exchanges of a kind share the code for lanes that are not all there. Code between barriers of the block has its own.
class SharedCode {
 public:
  SharedCode(const Kernel& kernel, const std::vector<bool>& parted) : kernel_(kernel) {
    number_segments();
    for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
      for (const uint32_t next : kernel.function->blocks[b].successors)
        if (next != ir::kExit) joined_[find(last_[b])] = find(first_[next]);
    for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
      uint32_t segment = first_[b];
      const Instruction* before = nullptr;
      for (const Instruction& c : kernel.blocks[b].code) {
        if (c.op == Bar) ++segment;
        if (is_exchange(kernel, c) && (parted[b] || has_own_mask(c, before))) ++uses_[{find(segment), kind_of(c)}];
        before = &c;
      }
    }
  }
  // Whether another one uses the code for exchanges like `c`, the `bars`th segment of block `b`.
  [[nodiscard]] bool shares(uint32_t b, uint32_t bars, const Instruction& c) {
    const auto uses = uses_.find({find(first_[b] + bars), kind_of(c)});
    return uses != uses_.end() && uses->second > 1;
  }

 private:
  using Kind = std::pair<Operation, uint64_t>;
  static Kind kind_of(const Instruction& c) { return {c.op, static_cast<uint64_t>(c.form.mode)}; }
  void number_segments() {
    uint32_t segments = 0;
    for (const CodeBlock& block : kernel_.blocks) {
      first_.push_back(segments);
      segments += static_cast<uint32_t>(std::ranges::count(block.code, Bar, &Instruction::op));
      last_.push_back(segments++);
    }
    joined_.resize(segments);
    std::iota(joined_.begin(), joined_.end(), 0u);
  }
  uint32_t find(uint32_t segment) {
    while (joined_[segment] != segment) segment = joined_[segment] = joined_[joined_[segment]];
    return segment;
  }

  const Kernel& kernel_;
  std::vector<uint32_t> first_, last_;  // by block: its first and last segment
  std::vector<uint32_t> joined_;        // segments that a path without a barrier joins
  std::map<std::pair<uint32_t, Kind>, unsigned> uses_;
};

// A mask that all lanes share needs no check of its own.
void drop_common_masks(Kernel& kernel, const Masks& masks) {
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    for (Instruction& c : kernel.blocks[b].code) {
      if (c.op != Warpsync || !c.source[0].is_register() || !masks.is_common(c.source[0], b)) continue;
      if (is_syncwarp(c))
        c.source.set(0, {});
      else
        c.dead = true;
    }
    std::erase_if(kernel.blocks[b].code, [](const Instruction& c) { return c.dead; });
  }
}

Instruction effect(Operation op, const Instruction& exchange) {
  Instruction made;
  made.op = op;
  made.role = Role::Effect;
  made.for_exchange = true;
  made.instruction = exchange.instruction;
  return made;
}

// The checks of the code so far: BRA.DIV, WARPSYNC, and for the lanes of this mask.
struct Checked {
  bool branch = false, wait = false;
  Source own_mask;
};

// Writes the checks of one block's exchanges.
class CheckWriter {
 public:
  CheckWriter(Kernel& kernel, const Masks& masks, bool parted, const Checked& before)
      : kernel_(kernel), masks_(masks), parted_(parted), checked_(before) {}

  template <typename Shares>
  void write(std::vector<Instruction>& code, Shares shares) {
    uint32_t bars = 0;
    for (Instruction& c : code) {
      if (c.op == Bar) ++bars;
      if (is_exchange(kernel_, c)) {
        const bool own = has_own_mask(c, out_.empty() ? nullptr : &out_.back());
        const bool waits = write_check(c, own, (parted_ || own) && shares(bars, c));
        if (is_syncwarp(c) && !waits) c.op = Nop;
      }
      out_.push_back(std::move(c));
    }
    code = std::move(out_);
  }
  [[nodiscard]] const Checked& checked() const { return checked_; }

 private:
  // Whether a WARPSYNC for these lanes is the check.
  bool write_check(Instruction& c, bool own, bool shared) {
    if (shared && own) return check_own(c), false;
    if (shared) return check(c), false;
    if (own) return true;
    return parted_ && wait(c);
  }
  void add(Instruction made) { out_.push_back(std::move(made)); }
  // UMOV, BRA.DIV: one for all exchanges behind it.
  void check(Instruction& exchange) {
    if (std::exchange(checked_.branch, true)) return;
    exchange.clobbers = kCollective;
    add(effect(Umov, exchange)), add(effect(Bra, exchange));
  }
  // VOTEU, MATCH, REDUX, LOP3, BRA.DIV instead of WARPSYNC: whether all lanes of each mask have it.
  void check_own(Instruction& exchange) {
    const Source mask = is_syncwarp(exchange) ? exchange.source[0] : out_.back().source[0];
    if (!is_syncwarp(exchange)) out_.pop_back();
    if (checked_.own_mask && masks_.same(checked_.own_mask, mask)) return;
    checked_.own_mask = mask;
    exchange.clobbers = kCollective;
    const auto value = [&](Operation op, RegisterFile file, std::initializer_list<Source> sources) {
      Instruction made = effect(op, exchange);
      made.destination.set(0, kernel_.make(1, file));
      made.source = sources;
      add(made);
      return Source::of(made.destination[0]);
    };
    const Source active = value(Vote, RegisterFile::Uniform, {}), same = value(Match, RegisterFile::General, {mask});
    value(Redux, RegisterFile::Uniform, {mask});
    const Source missing = value(Lop3, RegisterFile::Predicate, {mask, active, same});
    Instruction branch = effect(Bra, exchange);
    branch.guard = missing, branch.guard_negated = true;
    add(std::move(branch));
  }
  // WARPSYNC, which a __syncwarp() is itself.
  bool wait(const Instruction& exchange) {
    if (std::exchange(checked_.wait, true)) return false;
    if (!is_syncwarp(exchange)) add(effect(Warpsync, exchange));
    return true;
  }

  Kernel& kernel_;
  const Masks& masks_;
  std::vector<Instruction> out_;
  const bool parted_;
  Checked checked_;
};

}  // namespace

void place_exchange_checks(Kernel& kernel, const Flow& flow) {
  if (kernel.compute_capability < kNewForm) return;
  const bool any = std::ranges::any_of(kernel.blocks, [&](const CodeBlock& block) {
    return std::ranges::any_of(block.code, [&](const Instruction& c) { return is_exchange(kernel, c); });
  });
  if (!any) return;
  const std::vector<bool> parted = blocks_of_parted_lanes(kernel, flow);
  const Masks masks(kernel, flow, parted);
  drop_common_masks(kernel, masks);
  SharedCode shared(kernel, parted);
  std::vector<bool> exchanges(parted.size(), false), branches = exchanges, goes_on = exchanges;
  std::vector<Checked> checked(parted.size());
  for (uint32_t b = 0; b < parted.size(); ++b) {
    uint32_t bars = 0;
    for (const Instruction& c : kernel.blocks[b].code) {
      if (c.op == Bar) ++bars;
      if (!is_exchange(kernel, c)) continue;
      exchanges[b] = true;
      if (parted[b] && shared.shares(b, bars, c)) branches[b] = true;
    }
  }
  // The last block with exchanges before this one's, if nothing comes between the two. (A __syncwarp() is a block.)
  const auto before = [&](uint32_t b) {
    do {
      const auto& from = flow.control.predecessors[b];
      if (from.size() != 1 || from[0] >= b) return kNone;
      b = from[0];
    } while (!exchanges[b] && kernel.function->blocks[b].successors.size() == 1);
    return exchanges[b] ? b : kNone;
  };
  for (uint32_t b = 0; b < parted.size(); ++b)
    if (branches[b] && before(b) != kNone) goes_on[before(b)] = true;
  for (uint32_t b = 0; b < parted.size(); ++b) {
    if (!exchanges[b]) continue;
    auto& code = kernel.blocks[b].code;
    const auto last =
        std::find_if(code.rbegin(), code.rend(), [&](const Instruction& c) { return is_exchange(kernel, c); });
    if (branches[b] && !goes_on[b]) last->ends_exchanges = true;
    const uint32_t from = before(b);
    CheckWriter writer(kernel, masks, parted[b],
                       from != kNone && parted[from] == parted[b] ? checked[from] : Checked{});
    writer.write(code, [&](uint32_t bars, const Instruction& c) { return shared.shares(b, bars, c); });
    checked[b] = writer.checked();
  }
}

void drop_repeated_checks(Kernel&, std::vector<Region>& regions) {
  for (Region& region : regions) {
    bool branched = false, waited = false;
    Instruction* ends = nullptr;  // the last exchange behind the last check
    for (Instruction& c : region.code) {
      if (c.op == Bssy || c.op == Bsync || c.role == Role::Branch) branched = waited = false;
      if (c.ends_exchanges) ends = &c;
      if (!c.for_exchange || c.guard) continue;
      if (c.op == Warpsync && !c.source[0]) c.dead = std::exchange(waited, true);
      if (c.op == Umov) c.dead = branched;
      if (c.op != Bra) continue;
      c.dead = std::exchange(branched, true);
      if (c.dead && ends) ends->ends_exchanges = false;
    }
    std::erase_if(region.code, [](const Instruction& c) { return c.dead; });
  }
}

}  // namespace drywarp::sass
