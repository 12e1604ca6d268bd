#include "engine/exec/matrix/multiply.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

#include "base/access/lanes.h"
#include "engine/exec/matrix/double_sums.h"
#include "engine/exec/matrix/fragment_moves.h"
#include "engine/exec/matrix/real_sums.h"
#include "engine/exec/matrix/small_floats.h"
#include "engine/exec/matrix/whole_sums.h"
#include "language/ir/matrix_shapes.h"

namespace drywarp::exec {
namespace {

using ir::MatrixFragment;
using ir::MatrixInputs;
using ir::Type;

// A fragment's registers.
struct Registers {
  const uint8_t* first;
  const MatrixFragment& fragment;

  // The bits of element `index` of a lane.
  [[nodiscard]] uint64_t element(unsigned lane, unsigned index) const {
    if (fragment.bits == 64) {
      uint64_t value = 0;
      std::memcpy(&value, first + (size_t{index} * kWarpSize + lane) * 8, 8);
      return value;
    }
    const unsigned each = 32 / fragment.bits;
    uint32_t word = 0;
    std::memcpy(&word, first + (size_t{index / each} * kWarpSize + lane) * 4, 4);
    if (each == 1) return word;
    return word >> index % each * fragment.bits & ((1u << fragment.bits) - 1);
  }
};

void set_element(uint8_t* first, const MatrixFragment& f, unsigned lane, unsigned index, uint64_t value) {
  const unsigned bytes = f.bits / 8, each = std::max(1u, 32 / f.bits);
  std::memcpy(first + (size_t{index / each} * kWarpSize + lane) * (bytes * each) + size_t{index % each} * bytes, &value,
              bytes);
}

// Calls visit(lane, index, line, position) for each element of a fragment. Of quad pairs: the lines of each product
// follow those of the one before.
template <class Visit>
void for_elements(const MatrixFragment& f, Visit visit) {
  for (unsigned index = 0; index < f.elements(); ++index)
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const ir::MatrixPlace at = ir::matrix_place(f, lane, index);
      visit(lane, index, at.line, at.position);
    }
}

struct Product {
  const ir::Instruction& in;
  const ir::MmaShape& shape;
  ir::MatrixFragments fragments;
  Registers a, b, c;
  const uint8_t* metadata;  // of a sparse a
  uint8_t* d;

  [[nodiscard]] bool quad_pairs() const { return ir::is_quad_pair(shape); }
  // The line of b that belongs to an element of a.
  [[nodiscard]] unsigned along_k(unsigned line, unsigned stored) const {
    if (!shape.sparse) return stored;
    return ir::sparse_position(shape, static_cast<unsigned>(in.src.back().bits), line, stored, [&](unsigned lane) {
      uint32_t word = 0;
      std::memcpy(&word, metadata + size_t{lane} * 4, 4);
      return word;
    });
  }

  template <class Visit>
  void for_a(Visit visit) const {
    if (!quad_pairs()) return for_elements(fragments.a, visit);
    for_pairs(
        fragments.a, [&](unsigned lane, unsigned i) { return ir::quad_pair_input(lane, i, !in.mods.matrix.a_column); },
        visit);
  }
  template <class Visit>
  void for_b(Visit visit) const {
    if (!quad_pairs()) return for_elements(fragments.b, visit);
    for_pairs(
        fragments.b, [&](unsigned lane, unsigned i) { return ir::quad_pair_input(lane, i, in.mods.matrix.b_column); },
        visit);
  }
  template <class Visit>
  void for_c(Visit visit) const {
    if (!quad_pairs()) return for_elements(fragments.c, visit);
    for_pairs(fragments.c, [&](unsigned lane, unsigned i) { return ir::quad_pair_result(lane, i, in.type); }, visit);
  }

 private:
  template <class Where, class Visit>
  static void for_pairs(const MatrixFragment& f, Where where, Visit visit) {
    for (unsigned index = 0; index < f.elements(); ++index)
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const ir::MatrixPlace at = where(lane, index);
        visit(lane, index, ir::quad_pair(lane) * 8 + at.line, at.position);
      }
  }
};

// The most lines of any shape.
constexpr unsigned kLines = 32;

// ---- whole numbers

