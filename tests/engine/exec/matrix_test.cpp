// Matrix instructions: products against a scalar oracle in whole numbers, rows of shared memory against formulas.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "engine/exec/matrix/multiply.h"
#include "language/ir/matrix_shapes.h"
#include "machine.h"

namespace drywarp::exec {
namespace {

using ir::MatrixFragment;
using ir::Type;

// ---- products

// A floating-point format. Whole numbers of `significand` times 2^`lowest`, with the exponent that alignment looks at.
struct NumberFormat {
  unsigned exponent_bits, mantissa_bits, unused_bits;
};
constexpr NumberFormat kHalf{5, 10, 0}, kBfloat{8, 7, 0}, kTf32{8, 10, 13}, kSingle{8, 23, 0};

struct SumTerm {
  int64_t significand = 0;
  int lowest = 0, exponent = 0;
  bool nan = false, infinite = false, negative = false;
};
SumTerm decoded_term(uint32_t bits, const NumberFormat& f) {
  bits >>= f.unused_bits;
  const int bias = (1 << (f.exponent_bits - 1)) - 1, field = static_cast<int>(bits >> f.mantissa_bits) & (2 * bias + 1);
  const int64_t mantissa = bits & ((1u << f.mantissa_bits) - 1);
  SumTerm t;
  t.negative = (bits >> (f.exponent_bits + f.mantissa_bits) & 1) != 0;
  t.nan = field == 2 * bias + 1 && mantissa != 0;
  t.infinite = field == 2 * bias + 1 && mantissa == 0;
  t.exponent = std::max(field, 1) - bias;
  t.lowest = t.exponent - static_cast<int>(f.mantissa_bits);
  t.significand = (field == 0 ? 0 : int64_t{1} << f.mantissa_bits) + mantissa;
  if (t.negative) t.significand = -t.significand;
  return t;
}
SumTerm product_term(const SumTerm& a, const SumTerm& b) {
  SumTerm t;
  const bool zero = a.significand == 0 || b.significand == 0;
  t.negative = a.negative != b.negative;
  t.nan = a.nan || b.nan || ((a.infinite || b.infinite) && zero);
  t.infinite = !t.nan && (a.infinite || b.infinite);
  t.significand = a.significand * b.significand;
  t.lowest = a.lowest + b.lowest;
  t.exponent = a.exponent + b.exponent;
  return t;
}

uint32_t rounded_sum(int64_t sum, int lowest, const NumberFormat& f, bool to_nearest) {
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  uint64_t magnitude = static_cast<uint64_t>(sum < 0 ? -sum : sum);
  if (magnitude == 0) return 0;
  const int top = 63 - std::countl_zero(magnitude) + lowest;
  const int last = std::max(top, 1 - bias) - static_cast<int>(f.mantissa_bits), dropped = last - lowest;
  if (dropped > 0) {
    const uint64_t kept = dropped > 62 ? 0 : magnitude >> dropped,
                   rest = magnitude - (dropped > 62 ? 0 : kept << dropped);
    const uint64_t half = dropped > 62 ? ~uint64_t{0} : uint64_t{1} << (dropped - 1);
    magnitude = kept + (to_nearest && (rest > half || (rest == half && (kept & 1) != 0)) ? 1 : 0);
  } else {
    magnitude <<= -dropped;
  }
  // The hidden bit adds one to the exponent field, as does a carry.
  const uint64_t field = static_cast<uint64_t>(std::max(top, 1 - bias) + bias - 1);
  const uint64_t infinity = static_cast<uint64_t>(2 * bias + 1) << f.mantissa_bits;
  const uint64_t bits = std::min(magnitude + (field << f.mantissa_bits), infinity);
  if (bits == 0 && to_nearest) return 0;
  return static_cast<uint32_t>(bits | (sum < 0 ? uint64_t{1} << (f.exponent_bits + f.mantissa_bits) : 0));
}

// d = c + the products, as multiply.h says.
uint32_t summed(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, uint32_t c, const NumberFormat& in,
                const NumberFormat& out, const MatrixArithmetic& how, unsigned element_bits) {
  const size_t step = std::min<size_t>(a.size(), how.step_bytes * 8 / element_bits);
  for (size_t first = 0; first < a.size(); first += step) {
    std::vector<SumTerm> terms{decoded_term(c, out)};
    for (size_t k = first; k < first + step; ++k)
      terms.push_back(product_term(decoded_term(a[k], in), decoded_term(b[k], in)));
    bool nan = false, up = false, down = false;
    int largest = INT32_MIN;
    for (const SumTerm& t : terms) {
      nan |= t.nan;
      (t.negative ? down : up) |= t.infinite;
      if (t.significand != 0) largest = std::max(largest, t.exponent);
    }
    const uint32_t infinity = ((1u << out.exponent_bits) - 1) << out.mantissa_bits;
    const uint32_t sign = 1u << (out.exponent_bits + out.mantissa_bits);
    if (nan || (up && down)) {
      c = sign - 1;
    } else if (up || down) {
      c = infinity | (down ? sign : 0);
    } else {
      int64_t sum = 0;
      const int lowest = largest - static_cast<int>(how.fraction_bits);
      for (const SumTerm& t : terms) {
        if (t.significand == 0) continue;
        const int dropped = lowest - t.lowest;
        const int64_t magnitude = t.significand < 0 ? -t.significand : t.significand;
        const int64_t kept = dropped > 62 ? 0 : dropped > 0 ? magnitude >> dropped : magnitude << -dropped;
        sum += t.significand < 0 ? -kept : kept;
      }
      c = largest == INT32_MIN ? 0 : rounded_sum(sum, lowest, out, out.mantissa_bits == 10);
    }
  }
  return c;
}

ir::Instruction parsed_form(const std::string& form, const std::string& operands) {
  auto module = ir::parse_module(
      kHead + ".entry k() {\n.reg .b32 %r<20>; .reg .f32 %f<20>;\n" + form + " " + operands + ";\nret;\n}\n", "t.ptx");
  EXPECT_TRUE(module.ok()) << module.problem().to_string();
  return module->functions[0].instructions[0];
}

class RandomNumbers {
 public:
  // Exponents near the middle, so that sums do not drown; now and then anything.
  uint32_t next(const NumberFormat& f) {
    const auto any = static_cast<uint32_t>(random_());
    if (random_() % 16 == 0) return any;
    if (random_() % 8 == 0) return 0;
    const uint32_t bias = (1u << (f.exponent_bits - 1)) - 1, spread = random_() % 2 == 0 ? 3 : 14;
    const uint32_t field = bias - spread + static_cast<uint32_t>(random_() % (2 * spread + 1));
    const uint32_t bits = (any & 1) << (f.exponent_bits + f.mantissa_bits) | field << f.mantissa_bits |
                          (any >> 1 & ((1u << f.mantissa_bits) - 1));
    return bits << f.unused_bits;
  }
  uint32_t pair(const NumberFormat& f) {
    const uint32_t low = next(f) & 0xffff;
    return low | next(f) << 16;
  }
  uint32_t word(const NumberFormat& f) { return f.exponent_bits + f.mantissa_bits == 15 ? pair(f) : next(f); }

