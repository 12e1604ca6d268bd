// Between the files of the reference interpreter.
#pragma once

#include "interpreter.h"
#include "number.h"

namespace drywarp::reference {

using I128 = __int128;

inline I128 extend(uint64_t bits, unsigned width, bool is_signed) {
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  if (is_signed && (bits >> (width - 1)) & 1) return static_cast<I128>(bits) - (I128{1} << width);
  return static_cast<I128>(bits);
}

inline bool combined(bool p, bool q, ir::BoolOp how) {
  switch (how) {
    case ir::BoolOp::And:
      return p && q;
    case ir::BoolOp::Or:
      return p || q;
    case ir::BoolOp::Xor:
      return p != q;
    default:
      return p;
  }
}

struct Call {
  const ir::Instruction& in;
  State& state;

  [[nodiscard]] uint64_t raw(unsigned i) const { return state.sources[i]; }
  [[nodiscard]] bool predicate(unsigned i) const { return (raw(i) & 1) != (in.src[i].negate ? 1u : 0u); }
  // A predicate operand with its negation, anything else as it is.
  [[nodiscard]] uint64_t source(unsigned i) const { return in.type == ir::Type::Pred ? predicate(i) : raw(i); }
  [[nodiscard]] I128 value(unsigned i, ir::Type t) const { return extend(raw(i), ir::bits(t), ir::is_signed(t)); }
  // Cut to the type's width; extension into a wider register is the caller's.
  void set(unsigned i, uint64_t bits, ir::Type t) {
    if (ir::bits(t) < 64) bits &= (uint64_t{1} << ir::bits(t)) - 1;
    if (state.results.size() <= i) state.results.resize(i + 1);
    state.results[i] =
        ir::is_signed(t) && ir::bits(t) < 32 ? static_cast<uint64_t>(extend(bits, ir::bits(t), true)) : bits;
  }
};

bool execute_integer(Call& c);
bool execute_float(Call& c);
bool execute_compare(Call& c);
bool execute_convert(Call& c);
bool execute_video(Call& c);

inline bool compare_order(int order, ir::Compare how) {  // -1, 0, 1; 2: unordered
  using C = ir::Compare;
  bool unordered = order == 2;
  switch (how) {
    case C::Eq:
      return order == 0;
    case C::Ne:
      return !unordered && order != 0;
    case C::Lt:
    case C::Lo:
      return order == -1;
    case C::Le:
    case C::Ls:
      return order == -1 || order == 0;
    case C::Gt:
    case C::Hi:
      return order == 1;
    case C::Ge:
    case C::Hs:
      return order == 1 || order == 0;
    case C::Equ:
      return unordered || order == 0;
    case C::Neu:
      return unordered || order != 0;
    case C::Ltu:
      return unordered || order == -1;
    case C::Leu:
      return unordered || order != 1;
    case C::Gtu:
      return unordered || order == 1;
    case C::Geu:
      return unordered || order != -1;
    case C::Num:
      return !unordered;
    default:
      return unordered;
  }
}

}  // namespace drywarp::reference