int64_t whole(uint64_t bits, unsigned width, bool is_signed) {
  const auto value = static_cast<int64_t>(bits);
  return is_signed && (bits >> (width - 1) & 1) != 0 ? value - (int64_t{1} << width) : value;
}

// Of 8 or 4 bits.
void multiply_whole(const Product& p) {
  WholeProduct w;
  w.k = p.shape.k, w.columns = p.shape.n, w.bits = p.fragments.a.bits;
  w.a_signed = ir::is_signed(p.in.type2), w.b_signed = ir::is_signed(p.in.type3);
  for (FragmentColumn& column : w.a) std::fill(column + 8, column + kFragmentRows, 0);
  read_columns(p.fragments.a, p.a.first, w.a);
  read_lines(p.fragments.b, p.b.first, w.b[0], kMostWholeFactors);
  alignas(64) int32_t products[8][kFragmentRows];
  alignas(64) FragmentColumn sums[8];
  whole_products(w, products);
  read_columns(p.fragments.c, p.c.first, sums);
  for (unsigned column = 0; column < p.shape.n; ++column)
    for (unsigned row = 0; row < p.shape.m; ++row) {
      const int64_t sum = int64_t{static_cast<int32_t>(sums[column][row])} + products[column][row];
      sums[column][row] = static_cast<uint32_t>(p.in.mods.sat ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
    }
  write_columns(p.fragments.c, sums, p.d);
}

// The same with a sparse a.
void multiply_sparse_whole(const Product& p) {
  constexpr unsigned kLongest = 128;
  alignas(64) int16_t a[16][kLongest], b[8][kLongest];
  uint8_t places[16][kLongest / 2];
  const unsigned bits = p.fragments.a.bits, k = p.shape.stored_k();
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned at = 0; at < k; ++at) places[row][at] = static_cast<uint8_t>(p.along_k(row, at));
  p.for_a([&](unsigned lane, unsigned i, unsigned line, unsigned at) {
    a[line][at] = static_cast<int16_t>(whole(p.a.element(lane, i), bits, ir::is_signed(p.in.type2)));
  });
  p.for_b([&](unsigned lane, unsigned i, unsigned line, unsigned at) {
    b[line][at] = static_cast<int16_t>(whole(p.b.element(lane, i), bits, ir::is_signed(p.in.type3)));
  });
  p.for_c([&](unsigned lane, unsigned i, unsigned row, unsigned column) {
    int32_t products = 0;
    for (unsigned at = 0; at < k; ++at) products += int32_t{a[row][at]} * b[column][places[row][at]];
    int64_t sum = int64_t{static_cast<int32_t>(p.c.element(lane, i))} + products;
    if (p.in.mods.sat) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    set_element(p.d, p.fragments.c, lane, i, static_cast<uint32_t>(sum));
  });
}

void multiply_bits(const Product& p) {
  uint32_t a[16][8], b[8][8];
  const unsigned words = p.shape.k / 32;
  const auto read = [](const Registers& from, auto& to) {
    MatrixFragment by_words = from.fragment;
    by_words.bits = 32, by_words.word = 1, by_words.length /= 32;
    const Registers whole{from.first, by_words};
    for_elements(by_words, [&](unsigned lane, unsigned i, unsigned line, unsigned at) {
      to[line][at] = static_cast<uint32_t>(whole.element(lane, i));
    });
  };
  read(p.a, a), read(p.b, b);
  const bool both = p.in.mods.matrix.bits == ir::BoolOp::And;
  p.for_c([&](unsigned lane, unsigned i, unsigned row, unsigned column) {
    auto sum = static_cast<uint32_t>(p.c.element(lane, i));
    for (unsigned w = 0; w < words; ++w)
      sum += static_cast<uint32_t>(std::popcount(both ? a[row][w] & b[column][w] : a[row][w] ^ b[column][w]));
    set_element(p.d, p.fragments.c, lane, i, sum);
  });
}

// ---- f64

void multiply_double(const Product& p) {
  DoubleProduct d;
  d.rows = p.shape.m, d.k = p.shape.k;
  read_columns(p.fragments.a, p.a.first, d.a);
  read_lines(p.fragments.b, p.b.first, d.b[0], kMostDoubleFactors);
  read_columns(p.fragments.c, p.c.first, d.c);
  add_products(d);
  write_columns(p.fragments.c, d.c, p.d);
}

// ---- a sparse a, and 8-bit floating-point numbers