 private:
  std::mt19937_64 random_{11};
};

struct ProductCase {
  const char *form, *operands;
  NumberFormat in, out;
};
const ProductCase kProductCases[] = {
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "{%f0,%f1,%f2,%f3},{%r0,%r1},{%r2},{%f4,%f5,%f6,%f7}", kHalf,
     kSingle},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
     "{%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f4,%f5,%f6,%f7}", kHalf, kSingle},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "{%r10,%r11},{%r0,%r1,%r2,%r3},{%r4,%r5},{%r6,%r7}", kHalf,
     kHalf},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
     "{%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f4,%f5,%f6,%f7}", kBfloat, kSingle},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "{%f0,%f1,%f2,%f3},{%r0,%r1},{%r2},{%f4,%f5,%f6,%f7}", kTf32,
     kSingle},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
     "{%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f4,%f5,%f6,%f7}", kTf32, kSingle},
};

// Of Hopper, Ampere and Turing.
TEST(Matrix, ProductsAgreeWithAScalarOracle) {
  RandomNumbers numbers;
  for (const ProductCase& c : kProductCases)
    for (const MatrixArithmetic how : {MatrixArithmetic{25, 32}, MatrixArithmetic{24, 16}, MatrixArithmetic{24, 8}}) {
      const ir::Instruction in = parsed_form(c.form, c.operands);
      ASSERT_TRUE(ir::runs(in)) << c.form;
      const ir::MatrixFragments all = ir::fragments(*ir::mma_shape(in), in.mods.matrix.c_type);
      const unsigned a_count = all.a.registers(), b_count = all.b.registers(), c_count = all.c.registers();
      for (unsigned round = 0; round < 12; ++round) {
        std::vector<uint32_t> registers((a_count + b_count + c_count) * 32), results(c_count * 32);
        for (size_t i = 0; i < registers.size(); ++i)
          registers[i] = numbers.word(i < size_t{a_count + b_count} * 32 ? c.in : c.out);
        multiply_matrices(in, how, registers.data(), results.data());
        const auto element = [](const uint32_t* from, const MatrixFragment& f, unsigned lane, unsigned index) {
          const unsigned each = 32 / f.bits;
          const uint32_t word = from[index / each * 32 + lane];
          return each == 1 ? word : word >> index % each * 16 & 0xffff;
        };
        const auto lines = [&](const uint32_t* from, const MatrixFragment& f) {
          std::vector<std::vector<uint32_t>> out(f.lines, std::vector<uint32_t>(f.length));
          for (unsigned lane = 0; lane < 32; ++lane)
            for (unsigned i = 0; i < f.elements(); ++i) {
              const ir::MatrixPlace at = ir::matrix_place(f, lane, i);
              out[at.line][at.position] = element(from, f, lane, i);
            }
          return out;
        };
        const auto a = lines(registers.data(), all.a), b = lines(registers.data() + a_count * 32, all.b);
        const auto before = lines(registers.data() + (a_count + b_count) * 32, all.c);
        const auto after = lines(results.data(), all.c);
        for (unsigned row = 0; row < all.c.lines; ++row)
          for (unsigned column = 0; column < all.c.length; ++column)
            ASSERT_EQ(after[row][column], summed(a[row], b[column], before[row][column], c.in, c.out, how, all.a.bits))
                << c.form << fmt::format(" row {} column {} with {} bits", row, column, how.fraction_bits);
      }
    }
}

