// The approximations against extended precision, within the errors that PTX ISA 9.7.3 states.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "form_compiler.h"
#include "inputs.h"

namespace drywarp::jit::test {
namespace {

struct Bound {
  const char* opcode;
  const char* operands;
  long double (*exact)(long double);
  float low, high;       // the range of random arguments
  long double relative;  // allowed error: relative * |exact| + absolute
  long double absolute;
  bool flushes;  // subnormal arguments and results count as zero
};

long double reciprocal(long double x) { return 1 / x; }
long double reciprocal_root(long double x) { return 1 / sqrtl(x); }
long double square_root(long double x) { return sqrtl(x); }

constexpr long double kTwoPi = 6.2831854f;

const Bound kBounds[] = {
    {"rcp.approx.f32", "f = f", reciprocal, -1e30f, 1e30f, 0x1p-23L, 0x1p-149L, false},
    {"rcp.approx.ftz.f32", "f = f", reciprocal, -1e30f, 1e30f, 0x1p-23L, 0x1p-126L, true},
    {"sqrt.approx.f32", "f = f", square_root, 0, 1e38f, 0x1p-23L, 0, false},
    {"sqrt.approx.ftz.f32", "f = f", square_root, 0, 1e38f, 0x1p-23L, 0, true},
    {"rsqrt.approx.f32", "f = f", reciprocal_root, 0, 1e38f, 0x1.12p-23L, 0, false},
    {"rsqrt.approx.ftz.f32", "f = f", reciprocal_root, 0, 1e38f, 0x1.12p-23L, 0, true},
    {"sin.approx.f32", "f = f", sinl, -kTwoPi, kTwoPi, 0, 0x1.6ap-21L, false},
    {"cos.approx.f32", "f = f", cosl, -kTwoPi, kTwoPi, 0, 0x1.6ap-21L, false},
    {"sin.approx.ftz.f32", "f = f", sinl, -314.f, 314.f, 0, 0x1.4fp-15L, true},
    {"cos.approx.ftz.f32", "f = f", cosl, -314.f, 314.f, 0, 0x1.4fp-15L, true},
    {"lg2.approx.f32", "f = f", log2l, 0, 1e38f, 0x1p-22L, 0, false},
    {"lg2.approx.f32", "f = f", log2l, 0.5f, 2, 0, 0x1p-22L, false},
    {"lg2.approx.ftz.f32", "f = f", log2l, 0, 4, 0x1p-22L, 0x1p-22L, true},
    {"ex2.approx.f32", "f = f", exp2l, -150, 128, 0x1p-22L, 0x1p-149L, false},
    {"ex2.approx.ftz.f32", "f = f", exp2l, -150, 128, 0x1p-22L, 0x1p-126L, true},
    {"tanh.approx.f32", "f = f", tanhl, -12, 12, 0x1p-11L, 0, false},
};

bool tiny(long double x) { return fabsl(x) < 0x1p-126L; }

class SpecialTest : public testing::TestWithParam<const char*> {};

TEST_P(SpecialTest, StaysWithinTheDocumentedError) {
  std::vector<ParsedForm> forms;
  for (const Bound& b : kBounds) forms.push_back(parse_form({b.opcode, b.operands}));
  FormCompiler compiler(GetParam());
  std::vector<CompiledForm> compiled = compiler.compile(forms);
  for (size_t i = 0; i < forms.size(); ++i) {
    const Bound& bound = kBounds[i];
    std::mt19937_64 random(11);
    Inputs edges;
    long double worst = 0;
    unsigned wrong = 0;
    for (unsigned batch = 0; batch < 4000 && wrong < 3; ++batch) {
      alignas(64) uint64_t x[kLanes], wide[kLanes] = {};
      uint8_t carry[kLanes] = {};
      for (uint64_t& v : x) {
        double u = static_cast<double>(random() >> 11) * 0x1p-53;
        double uniform = bound.low + u * (bound.high - bound.low);
        double small = std::ldexp(uniform, -static_cast<int>(random() % 140));
        v = batch < 20 ? edges.value({32, 'f'}, {})
                       : std::bit_cast<uint32_t>(static_cast<float>(batch % 2 ? uniform : small));
      }
      compiled[i].wide(x, wide, carry, ~0u);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        uint64_t narrow = 0;
        compiled[i].narrow(&x[lane], &narrow, carry, ~0u);
        float argument = std::bit_cast<float>(static_cast<uint32_t>(x[lane]));
        float got = std::bit_cast<float>(static_cast<uint32_t>(wide[lane]));
        EXPECT_TRUE(narrow == wide[lane] || std::isnan(got))
            << bound.opcode << " differs between widths at " << argument;
        if (bound.flushes && tiny(argument)) argument = std::copysign(0.0f, argument);
        // The bounds of sin and cos hold in their ranges only.
        if (std::isfinite(argument) && bound.relative == 0 && (argument < bound.low || argument > bound.high)) continue;
        long double want = bound.exact(argument);
        bool right;
        if (std::isnan(want)) {
          right = std::isnan(got);
        } else if (std::isinf(want) || fabsl(want) >= 0x1.ffffffp127L) {
          right = std::isinf(got) && std::signbit(got) == std::signbit(want);
        } else if (bound.flushes && tiny(want) && got == 0) {
          right = true;
        } else {
          long double error = fabsl(got - want), allowed = bound.relative * fabsl(want) + bound.absolute;
          right = error <= allowed;
          if (allowed > 0) worst = std::max(worst, error / allowed);
        }
        if (!right && ++wrong <= 3)
          ADD_FAILURE() << bound.opcode
                        << fmt::format(" of {:#x} ({}): {} ({:#x}), not {}", x[lane], argument, got, wide[lane],
                                       double(want));
      }
    }
    RecordProperty(bound.opcode, fmt::format("{:.3f} of the bound", double(worst)));
  }
}

// A NaN gives a NaN; zeros and infinities give their limits.
TEST_P(SpecialTest, KeepsTheSpecialValues) {
  struct Case {
    const char* opcode;
    uint32_t argument, want;
  };
  const uint32_t kInf = 0x7f800000, kMinusInf = 0xff800000, kMinusZero = 0x80000000, kOne = 0x3f800000;
  const Case cases[] = {
      {"rcp.approx.ftz.f32", kMinusZero, kMinusInf},
      {"rcp.approx.ftz.f32", kInf, 0},
      {"rcp.approx.ftz.f32", kMinusInf, kMinusZero},
      {"rcp.approx.ftz.f32", 0x80000001, kMinusInf},
      {"rsqrt.approx.f32", kMinusZero, kMinusInf},
      {"rsqrt.approx.f32", kInf, 0},
      {"rsqrt.approx.ftz.f32", 0x00000001, kInf},
      {"sqrt.approx.f32", kMinusZero, kMinusZero},
      {"sin.approx.f32", kMinusZero, kMinusZero},
      {"sin.approx.f32", 0, 0},
      {"cos.approx.f32", 0, kOne},
      {"lg2.approx.f32", 0, kMinusInf},
      {"lg2.approx.f32", kOne, 0},
      {"lg2.approx.f32", kInf, kInf},
      {"lg2.approx.ftz.f32", 0x80000001, kMinusInf},
      {"ex2.approx.f32", 0, kOne},
      {"ex2.approx.f32", kMinusInf, 0},
      {"ex2.approx.f32", kInf, kInf},
      {"ex2.approx.ftz.f32", 0xc2fe0000, 0},
      {"ex2.approx.f32", 0x43000000, kInf},
      {"ex2.approx.f32", 0xc3150000, 1},
      {"tanh.approx.f32", kInf, kOne},
      {"tanh.approx.f32", kMinusInf, 0xbf800000},
      {"tanh.approx.f32", kMinusZero, kMinusZero},
      {"tanh.approx.f32", 0x00000005, 0x00000005},
      {"ex2.approx.ftz.f32", 0x00000001, kOne},
  };
  FormCompiler compiler(GetParam());
  std::vector<ParsedForm> forms;
  for (const Case& c : cases) forms.push_back(parse_form({c.opcode, "f = f"}));
  std::vector<CompiledForm> compiled = compiler.compile(forms);
  for (size_t i = 0; i < forms.size(); ++i) {
    uint64_t x = cases[i].argument, got = 0;
    uint8_t carry = 0;
    compiled[i].narrow(&x, &got, &carry, ~0u);
    EXPECT_EQ(got, cases[i].want) << cases[i].opcode << fmt::format(" of {:#x} is {:#x}", x, got);
  }
}

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: 20 bits of significand, the lower word zero.
TEST_P(SpecialTest, CoarseDoublesHaveTwentyBits) {
  FormCompiler compiler(GetParam());
  std::vector<CompiledForm> f =
      compiler.compile({parse_form({"rcp.approx.ftz.f64", "d = d"}), parse_form({"rsqrt.approx.ftz.f64", "d = d"})});
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    double x =
        std::ldexp(1.0 + static_cast<double>(random() >> 12) * 0x1p-52, static_cast<int>(random() % 2000) - 1000);
    for (int which : {0, 1}) {
      uint64_t bits = std::bit_cast<uint64_t>(x), got = 0;
      uint8_t carry = 0;
      f[static_cast<size_t>(which)].narrow(&bits, &got, &carry, ~0u);
      double want = which ? 1 / std::sqrt(x) : 1 / x;
      EXPECT_EQ(got & 0xffffffff, 0u);
      EXPECT_NEAR(std::bit_cast<double>(got) / want, 1, 0x1p-18) << x;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, SpecialTest, testing::Values("avx512", "avx2", "sse"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace drywarp::jit::test
