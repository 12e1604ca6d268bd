
#include <algorithm>

#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::BlockId;
using ir::Family;
using ir::Opcode;

// The blocks of the loop that begins at `header`: all from which a path leads back to it.
std::vector<BlockId> body_of(const ControlFlow& flow, const std::vector<uint32_t>& position, BlockId header) {
  std::vector<bool> inside(position.size(), false);
  std::vector<BlockId> body{header};
  inside[header] = true;
  auto add = [&](BlockId b) {
    if (inside[b]) return;
    inside[b] = true;
    body.push_back(b);
  };
  for (BlockId p : flow.predecessors[header])
    if (position[p] >= position[header]) add(p);
  for (size_t i = 1; i < body.size(); ++i)
    for (BlockId p : flow.predecessors[body[i]]) add(p);
  return body;
}

bool polls(const ir::Module& module, const ir::Instruction& in) {
  switch (ir::info(in.op).family) {
    case Family::Atomic:
      return std::any_of(in.dst.begin(), in.dst.end(),
                         [](const ir::Operand& d) { return d.kind == ir::Operand::Kind::Register; });
    case Family::Load:
      return in.mods.order != ir::Order::Weak;
    case Family::Mbarrier:
    case Family::Fence:
      return true;
    default:
      return in.op == Opcode::Nanosleep || really_calls(module, in);
  }
}

bool awaits_object(const ir::Instruction& in) {
  return in.op == Opcode::MbarrierTestWait || in.op == Opcode::MbarrierTryWait;
}

// An attempt that may be repeated any number of times: an exchange, or an operation that changes nothing.
bool is_repeatable(const ir::Instruction& in) {
  if (in.mods.atom == ir::AtomOp::Cas || in.mods.atom == ir::AtomOp::Exch) return true;
  return !in.src.empty() && in.src[0].kind == ir::Operand::Kind::Immediate && in.src[0].bits == 0;
}

bool has_side_effect(const ir::Module& module, const ir::Instruction& in) {
  const Family family = ir::info(in.op).family;
  if (family == Family::Atomic) return !is_repeatable(in) || !polls(module, in);
  return ir::traits(family).effect == ir::Effect::Lasting || in.op == Opcode::Call;
}

}  // namespace

bool reads_clock(const ir::Instruction& in) {
  return std::ranges::any_of(in.src, [](const ir::Operand& o) {
    return o.kind == ir::Operand::Kind::Special && o.special >= ir::SpecialRegister::Clock &&
           o.special <= ir::SpecialRegister::GlobalTimerHi;
  });
}

WaitingLoops waiting_loops(const ir::Module& module, const ir::Function& f, const ControlFlow& flow,
                           const Liveness& live) {
  WaitingLoops result{std::vector<Waiting>(f.blocks.size(), Waiting::Never), std::vector<bool>(f.blocks.size(), false),
                      std::vector<bool>(f.blocks.size(), false)};
  std::vector<uint32_t> position(f.blocks.size(), 0);
  for (uint32_t i = 0; i < flow.order.size(); ++i) position[flow.order[i]] = i;
  for (BlockId header : flow.order) {
    if (!flow.loop_header[header]) continue;
    const std::vector<BlockId> body = body_of(flow, position, header);
    bool any = false, only = true, objects = true;
    for (BlockId b : body) {
      for (uint32_t i = f.blocks[b].first; i < f.blocks[b].end; ++i) {
        const ir::Instruction& in = f.instructions[i];
        any |= polls(module, in);
        objects = objects && (!polls(module, in) || awaits_object(in) || in.op == Opcode::Nanosleep) &&
                  ir::info(in.op).family != Family::Load && !reads_clock(in);
        only = only && !has_side_effect(module, in);
        // A value that one iteration computes and the next one reads: a counter, an advancing address.
        for_each_definition(in, [&](ir::RegisterId r) { only = only && !live.live_in[header].has(r); });
      }
    }
    if (!any) continue;
    result.header[header] = only ? Waiting::Only : Waiting::Perhaps;
    if (!only) continue;
    for (BlockId b : body) result.on_objects[b] = result.on_objects[b] || objects;
    for (BlockId b : body)
      for (BlockId s : f.blocks[b].successors)
        if (s != ir::kExit && std::find(body.begin(), body.end(), s) == body.end()) result.after[s] = true;
  }
  return result;
}

}  // namespace drywarp::analysis
