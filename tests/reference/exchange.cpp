// shfl, vote, match, redux over the lanes of a warp.
#include <cmath>

#include "internal.h"

namespace drywarp::reference {
namespace {

using ir::Mode;
using ir::Type;
using Lanes = std::array<State, 32>;

bool test(uint32_t mask, unsigned lane) { return (mask >> lane) & 1; }

void shuffle(const ir::Instruction& in, Lanes& lanes, uint32_t active) {
  Lanes old = lanes;
  for (int lane = 0; lane < 32; ++lane) {
    if (!test(active, static_cast<unsigned>(lane))) continue;
    Call c{in, lanes[static_cast<size_t>(lane)]};
    int b = static_cast<int>(c.raw(1) & 31), clamp = static_cast<int>(c.raw(2) & 31),
        segment = static_cast<int>((c.raw(2) >> 8) & 31);
    int most = (lane & segment) | (clamp & ~segment & 31), least = lane & segment, from = lane;
    bool p = false;
    switch (in.mods.mode) {
      case Mode::ShflUp:
        from = lane - b, p = from >= most;
        break;
      case Mode::ShflDown:
        from = lane + b, p = from <= most;
        break;
      case Mode::ShflBfly:
        from = lane ^ b, p = from <= most;
        break;
      default:
        from = least | (b & ~segment & 31), p = from <= most;
    }
    if (!p) from = lane;
    c.set(0, old[static_cast<size_t>(from)].sources[0], Type::B32);
    if (in.dst.size() > 1) c.set(1, p, Type::Pred);
  }
}

uint64_t reduce_float(const ir::Instruction& in, const Lanes& lanes, uint32_t takes_part) {
  bool any = false, saw_nan = false;
  uint64_t best = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!test(takes_part, lane)) continue;
    uint64_t v = lanes[lane].sources[0] & 0xffffffff;
    if (in.mods.abs) v &= 0x7fffffff;
    if ((v & 0x7fffffff) > 0x7f800000) {
      saw_nan = true;
      continue;
    }
    auto key = [](uint64_t x) { return x >> 31 ? -static_cast<int64_t>(x & 0x7fffffff) - 1 : static_cast<int64_t>(x); };
    bool better = in.mods.mode == Mode::ReduxMax ? key(v) > key(best) : key(v) < key(best);
    if (!any || better) best = v;
    any = true;
  }
  return !any || (in.mods.nan && saw_nan) ? 0x7fffffff : best;
}

uint64_t reduce_int(const ir::Instruction& in, Lanes& lanes, uint32_t takes_part) {
  bool first = true;
  I128 r = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!test(takes_part, lane)) continue;
    I128 v = Call{in, lanes[lane]}.value(0, in.type);
    switch (in.mods.mode) {
      case Mode::ReduxAdd:
        r = first ? v : r + v;
        break;
      case Mode::ReduxMin:
        r = first || v < r ? v : r;
        break;
      case Mode::ReduxMax:
        r = first || v > r ? v : r;
        break;
      case Mode::ReduxAnd:
        r = first ? v : r & v;
        break;
      case Mode::ReduxOr:
        r = first ? v : r | v;
        break;
      default:
        r = first ? v : r ^ v;
    }
    first = false;
  }
  return static_cast<uint64_t>(r);
}

// Lane 4r + c holds elements 2c and 2c + 1 of row r.
void transpose(const ir::Instruction& in, Lanes& lanes, uint32_t active) {
  uint64_t matrix[8][8];
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned half = 0; half < 2; ++half)
      matrix[lane / 4][lane % 4 * 2 + half] = (lanes[lane].sources[0] >> 16 * half) & 0xffff;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (test(active, lane))
      Call{in, lanes[lane]}.set(0, matrix[lane % 4 * 2][lane / 4] | matrix[lane % 4 * 2 + 1][lane / 4] << 16,
                                Type::B32);
}

}  // namespace

bool exchange(const ir::Instruction& in, Lanes& lanes, uint32_t active) {
  if (in.op == ir::Opcode::Movmatrix) return transpose(in, lanes, active), true;
  if (in.op == ir::Opcode::Shfl) return shuffle(in, lanes, active), true;
  uint32_t members = active;
  if (in.mods.sync)
    for (unsigned lane = 0; lane < 32; ++lane)
      if (test(active, lane)) members &= static_cast<uint32_t>(lanes[lane].sources.back());
  uint32_t yes = 0;
  bool is_match = in.op == ir::Opcode::Match;
  uint64_t mask = is_match && ir::bits(in.type) == 64 ? ~uint64_t{0} : 0xffffffff;
  if (in.op == ir::Opcode::Vote)
    for (unsigned lane = 0; lane < 32; ++lane)
      if (test(members, lane) && Call{in, lanes[lane]}.predicate(0)) yes |= 1u << lane;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!test(active, lane)) continue;
    Call c{in, lanes[lane]};
    if (in.op == ir::Opcode::Redux) {
      c.set(0, in.type == Type::F32 ? reduce_float(in, lanes, members) : reduce_int(in, lanes, members), Type::B32);
    } else if (in.op == ir::Opcode::ElectSync) {
      unsigned leader = 0;
      while (!test(active, leader)) ++leader;  // all of them name one mask
      c.set(0, leader, Type::B32);
      c.set(1, lane == leader, Type::Pred);
    } else if (is_match) {
      uint32_t same = 0;
      for (unsigned other = 0; other < 32; ++other)
        if (test(members, other) && ((lanes[other].sources[0] ^ c.raw(0)) & mask) == 0) same |= 1u << other;
      bool all = in.mods.mode == Mode::MatchAll;
      c.set(0, !all || same == members ? same : 0, Type::B32);
      if (in.dst.size() > 1) c.set(1, same == members, Type::Pred);
    } else {
      switch (in.mods.mode) {
        case Mode::VoteBallot:
          c.set(0, yes, Type::B32);
          break;
        case Mode::VoteAll:
          c.set(0, yes == members, Type::Pred);
          break;
        case Mode::VoteAny:
          c.set(0, yes != 0, Type::Pred);
          break;
        default:
          c.set(0, yes == members || yes == 0, Type::Pred);
      }
    }
  }
  return true;
}

}  // namespace drywarp::reference