// d = c + products, as Hopper computes those of 8 bits: as halves, first the lower half of each register, from zero;
// then c is added with one more rounding.
uint32_t added_to(uint32_t c, uint32_t products, bool halves) {
  if (halves) return half_bits(single(c) + single(products));
  return single_bits(std::bit_cast<float>(c) + std::bit_cast<float>(products));
}

// A row of a at once, since each has its own lines of b: the lanes of the sums are the columns.
void multiply_rows(const Product& p, const MatrixArithmetic& arithmetic) {
  constexpr unsigned kLongest = 64, kColumns = 8;
  const bool float8 = p.shape.inputs == MatrixInputs::Float8, half_sums = p.in.type == Type::F16;
  uint32_t a[16][kLongest / 2], b[kColumns][kLongest], c[16][kColumns];
  p.for_a([&](unsigned lane, unsigned i, unsigned line, unsigned at) {
    const auto bits = static_cast<uint32_t>(p.a.element(lane, i));
    a[line][at] = float8 ? half_of_float8(bits, p.in.type2) : bits;
  });
  p.for_b([&](unsigned lane, unsigned i, unsigned line, unsigned at) {
    const auto bits = static_cast<uint32_t>(p.b.element(lane, i));
    b[line][at] = float8 ? half_of_float8(bits, p.in.type3) : bits;
  });
  p.for_c([&](unsigned lane, unsigned i, unsigned row, unsigned column) {
    c[row][column] = static_cast<uint32_t>(p.c.element(lane, i));
  });
  const unsigned k = p.shape.stored_k(), parts = float8 ? 2 : 1;
  RealProduct r;
  r.inputs = float8 ? MatrixInputs::Half : p.shape.inputs;
  r.half_sums = half_sums;
  r.columns = 1, r.rows = kColumns;
  r.k = k / parts;
  r.step = std::min<unsigned>(r.k, arithmetic.step_bytes * 8 / (float8 ? 16 : p.fragments.a.bits));
  r.fraction_bits = arithmetic.fraction_bits;
  for (unsigned row = 0; row < p.shape.m; ++row) {
    for (unsigned v = 0; v < kSumLanes; ++v) r.c[0][v] = float8 ? 0 : c[row][v % kColumns];
    for (unsigned part = 0; part < parts; ++part) {
      for (unsigned i = 0; i < r.k; ++i) {
        const unsigned stored = parts == 1 ? i : i / 2 * 4 + part * 2 + i % 2, line = p.along_k(row, stored);
        r.b[0][i] = a[row][stored];
        for (unsigned v = 0; v < kSumLanes; ++v) r.a[i][v] = b[v % kColumns][line];
      }
      add_products(r);
    }
    for (unsigned v = 0; v < kColumns; ++v) c[row][v] = float8 ? added_to(c[row][v], r.c[0][v], half_sums) : r.c[0][v];
  }
  p.for_c([&](unsigned lane, unsigned i, unsigned row, unsigned column) {
    set_element(p.d, p.fragments.c, lane, i, c[row][column]);
  });
}

// ---- other floating-point numbers

RealProduct real_product(const Product& p, const MatrixArithmetic& arithmetic) {
  RealProduct r;
  r.inputs = p.shape.inputs;
  r.half_sums = p.in.type == Type::F16;
  r.k = p.shape.k;
  r.step = std::min<unsigned>(r.k, arithmetic.step_bytes * 8 / p.fragments.a.bits);
  r.fraction_bits = arithmetic.fraction_bits;
  r.columns = p.shape.n, r.rows = p.shape.m;
  return r;
}

void multiply_real(const Product& p, const MatrixArithmetic& arithmetic) {
  RealProduct r = real_product(p, arithmetic);
  read_columns(p.fragments.a, p.a.first, r.a);
  read_lines(p.fragments.b, p.b.first, r.b[0], std::size(r.b[0]));
  read_columns(p.fragments.c, p.c.first, r.c);
  add_products(r);
  write_columns(p.fragments.c, r.c, p.d);
}

