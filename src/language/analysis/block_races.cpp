#include "language/analysis/block_races.h"
#include "language/analysis/joined_allocations.h"
#include "language/ir/accesses.h"
#include "language/ir/bulk_copies.h"

#include <algorithm>
#include <numeric>

namespace drywarp::analysis {
namespace {

using ir::BlockId;
using ir::Compare;
using ir::Opcode;
using Terms = std::vector<LinearForm::Term>;

// What a guard says of the lanes that reach an access: this sum of variables lies in a range.
struct Bound {
  Terms terms;
  Range range;
};

struct Site {
  enum class Use : uint8_t { Load, Store, Atomic };
  Use use = Use::Load;
  uint32_t instruction = 0;
  LinearForm address;
  std::vector<uint64_t> allocations;  // in one of which the address lies; empty: not known
  unsigned bytes = 0;
  std::optional<int64_t> constant;  // Store: the one value that every lane stores
  ir::AtomOp op{};                  // Atomic
  bool of_block = false;            // Atomic: for the threads of its block alone
  ir::Type type{};
  std::vector<Bound> bounds;
};

bool may_be_global(AddressSpace space) { return space == AddressSpace::Global || space == AddressSpace::Generic; }

class Races {
 public:
  Races(const ir::Module& module, const ir::Function& code, const ControlFlow& flow, const LaunchFacts& facts)
      : module_(module), code_(code), flow_(flow), forms_(module, code, flow, facts), joined_(code, forms_) {}

  BlockRaces found() {
    find_sites();
    BlockRaces races = judged();
    if (!races.possible || races.hidden) return races;
    // Strides that double or halve: all accesses once more, for each of their values.
    const std::vector<SteppedRegister> stepped = forms_.stepped_registers();
    constexpr size_t kMostCombinations = 64;
    size_t combinations = 1;
    for (const SteppedRegister& r : stepped)
      combinations = std::min(combinations * r.values.size(), 2 * kMostCombinations);
    if (stepped.empty() || combinations > kMostCombinations) return races;
    loads_.clear(), writes_.clear();
    mixed_.resize(code_.registers.size(), false);
    for (const SteppedRegister& r : stepped) {
      of_next_.insert(of_next_.end(), r.of_next.begin(), r.of_next.end());
      for (const ir::RegisterId m : r.mixed) mixed_[m] = true;
    }
    for (size_t number = 0; number < combinations; ++number) {
      std::vector<std::pair<const SteppedRegister*, int64_t>> values;
      size_t rest = number;
      for (const SteppedRegister& r : stepped) {
        values.emplace_back(&r, r.values[rest % r.values.size()]);
        rest /= r.values.size();
      }
      forms_.assume(values);
      find_sites();
    }
    return judged();
  }

 private:
  BlockRaces judged() {
    BlockRaces races;
    races.hidden = hidden_;
    if (!hidden_) find_unwritten(races);
    for (const Site& a : writes_)
      for (const Site& b : writes_)
        races.atomics_commute &= a.use != Site::Use::Atomic || b.use != Site::Use::Atomic || harmless(a, b);
    races.loads.resize(code_.instructions.size(), 0);
    constexpr size_t kMostPairs = 1 << 14;
    const bool too_many = writes_.size() * (writes_.size() + loads_.size()) > kMostPairs;
    races.possible = hidden_ || too_many;
    for (const Site& load : loads_) {
      const bool overlaps = too_many || std::any_of(writes_.begin(), writes_.end(),
                                                    [&](const Site& write) { return may_overlap(write, load); });
      races.loads[load.instruction] |= overlaps ? 1 : 0;
      races.possible |= overlaps;
    }
    for (size_t i = 0; i < writes_.size() && !races.possible; ++i)
      for (size_t j = i; j < writes_.size() && !races.possible; ++j)
        races.possible = !harmless(writes_[i], writes_[j]) && may_overlap(writes_[i], writes_[j]);
    if (races.possible) return races;
    races.loads.clear();
    races.same_stores.resize(code_.instructions.size(), 0);
    for (size_t i = 0; i < writes_.size(); ++i)
      for (size_t j = i; j < writes_.size(); ++j)
        if ((writes_[i].use == Site::Use::Store || writes_[i].of_block || writes_[j].of_block) &&
            may_overlap(writes_[i], writes_[j]))
          races.same_stores[writes_[i].instruction] = races.same_stores[writes_[j].instruction] = 1;
    return races;
  }

  void find_unwritten(BlockRaces& races) const {
    races.unwritten.assign(code_.instructions.size(), 0);
    for (const Site& load : loads_) races.unwritten[load.instruction] = 1;
    for (const Site& load : loads_)  // of an instruction there may be several
      if (!stays_unwritten(load)) races.unwritten[load.instruction] = 0;
  }

