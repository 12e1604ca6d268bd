#include "engine/exec/matrix/group_multiply.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/exec/matrix/fragment_moves.h"
#include "engine/exec/matrix/real_sums.h"
#include "engine/exec/matrix/small_floats.h"
#include "engine/exec/matrix/whole_sums.h"

namespace drywarp::exec {
namespace {

using ir::MatrixInputs;

constexpr unsigned kColumns = 8;  // of d, that are computed at once
constexpr unsigned kMostColumns = 256;
constexpr unsigned kMostK = 32;  // but of bits

uint32_t element(const uint8_t* line, unsigned index, unsigned bits) {
  uint32_t value = 0;
  std::memcpy(&value, line + size_t{index} * bits / 8, bits / 8);
  return value;
}

// a by columns, as the bits of its format.
void read_a(const ir::GroupProduct& p, const GroupFactors& f, FragmentColumn* a) {
  if (f.a_registers) return read_columns(p.fragments.a, f.a_registers, a);
  for (unsigned line = 0; line < ir::kLinesOfWarp; ++line)
    for (unsigned k = 0; k < p.k; ++k) a[k][line] = element(f.a[line], k, p.fragments.a.bits);
}

void multiply_real(const ir::Instruction& in, const ir::GroupProduct& p, const MatrixArithmetic& arithmetic,
                   const GroupFactors& f, FragmentColumn* sums) {
  const bool float8 = p.inputs == MatrixInputs::Float8;
  const unsigned bits = p.fragments.a.bits;
  RealProduct r;
  r.inputs = float8 ? MatrixInputs::Half : p.inputs;
  r.half_sums = in.type == ir::Type::F16;
  r.rows = ir::kLinesOfWarp, r.columns = kColumns, r.k = p.k;
  r.step = std::min<unsigned>(p.k, arithmetic.step_bytes * 8 / bits);
  r.fraction_bits = float8 ? arithmetic.group_float8_bits : arithmetic.fraction_bits;
  if (float8) {
    const auto least = [](ir::Type type) { return type == ir::Type::E4M3 ? -6 : -14; };
    r.least_a = least(in.type2), r.least_b = least(in.type3);
    r.sum_bits = arithmetic.group_float8_bits;
  }
  const auto factor = [&](uint32_t value, ir::Type type, bool negate) {
    const uint32_t sign = negate ? 1u << ((float8 ? 16 : bits) - 1) : 0;
    return (float8 ? half_of_float8(value, type) : value) ^ sign;
  };
  read_a(p, f, r.a);
  for (unsigned k = 0; k < p.k; ++k)
    for (uint32_t& value : r.a[k]) value = factor(value, in.type2, p.negate_a);
  for (unsigned first = 0; first < p.n; first += kColumns) {
    for (unsigned n = 0; n < kColumns; ++n)
      for (unsigned k = 0; k < p.k; ++k) r.b[n][k] = factor(element(f.b[first + n], k, bits), in.type3, p.negate_b);
    std::memcpy(r.c, sums[first], sizeof r.c);
    add_products(r);
    std::memcpy(sums[first], r.c, sizeof r.c);
  }
}

uint32_t whole_sum(uint32_t sum, int32_t product, bool saturates) {
  const int64_t exact = int64_t{static_cast<int32_t>(sum)} + product;
  return static_cast<uint32_t>(saturates ? std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX) : exact);
}

void multiply_bytes(const ir::Instruction& in, const ir::GroupProduct& p, const GroupFactors& f, FragmentColumn* sums) {
  WholeProduct w;
  w.k = p.k, w.columns = kColumns, w.bits = 8;
  w.a_signed = ir::is_signed(in.type2), w.b_signed = ir::is_signed(in.type3);
  read_a(p, f, w.a);
  alignas(64) int32_t products[kColumns][kFragmentRows];
  for (unsigned first = 0; first < p.n; first += kColumns) {
    for (unsigned n = 0; n < kColumns; ++n)
      for (unsigned k = 0; k < p.k; ++k) w.b[n][k] = f.b[first + n][k];
    whole_products(w, products);
    for (unsigned n = 0; n < kColumns; ++n)
      for (unsigned row = 0; row < ir::kLinesOfWarp; ++row)
        sums[first + n][row] = whole_sum(sums[first + n][row], products[n][row], in.mods.sat);
  }
}

void multiply_bits(const ir::GroupProduct& p, const GroupFactors& f, FragmentColumn* sums) {
  constexpr unsigned kWords = kLineBytesOfGroup / 4;
  uint32_t a[ir::kLinesOfWarp][kWords], b[kWords];
  if (f.a_registers) {
    alignas(64) FragmentColumn columns[kWords];
    ir::MatrixFragment by_words = p.fragments.a;
    by_words.bits = 32, by_words.word = 1, by_words.length = kWords;
    read_columns(by_words, f.a_registers, columns);
    for (unsigned row = 0; row < ir::kLinesOfWarp; ++row)
      for (unsigned w = 0; w < kWords; ++w) a[row][w] = columns[w][row];
  } else {
    std::memcpy(a, f.a, sizeof a);
  }
  for (unsigned n = 0; n < p.n; ++n) {
    std::memcpy(b, f.b[n], sizeof b);
    for (unsigned row = 0; row < ir::kLinesOfWarp; ++row)
      for (unsigned w = 0; w < kWords; ++w) sums[n][row] += static_cast<uint32_t>(std::popcount(a[row][w] & b[w]));
  }
}

}  // namespace

void multiply_group(const ir::Instruction& in, const ir::GroupProduct& p, const MatrixArithmetic& arithmetic,
                    const GroupFactors& factors, bool adds, uint32_t* registers) {
  static_assert(kMostK <= kMostFactors);
  alignas(64) FragmentColumn sums[kMostColumns];
  if (adds)
    read_columns(p.fragments.c, registers, sums);
  else
    std::memset(sums, 0, sizeof sums);
  switch (p.inputs) {
    case MatrixInputs::Byte:
      multiply_bytes(in, p, factors, sums);
      break;
    case MatrixInputs::Bit:
      multiply_bits(p, factors, sums);
      break;
    default:
      multiply_real(in, p, arithmetic, factors, sums);
      break;
  }
  write_columns(p.fragments.c, sums, registers);
}

}  // namespace drywarp::exec
