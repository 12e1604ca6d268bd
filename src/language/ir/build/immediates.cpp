#include "language/ir/build/immediates.h"

#include <bit>
#include <cmath>

namespace drywarp::ir {
namespace {

// Rounds a double once to a format of 16 bits with `exponent_bits` exponent bits.
uint16_t narrow(double value, int exponent_bits) {
  const int mantissa_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const uint16_t infinity = uint16_t(((1 << exponent_bits) - 1) << mantissa_bits);
  if (std::isnan(value)) return 0x7fff;  // PTX's canonical NaN
  if (std::isinf(value)) return sign | infinity;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  int exponent = std::ilogb(magnitude);
  if (exponent < 1 - bias) exponent = 1 - bias;                                           // subnormal
  const double scaled = std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent));  // exact up to the rounding
  // scaled is in [0, 2^(mantissa_bits+1)]: a carry out of the mantissa moves into the exponent by itself.
  const double bits = scaled + std::ldexp(double(exponent + bias - 1), mantissa_bits);
  return sign | (bits >= infinity ? infinity : uint16_t(bits));
}

double as_double(const ptx::Operand& value) {
  if (value.kind == ptx::OperandKind::Float64) return std::bit_cast<double>(value.bits);
  return std::bit_cast<float>(uint32_t(value.bits));
}

uint64_t truncate(uint64_t value, unsigned width) {
  return width == 0 || width >= 64 ? value : value & ((uint64_t{1} << width) - 1);
}

}  // namespace

uint16_t half_bits(double value) { return narrow(value, 5); }
uint16_t bfloat_bits(double value) { return narrow(value, 8); }

uint64_t immediate_bits(const ptx::Operand& value, Type type) {
  const unsigned width = bits(type);
  if (value.kind == ptx::OperandKind::Integer) {
    if (type == Type::Pred) return value.bits != 0 ? 1 : 0;
    const double number = value.is_unsigned ? double(value.bits) : double(int64_t(value.bits));
    if (type == Type::F32 || type == Type::TF32) return std::bit_cast<uint32_t>(float(number));
    if (type == Type::F64) return std::bit_cast<uint64_t>(number);
    return truncate(value.bits, width);
  }
  const bool single = value.kind == ptx::OperandKind::Float32;
  if (width == 64 || width == 128) return single ? std::bit_cast<uint64_t>(as_double(value)) : value.bits;
  if (width == 32 || width == 0) return single ? value.bits : std::bit_cast<uint32_t>(float(as_double(value)));
  if (width == 16) return type == Type::BF16 ? bfloat_bits(as_double(value)) : half_bits(as_double(value));
  return value.bits != 0 ? 1 : 0;
}

}  // namespace drywarp::ir
