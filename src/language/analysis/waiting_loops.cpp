
#include <algorithm>
#include <optional>

#include "language/analysis/passes.h"
#include "language/ir/accesses.h"

namespace drywarp::analysis {
namespace {

using ir::BlockId;
using ir::Family;
using ir::Opcode;

// `read`: registers that the function reads. Who does not look at an atomic's result waits for nothing.
bool polls(const ir::Module& module, const RegisterSet& read, const ir::Instruction& in) {
  switch (ir::info(in.op).family) {
    case Family::Atomic:
      return std::ranges::any_of(
          in.dst, [&](const ir::Operand& d) { return d.kind == ir::Operand::Kind::Register && read.has(d.id); });
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

bool has_side_effect(const ir::Module& module, const RegisterSet& read, const ir::Instruction& in) {
  const Family family = ir::info(in.op).family;
  if (family == Family::Atomic) return !is_repeatable(in) || !polls(module, read, in);
  return ir::traits(family).effect == ir::Effect::Lasting || in.op == Opcode::Call;
}

// Of the registers with the places, whether the loop leaves one as it is.
bool reads_one_place(const RegisterSet& places, const RegisterSet& computed) {
  return std::ranges::any_of(places.list(), [&](ir::RegisterId r) { return !computed.has(r); });
}

RegisterSet read_registers(const ir::Function& f) {
  RegisterSet read(f.registers.size());
  for (const ir::Instruction& in : f.instructions) for_each_use(in, [&](ir::RegisterId r) { read.add(r); });
  return read;
}

// Whether registers alone decide a branch out of the loop: a counter that it steps, or the clock. What it reads from
// memory has no part in that, so it ends whatever others do.
class OwnEnd {
 public:
  OwnEnd(const ir::Function& f, const std::vector<BlockId>& body, const RegisterSet& kept)
      : f_(f), body_(body), kept_(kept), seen_(f.registers.size()) {}
  [[nodiscard]] bool found() {
    return std::ranges::any_of(body_, [&](BlockId b) { return leaves(b) && decides_alone(b); });
  }

 private:
  [[nodiscard]] bool leaves(BlockId b) const {
    return std::ranges::any_of(f_.blocks[b].successors,
                               [&](BlockId s) { return std::ranges::find(body_, s) == body_.end(); });
  }
  bool decides_alone(BlockId b) {
    const ir::Instruction& last = f_.instructions[f_.blocks[b].end - 1];
    if (f_.blocks[b].first == f_.blocks[b].end || !last.guard) return false;
    seen_ = RegisterSet(f_.registers.size());
    steps_ = false;
    return alone(last.guard.reg) && steps_;
  }
  // What the loop computes the register from, through all its definitions in the loop.
  bool alone(ir::RegisterId r) {
    if (seen_.has(r)) return true;
    seen_.add(r);
    for (const BlockId b : body_) {
      for (uint32_t i = f_.blocks[b].first; i < f_.blocks[b].end; ++i) {
        const ir::Instruction& in = f_.instructions[i];
        bool defines = false, right = true;
        for_each_definition(in, [&](ir::RegisterId d) { defines |= d == r; });
        if (!defines) continue;
        steps_ |= kept_.has(r) || reads_clock(in);
        const bool fixed = in.mods.space == AddressSpace::Param || in.mods.space == AddressSpace::Const;
        if (in.address && !fixed) return false;
        if (in.op == Opcode::Call || ir::info(in.op).family == Family::WarpExchange) return false;
        for_each_use(in, [&](ir::RegisterId used) { right = right && alone(used); });
        if (!right) return false;
      }
    }
    return true;
  }

  const ir::Function& f_;
  const std::vector<BlockId>& body_;
  const RegisterSet& kept_;  // from one iteration to the next
  RegisterSet seen_;
  bool steps_ = false;
};

// Whether the loop's registers decide what an instruction does to memory, or where.
bool is_computed(const ir::Instruction& in, const RegisterSet& computed) {
  bool any = false;
  for_each_use(in, [&](ir::RegisterId r) { any |= computed.has(r); });
  return any;
}

// Blocks of the loop that leave as they are all values that an iteration takes over from the one before, and memory.
std::vector<bool> blocks_that_keep(const ir::Module& module, const ir::Function& f, const RegisterSet& read,
                                   const std::vector<BlockId>& body, const RegisterSet& taken_over) {
  std::vector<bool> keep(f.blocks.size(), false);
  for (const BlockId b : body) {
    keep[b] = true;
    for (uint32_t i = f.blocks[b].first; i < f.blocks[b].end; ++i) {
      const ir::Instruction& in = f.instructions[i];
      for_each_definition(in, [&](ir::RegisterId r) { keep[b] = keep[b] && !taken_over.has(r); });
      const Family family = ir::info(in.op).family;
      if (has_side_effect(module, read, in) || family == Family::Barrier || reads_clock(in)) keep[b] = false;
    }
  }
  return keep;
}

// Whether an iteration can go through such blocks alone.
bool has_way_round(const ir::Function& f, BlockId header, const std::vector<bool>& idle) {
  std::vector<BlockId> reached{header};
  std::vector<bool> seen(f.blocks.size(), false);
  for (size_t i = 0; i < reached.size(); ++i) {
    if (!idle[reached[i]]) continue;
    for (const BlockId s : f.blocks[reached[i]].successors) {
      if (s == header) return true;
      if (s == ir::kExit || seen[s]) continue;
      seen[s] = true;
      reached.push_back(s);
    }
  }
  return false;
}

// Nothing: an iteration of the loop always does something, or it polls nothing in global memory. `endless`: it acts by
// repeatable attempts alone, and only what it reads can end it.
std::optional<PollLoop> poll_loop(const ir::Module& module, const ir::Function& f, const RegisterSet& read,
                                  const std::vector<BlockId>& body, const Liveness& live, bool endless) {
  PollLoop loop;
  loop.header = body.front();
  RegisterSet computed(f.registers.size());
  bool same = true;  // each iteration polls in the same way, whatever else it computes: it counts its polls, say
  for (const BlockId b : body)
    for (uint32_t i = f.blocks[b].first; i < f.blocks[b].end; ++i)
      for_each_definition(f.instructions[i], [&](ir::RegisterId r) { computed.add(r); });
  for (const BlockId b : body)
    for (uint32_t i = f.blocks[b].first; i < f.blocks[b].end; ++i) {
      const ir::Instruction& in = f.instructions[i];
      const Family family = ir::info(in.op).family;
      const bool loads = family == Family::Load && (ir::meets_in_l2(in) || in.mods.order != ir::Order::Weak);
      const bool tries = family == Family::Atomic && polls(module, read, in) && is_repeatable(in);
      if ((!loads && !tries) || in.mods.space == AddressSpace::Shared || in.mods.space == AddressSpace::Local) continue;
      loop.reads.push_back(i);
      same = same && !is_computed(in, computed);
    }
  if (loop.reads.empty()) return std::nullopt;
  loop.inside.assign(f.blocks.size(), false);
  for (const BlockId b : body) loop.inside[b] = true;
  loop.idle = endless && same ? loop.inside : blocks_that_keep(module, f, read, body, live.live_in[loop.header]);
  if (!has_way_round(f, loop.header, loop.idle)) return std::nullopt;
  return loop;
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
  WaitingLoops result{std::vector<Waiting>(f.blocks.size(), Waiting::Never),
                      std::vector<bool>(f.blocks.size(), false),
                      std::vector<bool>(f.blocks.size(), false),
                      std::vector<bool>(f.blocks.size(), false),
                      std::vector<bool>(f.blocks.size(), false),
                      {},
                      std::vector<bool>(f.blocks.size(), false),
                      std::vector<bool>(f.blocks.size(), false)};
  const RegisterSet read = read_registers(f);
  for (BlockId header : flow.order) {
    if (!flow.loop_header[header]) continue;
    const std::vector<BlockId> body = loop_body(flow, header);
    bool any = false, in_l2 = false, only = true, objects = true, acts = false;
    RegisterSet computed(f.registers.size()), places(f.registers.size());
    for (BlockId b : body) {
      for (uint32_t i = f.blocks[b].first; i < f.blocks[b].end; ++i) {
        const ir::Instruction& in = f.instructions[i];
        const bool polling = polls(module, read, in);
        any |= polling;
        if (ir::meets_in_l2(in) && ir::info(in.op).family == Family::Load) {
          in_l2 = true;
          if (in.address && in.address->reg != ir::kNone) places.add(in.address->reg);
        }
        objects = objects && (!polling || awaits_object(in) || in.op == Opcode::Nanosleep) &&
                  ir::info(in.op).family != Family::Load && !reads_clock(in);
        acts |= has_side_effect(module, read, in);
        // A value that one iteration computes and the next one reads: a counter, an advancing address.
        for_each_definition(in, [&](ir::RegisterId r) {
          only = only && !live.live_in[header].has(r);
          computed.add(r);
        });
      }
    }
    if (!any && !in_l2) continue;
    const bool own_end = OwnEnd(f, body, live.live_in[header]).found();
    // Loads past L1 are data more often than flags: they poll where they read one place, or nothing else ends the loop.
    if (!any && own_end && !reads_one_place(places, computed)) continue;
    only = only && !acts;
    if (!acts && !own_end)
      for (BlockId b : body) result.endless[b] = true;
    result.header[header] = only ? Waiting::Only : Waiting::Perhaps;
    if (auto loop = poll_loop(module, f, read, body, live, !acts && !own_end)) {
      result.polls_header[header] = true;
      for (const BlockId b : body)
        for (const BlockId s : f.blocks[b].successors)
          if (s != ir::kExit && !loop->inside[s]) result.after_polls[s] = true;
      result.polls.push_back(std::move(*loop));
    }
    if (!only) continue;
    for (BlockId b : body) result.on_objects[b] = result.on_objects[b] || objects;
    for (BlockId b : body)
      for (BlockId s : f.blocks[b].successors)
        if (s != ir::kExit && std::find(body.begin(), body.end(), s) == body.end()) result.after[s] = true;
  }
  for (BlockId b = 0; b < f.blocks.size(); ++b)
    for (BlockId s : f.blocks[b].successors)
      if (s != ir::kExit && result.endless[b] && !result.endless[s]) result.after_endless[s] = true;
  return result;
}

}  // namespace drywarp::analysis