  // Whether they are in different allocations.
  static bool apart(const Site& a, const Site& b) {
    return !a.allocations.empty() && !b.allocations.empty() &&
           std::ranges::find_first_of(a.allocations, b.allocations) == a.allocations.end();
  }

  bool stays_unwritten(const Site& load) const {
    return !load.allocations.empty() &&
           std::ranges::all_of(writes_, [&](const Site& write) { return apart(write, load); });
  }

  // Adds to `loads_` and `writes_`.
  void find_sites() {
    const std::vector<BlockId>& above = forms_.dominators();
    for (const BlockId b : flow_.order) {
      std::optional<std::vector<Bound>> bounds;
      for (uint32_t i = code_.blocks[b].first; i < code_.blocks[b].end; ++i) {
        const ir::Instruction& in = code_.instructions[i];
        hidden_ = hidden_ || hides_accesses(in);
        std::optional<Site> site = site_of(in);
        if (!site) continue;
        site->instruction = i;
        if (!bounds) bounds = bounds_at(b, above);
        site->bounds = *bounds;
        if (in.guard) learn(in.guard.reg, !in.guard.negate, site->bounds);
        (site->use == Site::Use::Load ? loads_ : writes_).push_back(std::move(*site));
      }
    }
  }

  // Calls that remain and hide accesses: of functions that are really called; of malloc and free, whose addresses
  // depend on the order; and of math functions that store through a pointer to memory other than the thread's own.
  // Likewise writes of surfaces, and copies of many bytes: the object says where, or a number how many.
  bool hides_accesses(const ir::Instruction& in) {
    if (in.op == Opcode::Sust || in.op == Opcode::Sured) return true;
    if (ir::is_bulk(in.op)) return !ir::accesses(in).empty();
    if (in.op != Opcode::Call || in.origin == ir::Origin::InlinedCall) return false;
    if (in.callee == ir::kNone || !module_.functions[in.callee].is_declaration) return true;
    const std::string& name = module_.functions[in.callee].name;
    if (name == "vprintf" || name == "__assertfail") return false;
    if (!name.starts_with("__nv_") || name.ends_with("malloc")) return true;
    return std::any_of(in.call_arguments.begin(), in.call_arguments.end(), [&](const ir::Operand& o) {
      if (o.kind == ir::Operand::Kind::Immediate) return false;
      if (o.kind != ir::Operand::Kind::Register) return true;
      const ir::Type type = code_.registers[o.id].type;
      return ir::bits(type) == 64 && !ir::is_float(type) && forms_.of(o.id).allocation != AddressForms::kOwnMemory;
    });
  }

  // Its access to memory that other blocks see.
  std::optional<Site> site_of(const ir::Instruction& in) {
    for (const ir::MemoryAccess& access : ir::accesses(in)) {
      if (!access.address || !may_be_global(access.space)) continue;
      Site site;
      site.type = in.type;
      site.bytes = access.bytes;
      site.address = forms_.of(*access.address);
      if (site.address.allocation == AddressForms::kOwnMemory) return std::nullopt;
      if (site.address.allocation != 0)
        site.allocations = {site.address.allocation};
      else if (access.address->symbol == ir::kNone && access.address->reg != ir::kNone)
        site.allocations = joined_.of(access.address->reg).value_or(std::vector<uint64_t>());
      if (access.kind == ir::MemoryAccess::Kind::Store) {
        site.use = Site::Use::Store;
        if (in.mods.vector == 1 && !in.src.empty()) site.constant = constant_of(in.src[0], in.type);
      } else if (access.kind == ir::MemoryAccess::Kind::Atomic) {
        site.use = Site::Use::Atomic;
        site.op = in.mods.atom;
        site.of_block = in.mods.scope == MemoryScope::Cta || in.mods.scope == MemoryScope::Cluster;
      }
      return site;
    }
    return std::nullopt;
  }

  std::optional<int64_t> constant_of(const ir::Operand& o, ir::Type type) {
    if (o.kind == ir::Operand::Kind::Immediate) return static_cast<int64_t>(o.bits);
    const LinearForm form = forms_.of(o, type);
    return form.is_number() ? std::optional(form.constant) : std::nullopt;
  }

  // ---- guards

  std::vector<Bound> bounds_at(BlockId block, const std::vector<BlockId>& above) {
    std::vector<Bound> bounds;
    for (; above[block] != block && above[block] != ir::kNone; block = above[block]) {
      // Only if the edge of a branch is the only way here.
      if (flow_.predecessors[block].size() != 1) continue;
      const ir::Block& before = code_.blocks[flow_.predecessors[block][0]];
      if (before.successors.size() != 2 || before.successors[0] == before.successors[1] || before.first == before.end)
        continue;
      const ir::Instruction& branch = code_.instructions[before.end - 1];
      if (branch.guard) learn(branch.guard.reg, (before.successors[0] == block) != branch.guard.negate, bounds);
    }
    return bounds;
  }

