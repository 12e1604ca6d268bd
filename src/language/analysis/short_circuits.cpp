// Conditions of `a || b` and `a && b` that nvcc left as two branches to one target:
//
//   X: ...; @p bra T;   Y: few instructions that make q; @q bra T;   ...
//
// ptxas computes q for all lanes and branches once, on p or q, so that T runs once for the lanes of both. Without this,
// lanes that come to T from X and from Y would run it one after the other.
//
// With ptxas 13 for sm_90 (generated branches and loops, T before and behind Y, with and without another side): Y has
// at most five instructions, its comparison among them; of a chain of conditions the last two are joined first, and
// that counts as one more. Y has no load and no MUFU, and nothing behind it reads what it writes. Lanes that end at T
// end one by one, by EXIT.
#include <algorithm>
#include <optional>
#include <ranges>
#include <span>

#include "language/analysis/passes.h"
#include "language/ir/passes.h"

namespace drywarp::analysis {
namespace {

using ir::BlockId;
using ir::Instruction;
using ir::Opcode;

constexpr unsigned kMostComputed = 5;

// Of a function; each copies it. What is left then branches twice.
constexpr size_t kMostJoined = 256, kMostCopied = 500'000;  // instructions

// As ptxas counts: parameters and literals are operands, absolute values and signs of floats parts of an instruction.
unsigned size_of(const Instruction& in) {
  const bool sign = (in.op == Opcode::Abs || in.op == Opcode::Neg) && ir::is_float(in.type);
  const bool literal = in.op == Opcode::Mov && in.src[0].kind != ir::Operand::Kind::Special;
  return ir::info(in.op).family == ir::Family::Load || sign || literal ? 0 : 1;
}

// Takes a fixed time, and may be executed without need.
bool is_cheap(const Instruction& in) {
  using enum ir::Family;
  if (in.guard || in.origin != ir::Origin::Text) return false;
  switch (ir::info(in.op).family) {
    case Load:
      return in.mods.space == AddressSpace::Param;
    case Arithmetic:
      return in.op != Opcode::Div && in.op != Opcode::Rem;
    case Bits:
    case Logic:
    case Compare:
    case Convert:
    case Move:
      return true;
    default:
      return false;
  }
}

struct ShortCircuit {
  BlockId first, second, common;
};

class Join {
 public:
  explicit Join(ir::Function f) : f_(std::move(f)) {}

  ir::Function run() {
    const size_t most = std::min(kMostJoined, kMostCopied / std::max<size_t>(f_.instructions.size(), 1));
    for (size_t i = 0; i < most; ++i) {
      const std::optional<ShortCircuit> found = find();
      if (!found) break;
      join(*found);
    }
    return std::move(f_);
  }

 private:
  [[nodiscard]] std::span<const Instruction> code(BlockId b) const {
    return std::span(f_.instructions).subspan(f_.blocks[b].first, f_.blocks[b].end - f_.blocks[b].first);
  }
  [[nodiscard]] const std::vector<BlockId>& successors(BlockId b) const { return f_.blocks[b].successors; }
  [[nodiscard]] bool branches(BlockId b) const {
    const auto& next = successors(b);
    return next.size() == 2 && next[0] != next[1] && next[0] != ir::kExit && next[1] != ir::kExit && !code(b).empty() &&
           code(b).back().op == Opcode::Bra && code(b).back().guard;
  }
  [[nodiscard]] bool only_ends(BlockId b) const {
    return !code(b).empty() && (code(b)[0].op == Opcode::Ret || code(b)[0].op == Opcode::Exit);
  }

  [[nodiscard]] std::optional<ShortCircuit> find() const {
    const ControlFlow flow = control_flow(f_);
    std::optional<Liveness> live;
    for (const BlockId x : std::views::reverse(flow.order)) {
      if (!branches(x)) continue;
      for (const unsigned side : {0u, 1u}) {
        const BlockId y = successors(x)[side], t = successors(x)[1 - side];
        if (y == x || t == x || flow.predecessors[y].size() != 1 || !branches(y) || only_ends(t)) continue;
        if (std::ranges::find(successors(y), t) == successors(y).end() ||
            std::ranges::find(successors(y), y) != successors(y).end())
          continue;
        const auto body = code(y).first(code(y).size() - 1);
        unsigned size = 0;
        for (const Instruction& in : body) size += size_of(in);
        if (size > kMostComputed || !std::ranges::all_of(body, is_cheap)) continue;
        if (!live) live = liveness(f_, flow);
        const auto is_read_behind = [&](const Instruction& in) {
          bool read = false;
          for_each_definition(in, [&](ir::RegisterId r) {
            for (const BlockId next : successors(y)) read |= live->live_in[next].has(r);
          });
          return read;
        };
        if (std::ranges::any_of(body, is_read_behind)) continue;
        return ShortCircuit{x, y, t};
      }
    }
    return std::nullopt;
  }

  // The first block computes what the second one did, which is gone.
  void join(const ShortCircuit& found) {
    const auto at = [&](BlockId b) { return f_.instructions.begin() + f_.blocks[b].first; };
    std::vector<Instruction> joined(at(found.first),
                                    at(found.first) + static_cast<ptrdiff_t>(code(found.first).size()));
    Instruction condition = std::move(joined.back());
    joined.pop_back();
    joined.insert(joined.end(), code(found.second).begin(), code(found.second).end());
    Instruction& branch = joined.back();
    const auto leads_to_common = [&](const Instruction& of) {
      ir::Operand p;
      p.kind = ir::Operand::Kind::Register;
      p.id = of.guard.reg;
      p.negate = of.guard.negate != (of.target != found.common);
      return p;
    };
    const ir::RegisterId either = static_cast<ir::RegisterId>(f_.registers.size());
    f_.registers.push_back({"%either" + std::to_string(either), ir::Type::Pred});
    ir::Operand result;
    result.kind = ir::Operand::Kind::Register;
    result.id = either;
    condition.src = {leads_to_common(condition), leads_to_common(branch)};
    condition.dst = {result};
    condition.op = Opcode::Or, condition.type = ir::Type::Pred;
    condition.guard = {}, condition.target = ir::kExit;
    const auto& next = successors(found.second);
    const BlockId other = next[0] == found.common ? next[1] : next[0];
    // What stands behind the first block now: the common target, or what stood behind the second block.
    const BlockId falls = found.second == found.first + 1 ? next[1] : found.common;
    branch.target = falls == found.common ? other : found.common;
    branch.guard = {either, falls == found.common};
    joined.insert(joined.end() - 1, std::move(condition));

    std::vector<Instruction> all;
    std::vector<ir::Block> blocks;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (b == found.second) continue;
      const auto first = static_cast<uint32_t>(all.size());
      if (b == found.first)
        all.insert(all.end(), joined.begin(), joined.end());
      else
        all.insert(all.end(), code(b).begin(), code(b).end());
      blocks.push_back({first, static_cast<uint32_t>(all.size()), {}});
    }
    const auto renumber = [&](BlockId& b) { b -= b != ir::kExit && b > found.second; };
    for (Instruction& in : all) {
      if (in.op == Opcode::Bra) renumber(in.target);
      for (BlockId& t : in.targets) renumber(t);
    }
    f_.instructions = std::move(all), f_.blocks = std::move(blocks);
    ir::set_successors(f_);
  }

  ir::Function f_;
};

}  // namespace

ir::Function join_short_circuits(ir::Function f) { return Join(std::move(f)).run(); }

}  // namespace drywarp::analysis
