#include "engine/exec/blocks/lane_exchanges.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/exec/blocks/activation.h"
#include "language/analysis/passes.h"
#include "language/ir/warp_exchanges.h"

namespace drywarp::exec {
namespace {

const ir::Instruction& exchange_of(const LaneGroup& g) {
  const ir::Function& code = g.where->code->prepared.code;
  return code.instructions[code.blocks[g.block].first];
}

// Copies the lanes of a mask between two register files.
void copy_lanes(const ir::Function& code, ir::RegisterId r, uint8_t* to, const uint8_t* from, uint32_t mask) {
  const uint64_t at = uint64_t{r} * jit::register_stride(code);
  const unsigned bits = ir::bits(code.registers[r].type);
  if (bits == 1) {
    uint32_t old, source;
    std::memcpy(&old, to + at, 4);
    std::memcpy(&source, from + at, 4);
    old = (old & ~mask) | (source & mask);
    std::memcpy(to + at, &old, 4);
    return;
  }
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint64_t lane = at + static_cast<uint64_t>(std::countr_zero(left)) * (bits / 8);
    std::memcpy(to + lane, from + lane, bits / 8);
  }
}

// An exchange between lanes at the same instruction in different activations. Its block holds nothing else (see
// language/analysis/passes.h) and runs once for all of them, on a register file gathered from theirs.
void exchange_at_one_place(Warp& warp, const LaneGroup& first) {
  const ir::Function& code = first.where->code->prepared.code;
  const ir::Instruction& exchange = code.instructions[code.blocks[first.block].first];
  if (!warp.exchange_activation) warp.exchange_activation = std::make_unique<Activation>();
  Activation& joint = *warp.exchange_activation;
  joint.code = first.where->code;
  joint.counters = first.where->counters;
  give_registers(joint);
  uint32_t mask = 0;
  for (const LaneGroup& part : warp.exchange_groups) {
    auto gather = [&](ir::RegisterId r) { copy_lanes(code, r, joint.registers, part.where->registers, part.mask); };
    analysis::for_each_use(exchange, gather);
    analysis::for_each_definition(exchange, gather);
    mask |= part.mask;
  }
  const jit::GroupFunction step = group_form(warp, *joint.code);
  make_current(warp, joint);
  step(&warp, first.block, mask);
  for (const LaneGroup& part : warp.exchange_groups)
    analysis::for_each_definition(
        exchange, [&](ir::RegisterId r) { copy_lanes(code, r, part.where->registers, joint.registers, part.mask); });
  warp.exchange_groups.clear();
}

// One lane's value of a source register, which may be negated, in a function's register file.
struct SourceLanes {
  uint8_t* lanes = nullptr;
  unsigned bits = 0;
  bool negated = false;
  explicit SourceLanes(const LaneGroup& part) {
    const ir::Function& code = part.where->code->prepared.code;
    const ir::Operand& source = exchange_of(part).src[0];
    if (source.kind != ir::Operand::Kind::Register) return;
    lanes = part.where->registers + uint64_t{source.id} * jit::register_stride(code);
    bits = ir::bits(code.registers[source.id].type);
    negated = bits == 1 && source.negate;
  }
  [[nodiscard]] uint64_t get(uint32_t lane) const {
    uint64_t value = 0;
    if (bits != 1) return std::memcpy(&value, lanes + lane * (bits / 8), bits / 8), value;
    std::memcpy(&value, lanes, 4);
    return ((value >> lane) & 1) ^ uint64_t { negated };
  }
  void put(uint32_t lane, uint64_t value) const {
    if (bits != 1) return void(std::memcpy(lanes + lane * (bits / 8), &value, bits / 8));
    uint32_t all = 0;
    std::memcpy(&all, lanes, 4);
    all = (all & ~(1u << lane)) | (static_cast<uint32_t>(value ^ uint64_t{negated}) << lane);
    std::memcpy(lanes, &all, 4);
  }
};

// Exchanges at different instructions: each runs for its own lanes, with the other lanes' values in its source
// register. Lanes that are elsewhere may need that register, so their old values are restored.
void exchange_between_places(Warp& warp) {
  std::array<uint64_t, kWarpSize> given{};
  auto for_lanes = [](uint32_t mask, auto visit) {
    for (uint32_t left = mask; left != 0; left &= left - 1) visit(static_cast<uint32_t>(std::countr_zero(left)));
  };
  const std::vector<LaneGroup> parts = std::move(warp.exchange_groups);
  warp.exchange_groups.clear();
  uint32_t all = 0;
  for (const LaneGroup& part : parts) {
    const SourceLanes from(part);
    if (from.lanes) for_lanes(part.mask, [&](uint32_t lane) { given[lane] = from.get(lane); });
    all |= part.mask;
  }
  for (const LaneGroup& part : parts) {
    const SourceLanes source(part);
    std::array<uint64_t, kWarpSize> kept{};
    const uint32_t others = source.lanes ? all & ~part.mask : 0;
    for_lanes(others, [&](uint32_t lane) {
      kept[lane] = source.get(lane);
      source.put(lane, given[lane]);
    });
    const jit::GroupFunction step = group_form(warp, *part.where->code);
    make_current(warp, *part.where);
    warp.exchange_peers = all;
    step(&warp, part.block, part.mask);
    warp.exchange_peers = 0;
    for_lanes(others, [&](uint32_t lane) { source.put(lane, kept[lane]); });
  }
}

}  // namespace

bool same_place(const LaneGroup& a, const LaneGroup& b) { return a.where->code == b.where->code && a.block == b.block; }

// Exchanges of one kind match wherever they stand in the program: compilers turn an exchange in divergent code into a
// call of one routine a kind, in which lanes wait for their mask. On an H200 two idx match, two ballots, two min.u32;
// an up and a down, an any and an all, a min.u32 and a min.s32, or a ballot and a barrier hang.
bool same_kind(const LaneGroup& a, const LaneGroup& b) {
  const ir::Instruction &one = exchange_of(a), &other = exchange_of(b);
  const ir::WarpExchange* exchange = ir::warp_exchange(one.op);
  if (!exchange || !exchange->meets || one.op != other.op || one.mods.mode != other.mods.mode ||
      one.type != other.type || one.mods.abs != other.mods.abs || one.mods.nan != other.mods.nan || one.guard ||
      other.guard)
    return false;
  const ir::Operand &from = one.src[0], &from_other = other.src[0];
  if (from.kind != from_other.kind) return false;
  // Equal constants need no register to be exchanged in.
  return from.kind == ir::Operand::Kind::Register ||
         (from.kind == ir::Operand::Kind::Immediate && from.bits == from_other.bits);
}

void run_exchange(Warp& warp, const LaneGroup& first) {
  warp.exchange_groups = {first};
  std::erase_if(warp.groups, [&](const LaneGroup& g) {
    if (g.exchange_id != first.exchange_id) return false;
    warp.exchange_groups.push_back(g);
    return true;
  });
  const bool apart =
      std::ranges::any_of(warp.exchange_groups, [&](const LaneGroup& g) { return !same_place(first, g); });
  apart ? exchange_between_places(warp) : exchange_at_one_place(warp, first);
}

}  // namespace drywarp::exec
