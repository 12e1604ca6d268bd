// 16-bit floating point for atomics: one operation, rounded once.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "language/ir/kernel.h"

namespace drywarp::exec {

inline float f16_to_float(uint16_t h) { return static_cast<float>(std::bit_cast<_Float16>(h)); }
inline uint16_t float_to_f16(float f) { return std::bit_cast<uint16_t>(static_cast<_Float16>(f)); }
inline float bf16_to_float(uint16_t h) { return std::bit_cast<float>(uint32_t{h} << 16); }
inline uint16_t float_to_bf16(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  if (std::isnan(f)) return 0x7fff;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float half_operation(ir::AtomOp op, float old, float a) {
  switch (op) {
    case ir::AtomOp::Add:
      return old + a;
    case ir::AtomOp::Min:
      return std::fmin(old, a);
    case ir::AtomOp::Max:
      return std::fmax(old, a);
    default:
      return a;
  }
}
inline uint16_t f16_atomic(ir::AtomOp op, uint16_t old, uint16_t a) {
  return op == ir::AtomOp::Exch ? a : float_to_f16(half_operation(op, f16_to_float(old), f16_to_float(a)));
}
inline uint16_t bf16_atomic(ir::AtomOp op, uint16_t old, uint16_t a) {
  return op == ir::AtomOp::Exch ? a : float_to_bf16(half_operation(op, bf16_to_float(old), bf16_to_float(a)));
}

}  // namespace drywarp::exec