// ---- 8-bit floating-point numbers and sparse products

double value_of(uint32_t bits, unsigned exponent_bits, unsigned mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto field = static_cast<int>(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
  const double mantissa = static_cast<double>(bits & ((1u << mantissa_bits) - 1));
  const double significand = field == 0 ? mantissa : mantissa + std::ldexp(1.0, static_cast<int>(mantissa_bits));
  const double magnitude = std::ldexp(significand, std::max(field, 1) - bias - static_cast<int>(mantissa_bits));
  return (bits >> (exponent_bits + mantissa_bits) & 1) != 0 ? -magnitude : magnitude;
}

// The half of the same value, found among all of them.
uint32_t find_same_half(uint32_t byte, Type type) {
  const bool wide = type == Type::E5M2;
  const uint32_t sign = byte >> 7 << 15, magnitude = byte & 0x7f;
  if (wide ? magnitude > 0x7c : magnitude == 0x7f) return 0x7fff;
  if (wide && magnitude == 0x7c) return sign | 0x7c00;
  const double value = wide ? value_of(magnitude, 5, 2) : value_of(magnitude, 4, 3);
  uint32_t half = 0;
  while (value_of(half, 5, 10) != value) ++half;
  return sign | half;
}

uint32_t same_half(uint32_t byte, Type type) {
  static const auto halves = [] {
    std::vector<uint32_t> found;
    for (const Type t : {Type::E4M3, Type::E5M2})
      for (uint32_t b = 0; b < 256; ++b) found.push_back(find_same_half(b, t));
    return found;
  }();
  return halves[byte + (type == Type::E5M2 ? 256 : 0)];
}

uint32_t sum_of_two(uint32_t a, uint32_t b, bool halves) {
  if (halves) {
    const auto sum =
        std::bit_cast<_Float16>(static_cast<uint16_t>(a)) + std::bit_cast<_Float16>(static_cast<uint16_t>(b));
    return sum != sum ? 0x7fff : std::bit_cast<uint16_t>(static_cast<_Float16>(sum));
  }
  const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
  return std::isnan(sum) ? 0x7fffffff : std::bit_cast<uint32_t>(sum);
}

struct RowsCase {
  const char *form, *operands;
  NumberFormat in, out;
};
constexpr NumberFormat kBytes{5, 2, 0};  // of any bits, e4m3 too
#define A2_B1_C4 "{%f0,%f1,%f2,%f3},{%r0,%r1},{%r4},{%f4,%f5,%f6,%f7}"
#define A4_B2_C4 "{%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f4,%f5,%f6,%f7}"
#define A4_B2_C2 "{%r10,%r11},{%r0,%r1,%r2,%r3},{%r4,%r5},{%r6,%r7}"
#define A2_B2_C4 "{%f0,%f1,%f2,%f3},{%r0,%r1},{%r4,%r5},{%f4,%f5,%f6,%f7},%r12,"
#define A4_B4_C4 "{%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5,%r6,%r7},{%f4,%f5,%f6,%f7},%r12,"
#define A4_B4_C2 "{%r10,%r11},{%r0,%r1,%r2,%r3},{%r4,%r5,%r6,%r7},{%r8,%r9},%r12,"
const RowsCase kRowsCases[] = {
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", A4_B2_C4, kBytes, kSingle},
    {"mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16", A4_B2_C2, kBytes, kHalf},
    {"mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32", A2_B1_C4, kBytes, kSingle},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", A2_B2_C4 "3", kHalf, kSingle},
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16", A4_B4_C2 "1", kHalf, kHalf},
    {"mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", A4_B4_C4 "0", kBfloat, kSingle},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", A4_B4_C4 "1", kTf32, kSingle},
    {"mma.sp.sync.aligned.m16n8k64.row.col.f32.e5m2.e4m3.f32", A4_B4_C4 "0", kBytes, kSingle},
};

TEST(Matrix, BytesAndSparseProductsAgreeWithAScalarOracle) {
  RandomNumbers numbers;
  const MatrixArithmetic how{25, 32};
  for (const RowsCase& c : kRowsCases) {
    const ir::Instruction in = parsed_form(c.form, c.operands);
    ASSERT_TRUE(ir::runs(in)) << c.form;
    const ir::MmaShape& shape = *ir::mma_shape(in);
    const bool bytes = shape.inputs == ir::MatrixInputs::Float8, half_sums = in.type == Type::F16;
    const ir::MatrixFragments all = ir::fragments(shape, in.mods.matrix.c_type);
    const unsigned a_count = all.a.registers(), b_count = all.b.registers(), c_count = all.c.registers();
    for (unsigned round = 0; round < 6; ++round) {
      std::vector<uint32_t> registers((a_count + b_count + c_count + 2) * 32), results(c_count * 32);
      std::mt19937_64 random(round);
      for (size_t i = 0; i < registers.size(); ++i) {
        registers[i] = numbers.word(i < size_t{a_count + b_count} * 32 ? c.in : c.out);
        if (bytes && i < size_t{a_count + b_count} * 32) registers[i] = static_cast<uint32_t>(random());
      }
      uint32_t* const metadata = registers.data() + (a_count + b_count + c_count) * 32;
      for (unsigned lane = 0; lane < 32; ++lane) metadata[lane] = random() % 2 == 0 ? 0x4444eeee : 0xe4e4e4e4;
      multiply_matrices(in, how, registers.data(), results.data());
      const auto element = [](const uint32_t* from, const MatrixFragment& f, unsigned lane, unsigned index) {
        const unsigned each = 32 / f.bits;
        const uint32_t word = from[index / each * 32 + lane];
        return each == 1 ? word : word >> index % each * f.bits & ((1u << f.bits) - 1);
      };
      const auto lines = [&](const uint32_t* from, const MatrixFragment& f, Type type) {
        std::vector<std::vector<uint32_t>> out(f.lines, std::vector<uint32_t>(f.length));
        for (unsigned lane = 0; lane < 32; ++lane)
          for (unsigned i = 0; i < f.elements(); ++i) {
            const ir::MatrixPlace at = ir::matrix_place(f, lane, i);
            const uint32_t bits = element(from, f, lane, i);
            out[at.line][at.position] = f.bits == 8 ? same_half(bits, type) : bits;
          }
        return out;
      };
      const auto a = lines(registers.data(), all.a, in.type2),
                 b = lines(registers.data() + a_count * 32, all.b, in.type3);
      const auto before = lines(registers.data() + (a_count + b_count) * 32, all.c, in.type);
      const auto after = lines(results.data(), all.c, in.type);
      const unsigned selector = static_cast<unsigned>(in.src.back().bits);
      for (unsigned row = 0; row < 16; ++row)
        for (unsigned column = 0; column < 8; ++column) {
          std::vector<uint32_t> of_a[2], of_b[2];  // of halves that bytes are: the lower and the upper of each register
          for (unsigned at = 0; at < shape.stored_k(); ++at) {
            const auto word = [&](unsigned lane) { return metadata[lane]; };
            const unsigned k = shape.sparse ? ir::sparse_position(shape, selector, row, at, word) : at;
            const unsigned part = bytes && at % 4 >= 2 ? 1 : 0;
            of_a[part].push_back(a[row][at]), of_b[part].push_back(b[column][k]);
          }
          uint32_t want = bytes ? 0 : before[row][column];
          for (unsigned part = 0; part < (bytes ? 2 : 1); ++part)
            want = summed(of_a[part], of_b[part], want, bytes ? kHalf : c.in, c.out, how, bytes ? 16 : all.a.bits);
          if (bytes) want = sum_of_two(before[row][column], want, half_sums);
          ASSERT_EQ(after[row][column], want) << c.form << fmt::format(" row {} column {}", row, column);
        }
    }
  }
}

// A selector beyond the lanes of a quad, and a product that is not in the table.
TEST(Matrix, OtherSparseFormsDoNotRun) {
  EXPECT_FALSE(ir::runs(parsed_form("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", A4_B4_C4 "2")));
  EXPECT_FALSE(ir::runs(parsed_form("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", A4_B4_C4 "0")));
  EXPECT_FALSE(ir::runs(parsed_form("mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", A4_B4_C4 "0")));
}

TEST(Matrix, EveryElementHasOnePlace) {
  for (const ProductCase& c : kProductCases) {
    const ir::Instruction in = parsed_form(c.form, c.operands);
    const ir::MatrixFragments all = ir::fragments(*ir::mma_shape(in), in.mods.matrix.c_type);
    for (const MatrixFragment& f : {all.a, all.b, all.c}) {
      std::vector<int> times(size_t{f.lines} * f.length);
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < f.elements(); ++i) {
          const ir::MatrixPlace at = ir::matrix_place(f, lane, i);
          ++times[size_t{at.line} * f.length + at.position];
        }
      EXPECT_THAT(times, testing::Each(1)) << c.form;
    }
  }
}