  void learn(ir::RegisterId predicate, bool value, std::vector<Bound>& bounds) {
    std::vector<Comparison> comparisons;
    if (!is_mixed(predicate)) forms_.conditions(predicate, value, comparisons);
    for (const Comparison& c : comparisons) {
      if (std::find(of_next_.begin(), of_next_.end(), c.instruction) != of_next_.end() ||
          is_mixed(code_.instructions[c.instruction].dst[0].id))
        continue;
      const LinearForm a = forms_.of(c.a, c.type), b = forms_.of(c.b, c.type);
      if (!a.known || !b.known) continue;
      const auto& variables = forms_.variables();
      const LinearForm difference = sum(a, b.scaled(-1), variables);
      if (!difference.known || difference.terms.empty() ||
          std::any_of(difference.terms.begin(), difference.terms.end(), [&](const LinearForm::Term& t) {
            return variables[t.variable].kind == LaunchVariable::Kind::Loop;
          }))
        continue;
      Range range = range_of(difference, variables);
      const bool upper_unsigned = !ir::is_signed(c.type) && range_of(b, variables).low < 0;
      const bool lower_unsigned = !ir::is_signed(c.type) && (upper_unsigned || range_of(a, variables).low < 0);
      switch (c.compare) {
        case Compare::Lt:
        case Compare::Lo:
          if (!upper_unsigned) range.high = std::min<int64_t>(range.high, -1);
          break;
        case Compare::Le:
        case Compare::Ls:
          if (!upper_unsigned) range.high = std::min<int64_t>(range.high, 0);
          break;
        case Compare::Gt:
        case Compare::Hi:
          if (!lower_unsigned) range.low = std::max<int64_t>(range.low, 1);
          break;
        case Compare::Ge:
        case Compare::Hs:
          if (!lower_unsigned) range.low = std::max<int64_t>(range.low, 0);
          break;
        case Compare::Eq:
          learn_multiple(difference, bounds);
          range = {0, 0};
          break;
        default:
          continue;
      }
      add_bound({difference.terms, range + Range{-difference.constant, -difference.constant}}, bounds);
    }
  }

  [[nodiscard]] bool is_mixed(ir::RegisterId r) const { return r < mixed_.size() && mixed_[r]; }

  // The form is 0: if it is a remainder, the number that was divided is a multiple of the divisor.
  void learn_multiple(const LinearForm& form, std::vector<Bound>& bounds) {
    const AddressForms::Remainder* remainder =
        form.terms.size() == 1 && form.constant == 0 ? forms_.remainder(form.terms[0].variable) : nullptr;
    if (!remainder) return;
    const Range values = range_of(remainder->of, forms_.variables());
    const Range multiples{-floored(-values.low, remainder->divisor) * remainder->divisor,
                          floored(values.high, remainder->divisor) * remainder->divisor};
    add_bound({remainder->of.terms, multiples + Range{-remainder->of.constant, -remainder->of.constant}}, bounds);
  }

  static int64_t floored(int64_t number, int64_t divisor) { return number / divisor - (number % divisor < 0 ? 1 : 0); }

  static void add_bound(Bound bound, std::vector<Bound>& bounds) {
    // Equal sums have equal terms: no common factor, and the first factor is positive.
    int64_t common = 0;
    for (const LinearForm::Term& t : bound.terms) common = std::gcd(common, t.factor);
    if (bound.terms[0].factor < 0) common = -common;
    for (LinearForm::Term& t : bound.terms) t.factor /= common;
    if (common < 0) bound.range = bound.range.scaled(-1);
    common = std::abs(common);
    if (bound.range.low > -kUnbounded) bound.range.low = -floored(-bound.range.low, common);
    if (bound.range.high < kUnbounded) bound.range.high = floored(bound.range.high, common);
    for (Bound& known : bounds) {
      if (known.terms != bound.terms) continue;
      known.range = {std::max(known.range.low, bound.range.low), std::min(known.range.high, bound.range.high)};
      return;
    }
    bounds.push_back(std::move(bound));
  }

  // ---- pairs

  // Two stores of the same value, or two atomics whose order cannot be observed.
  static bool harmless(const Site& a, const Site& b) {
    if (a.use != b.use) return false;
    if (a.use == Site::Use::Store) return a.constant && a.constant == b.constant && a.bytes == b.bytes;
    return a.op == b.op && a.type == b.type && a.op != ir::AtomOp::Inc && a.op != ir::AtomOp::Dec;
  }

