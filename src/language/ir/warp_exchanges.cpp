#include "language/ir/warp_exchanges.h"

#include <algorithm>
#include <iterator>

namespace drywarp::ir {
namespace {

using enum WarpExchange::Waits;

constexpr WarpExchange kExchanges[] = {
    {Opcode::Shfl, IfSync, 3, false, true},
    {Opcode::Vote, IfSync, 1, true, true},
    {Opcode::Match, IfSync, 1, false, true},
    {Opcode::Redux, Always, 1, true, true},
    {Opcode::ElectSync, Always, 0, false},
    {Opcode::Activemask, Never, -1, true},
    {Opcode::Movmatrix, Always, -1, false},
    {Opcode::BarWarpSync, Always, 0, false},
    {Opcode::Ldmatrix, Always, -1, false},
    {Opcode::Stmatrix, Always, -1, false},
    {Opcode::Mma, Always, -1, false},
    {Opcode::MmaSp, Always, -1, false},
    {Opcode::WgmmaMmaAsync, Always, -1, false},
    {Opcode::WgmmaFence, Always, -1, false},
    {Opcode::WgmmaCommitGroup, Always, -1, false},
    {Opcode::WgmmaWaitGroup, Always, -1, false},
};

constexpr bool has_every_exchange() {
  constexpr bool Run = true, Parse = false;
#define DW_OPCODE(name, mnemonic, family, support)                                            \
  if (support && Family::family == Family::WarpExchange &&                                    \
      std::ranges::find(kExchanges, Opcode::name, &WarpExchange::op) == std::end(kExchanges)) \
    return false;
#include "language/ptx/isa.def"
  return true;
}
static_assert(has_every_exchange(), "add the new opcode to kExchanges");

}  // namespace

const WarpExchange* warp_exchange(Opcode op) {
  const auto* found = std::ranges::find(kExchanges, op, &WarpExchange::op);
  return found == std::end(kExchanges) ? nullptr : found;
}

bool waits_for_lanes(const Instruction& in) {
  const WarpExchange* e = warp_exchange(in.op);
  return e && (e->waits == Always || (e->waits == IfSync && in.mods.sync));
}

std::optional<size_t> member_mask(const Instruction& in) {
  const WarpExchange* e = warp_exchange(in.op);
  if (!e || e->mask < 0 || static_cast<size_t>(e->mask) >= in.src.size() || !waits_for_lanes(in)) return std::nullopt;
  return static_cast<size_t>(e->mask);
}

}  // namespace drywarp::ir