// ---- rows of shared memory

// Shared memory has half i at 2 * i; lane l gives the address of row l, `stride` bytes behind the one before.
std::string rows_kernel(const std::string& body, unsigned stride) {
  return kernel(fmt::format(R"(
  mov.u32 %r10, tile;
  mov.u32 %r11, 0;
fill:
  shl.b32 %r12, %r11, 1;
  or.b32 %r13, %r12, 1; shl.b32 %r13, %r13, 16; or.b32 %r13, %r13, %r12;
  shl.b32 %r14, %r11, 2; add.u32 %r14, %r14, %r10;
  st.shared.u32 [%r14], %r13;
  add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 1024; @%p1 bra fill;
  bar.sync 0;
  mad.lo.u32 %r15, %r0, {}, %r10;
  {}
)",
                            stride, body),
                ".shared .align 16 .b8 tile[4096];\n");
}

TEST(Matrix, LdmatrixGivesWordsOfRows) {
  for (const unsigned count : {1u, 2u, 4u})
    for (const bool transposed : {false, true}) {
      std::string list, stores;
      for (unsigned m = 0; m < count; ++m) {
        list += fmt::format("{}%r{}", m == 0 ? "" : ", ", 20 + m);
        stores += fmt::format("st.global.u32 [%rd1+{}], %r{};\n", m * 128, 20 + m);
      }
      Machine machine(rows_kernel(fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {{{}}}, [%r15];\n{}", count,
                                              transposed ? ".trans" : "", list, stores),
                                  48));
      const uint64_t out = machine.words(128);
      const Ran ran = machine.launch({}, {32}, {out, 0});
      ASSERT_FALSE(ran.fault) << ran.fault->message;
      const auto got = machine.download(out, 32 * count);
      for (unsigned m = 0; m < count; ++m)
        for (unsigned lane = 0; lane < 32; ++lane)
          for (unsigned half = 0; half < 2; ++half) {
            const unsigned row = transposed ? 2 * (lane % 4) + half : lane / 4;
            const unsigned column = transposed ? lane / 4 : 2 * (lane % 4) + half;
            EXPECT_EQ(got[m * 32 + lane] >> 16 * half & 0xffff, (8 * m + row) * 24 + column)
                << "x" << count << (transposed ? " trans" : "") << " matrix " << m << " lane " << lane;
          }
    }
}