  bool may_overlap(const Site& write, const Site& other) {
    for (const Site* site : {&write, &other})
      for (const Bound& b : site->bounds)
        if (b.range.low > b.range.high) return false;  // no lane gets there
    if (apart(write, other)) return false;
    if (!write.address.known || !other.address.known) return true;
    return addresses_may_overlap(write, other, {}, {}) &&
           (write.bounds.empty() || may_overlap_within_bounds(write, other));
  }

  // Uses the guards of both: a sum that both addresses contain becomes one variable with the guards' range.
  bool may_overlap_within_bounds(const Site& write, const Site& other) {
    std::vector<Unknown> sums;
    std::vector<uint32_t> covered;
    std::vector<const Bound*> bounds;
    for (const Bound& b : write.bounds) bounds.push_back(&b);
    std::sort(bounds.begin(), bounds.end(),
              [](const Bound* a, const Bound* b) { return a->terms.size() > b->terms.size(); });
    for (const Bound* bound : bounds) {
      const auto same = std::find_if(other.bounds.begin(), other.bounds.end(),
                                     [&](const Bound& b) { return b.terms == bound->terms; });
      if (same == other.bounds.end()) continue;
      const int64_t factor = write.address.factor_of(bound->terms[0].variable) / bound->terms[0].factor;
      const bool fits = factor != 0 && std::all_of(bound->terms.begin(), bound->terms.end(), [&](const auto& t) {
                          return write.address.factor_of(t.variable) == factor * t.factor &&
                                 other.address.factor_of(t.variable) == factor * t.factor &&
                                 std::find(covered.begin(), covered.end(), t.variable) == covered.end();
                        });
      if (!fits) continue;
      // Of use only if equal sums imply equal blocks.
      std::vector<Unknown> parts;
      bool of_blocks = false;
      for (const LinearForm::Term& t : bound->terms) {
        const LaunchVariable& v = forms_.variables()[t.variable];
        of_blocks |= v.kind == LaunchVariable::Kind::Block;
        parts.push_back({t.factor, difference(v.range), v.kind == LaunchVariable::Kind::Block});
      }
      if (of_blocks && different_blocks_can_overlap(std::move(parts), {0, 0})) continue;
      for (const LinearForm::Term& t : bound->terms) covered.push_back(t.variable);
      sums.push_back(
          {factor,
           {saturated_add(bound->range.low, -same->range.high), saturated_add(bound->range.high, -same->range.low)},
           of_blocks});
    }
    return sums.empty() || addresses_may_overlap(write, other, std::move(sums), covered);
  }

  // The variable's range, in as far as the site's guards bound it alone.
  Range range_at(const Site& site, uint32_t variable) const {
    Range range = forms_.variables()[variable].range;
    for (const Bound& b : site.bounds)
      if (b.terms.size() == 1 && b.terms[0].variable == variable)
        range = {std::max(range.low, b.range.low), std::min(range.high, b.range.high)};
    return range;
  }

  static Range difference(const Range& r) {
    const int64_t most = saturated_add(r.high, -r.low);
    return {-most, most};
  }

  // `unknowns`: sums that stand for the `covered` variables.
  bool addresses_may_overlap(const Site& write, const Site& other, std::vector<Unknown> unknowns,
                             const std::vector<uint32_t>& covered) {
    const auto& variables = forms_.variables();
    for (uint32_t v = 0; v < variables.size(); ++v) {
      if (std::find(covered.begin(), covered.end(), v) != covered.end()) continue;
      const bool of_blocks = variables[v].kind == LaunchVariable::Kind::Block;
      const int64_t ours = write.address.factor_of(v), theirs = other.address.factor_of(v);
      if (ours == theirs) {
        if (ours != 0 || of_blocks) unknowns.push_back({ours, difference(variables[v].range), of_blocks});
        continue;
      }
      // Different factors: the two values are independent, for any two blocks.
      unknowns.push_back({ours, range_at(write, v), of_blocks});
      unknowns.push_back({-theirs, range_at(other, v), of_blocks});
      if (of_blocks) unknowns.push_back({0, difference(variables[v].range), true});
    }
    const int64_t apart = write.address.constant - other.address.constant;
    return different_blocks_can_overlap(std::move(unknowns),
                                        {-int64_t{write.bytes} + 1 - apart, int64_t{other.bytes} - 1 - apart});
  }

  const ir::Module& module_;
  const ir::Function& code_;
  const ControlFlow& flow_;
  AddressForms forms_;
  JoinedAllocations joined_;
  std::vector<Site> loads_, writes_;
  std::vector<uint32_t> of_next_;  // comparisons that say nothing of the values that are assumed
  std::vector<bool> mixed_;        // registers, likewise
  bool hidden_ = false;
};

}  // namespace

BlockRaces block_races(const ir::Module& module, const ir::Function& kernel, const ControlFlow& flow,
                       const LaunchFacts& facts) {
  return Races(module, kernel, flow, facts).found();
}

}  // namespace drywarp::analysis