// The m8n8k4 of halves on tensor cores: four products of 8 rows.
void multiply_real_quad_pairs(const Product& p, const MatrixArithmetic& arithmetic) {
  RealProduct r = real_product(p, arithmetic);
  const unsigned rows = p.shape.m, columns = p.shape.n;
  uint32_t a[kLines][4], b[kLines][4], c[kLines][8];
  p.for_a([&](unsigned lane, unsigned i, unsigned line, unsigned at) {
    a[line][at] = static_cast<uint32_t>(p.a.element(lane, i));
  });
  p.for_b([&](unsigned lane, unsigned i, unsigned line, unsigned at) {
    b[line][at] = static_cast<uint32_t>(p.b.element(lane, i));
  });
  p.for_c([&](unsigned lane, unsigned i, unsigned row, unsigned column) {
    c[row][column] = static_cast<uint32_t>(p.c.element(lane, i));
  });
  // A register of lanes holds the 8 rows of a column, twice.
  for (unsigned first = 0; first < 4 * rows; first += rows) {
    for (unsigned at = 0; at < r.k; ++at) {
      for (unsigned v = 0; v < kSumLanes; ++v) r.a[at][v] = a[first + v % rows][at];
      for (unsigned column = 0; column < columns; ++column) r.b[column][at] = b[first + column][at];
    }
    for (unsigned column = 0; column < columns; ++column)
      for (unsigned v = 0; v < kSumLanes; ++v) r.c[column][v] = c[first + v % rows][column];
    add_products(r);
    for (unsigned column = 0; column < columns; ++column)
      for (unsigned row = 0; row < rows; ++row) c[first + row][column] = r.c[column][row];
  }
  p.for_c([&](unsigned lane, unsigned i, unsigned row, unsigned column) {
    set_element(p.d, p.fragments.c, lane, i, c[row][column]);
  });
}

// ---- the m8n8k4 of halves in single precision

void multiply_quad_pairs(const Product& p) {
  float a[kLines][4], b[kLines][4];
  p.for_a([&](unsigned lane, unsigned i, unsigned line, unsigned at) { a[line][at] = single(p.a.element(lane, i)); });
  p.for_b([&](unsigned lane, unsigned i, unsigned line, unsigned at) { b[line][at] = single(p.b.element(lane, i)); });
  p.for_c([&](unsigned lane, unsigned i, unsigned row, unsigned column) {
    const float *x = a[row], *y = b[row / 8 * 8 + column];
    const uint64_t c = p.c.element(lane, i);
    if (p.in.type == Type::F16) {
      const float first = std::fma(x[1], y[1], x[0] * y[0]), second = std::fma(x[3], y[3], x[2] * y[2]);
      return set_element(p.d, p.fragments.c, lane, i, half_bits(single(c) + first + second));
    }
    float sum = 0;
    for (unsigned k = 0; k < 4; ++k) sum = std::fma(x[k], y[k], sum);
    set_element(p.d, p.fragments.c, lane, i, single_bits(std::bit_cast<float>(static_cast<uint32_t>(c)) + sum));
  });
}

}  // namespace

void multiply_matrices(const ir::Instruction& in, const MatrixArithmetic& arithmetic, const void* operands, void* out) {
  const ir::MmaShape& shape = *ir::mma_shape(in);
  const ir::MatrixFragments all = ir::fragments(shape, in.mods.matrix.c_type);
  const auto* first = static_cast<const uint8_t*>(operands);
  const auto bytes = [](const MatrixFragment& f) { return size_t{f.registers()} * kWarpSize * (f.bits == 64 ? 8 : 4); };
  const uint8_t *b = first + bytes(all.a), *c = b + bytes(all.b);
  const Product p{in, shape, all, {first, all.a}, {b, all.b}, {c, all.c}, c + bytes(all.c), static_cast<uint8_t*>(out)};
  switch (shape.inputs) {
    case MatrixInputs::Double:
      return multiply_double(p);
    case MatrixInputs::Byte:
    case MatrixInputs::Nibble:
      return shape.sparse ? multiply_sparse_whole(p) : multiply_whole(p);
    case MatrixInputs::Bit:
      return multiply_bits(p);
    case MatrixInputs::Float8:
      return multiply_rows(p, arithmetic);
    default:
      if (shape.sparse) return multiply_rows(p, arithmetic);
      if (!p.quad_pairs()) return multiply_real(p, arithmetic);
      return arithmetic.quad_pairs ? multiply_real_quad_pairs(p, arithmetic) : multiply_quad_pairs(p);
  }
}

}  // namespace drywarp::exec