// Rows of 32 bytes: two rows of 8 share their banks, four with 64 bytes.
TEST(Matrix, LdmatrixTakesAWavefrontAMatrixAndConflict) {
  for (const auto& [stride, wavefronts] : {std::pair{16u, 4u}, {32u, 8u}, {64u, 16u}, {48u, 4u}}) {
    Machine machine(rows_kernel("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20,%r21,%r22,%r23}, [%r15];", stride));
    const uint64_t out = machine.words(128);
    const Ran ran = machine.launch({}, {32}, {out, 0});
    ASSERT_FALSE(ran.fault) << ran.fault->message;
    uint64_t units = 0, requests = 0;
    for (const InstructionInfo& x : ran.kernel->instructions)
      if (x.text.find("ldmatrix") != std::string::npos)
        units = ran.counts.accesses[x.access].units, requests = ran.counts.accesses[x.access].requests;
    EXPECT_EQ(requests, 1u);
    EXPECT_EQ(units, wavefronts) << stride;
  }
}

TEST(Matrix, StmatrixUndoesLdmatrix) {
  for (const char* trans : {"", ".trans"}) {
    Machine machine(rows_kernel(fmt::format(R"(
  ldmatrix.sync.aligned.m8n8.x4{0}.shared.b16 {{%r20,%r21,%r22,%r23}}, [%r15];
  add.u32 %r16, %r15, 2048;
  stmatrix.sync.aligned.m8n8.x4{0}.shared.b16 [%r16], {{%r20,%r21,%r22,%r23}};
  bar.warp.sync 0xffffffff;
  ld.shared.v4.u32 {{%r20,%r21,%r22,%r23}}, [%r16];
  mul.wide.u32 %rd2, %r0, 16; add.u64 %rd2, %rd0, %rd2;
  st.global.v4.u32 [%rd2], {{%r20,%r21,%r22,%r23}};
)",
                                            trans),
                                16));
    const uint64_t out = machine.words(128);
    const Ran ran = machine.launch({}, {32}, {out, 0});
    ASSERT_FALSE(ran.fault) << ran.fault->message;
    const auto got = machine.download(out, 128);
    for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(got[i], (2 * i + 1) << 16 | 2 * i) << trans;
  }
}

TEST(Matrix, AFormThatIsNotKnownFailsByName) {
  const std::pair<const char*, const char*> kUnknownForms[] = {
      {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, "
       "{%f1,%f2,%f3,%f4};",
       "mma.sync.aligned.m16n8k32"},
      {"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1,%r2}, {%r3,%r4}, {%r5,%r6}, {%r7,%r8}, %r9, 0x1;",
       "mma.sp"},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2}, %rd1, %rd1, 1, 1, 1, 0, 0;", "wgmma.mma_async"},
      {"wmma.load.a.sync.aligned.row.m16n16k32.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1], 16;", "wmma.load"},
  };
  for (const auto& [text, name] : kUnknownForms) {
    Machine machine(kernel(text));
    const Ran ran = machine.launch({}, {32}, {machine.words(32), 0});
    ASSERT_TRUE(ran.fault) << text;
    EXPECT_EQ(ran.fault->kind, FaultKind::IllegalInstruction);
    EXPECT_THAT(ran.fault->message + ran.fault->instruction, testing::HasSubstr(name));
  }
}

}  // namespace
}  // namespace drywarp::exec
