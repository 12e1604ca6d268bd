// libdevice's functions: all exist, with libdevice's signatures, and return the right values.
#include "engine/jit/math/lane_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "directed_oracle.h"

namespace drywarp::jit {
namespace {

unsigned size_of(const std::string& type) {
  if (type == "i32" || type == "float") return 4;
  if (type == "i16") return 2;
  return type == "void" ? 0 : 8;
}

// Each line is a function: result name argument*; a pointer through which it returns is "float*".
TEST(LaneMath, HasEveryFunctionOfLibdevice) {
  std::ifstream list(DRYWARP_SOURCE_DIR "/tests/engine/jit/libdevice_functions.txt");
  std::string line;
  unsigned count = 0;
  while (std::getline(list, line)) {
    std::istringstream words(line);
    std::string result, name, argument;
    words >> result >> name;
    const MathSignature* s = find_math_signature(name);
    ASSERT_NE(s, nullptr) << name;
    EXPECT_NE(find_lane_function(name), nullptr) << name;
    EXPECT_EQ(s->result_bytes, size_of(result)) << name;
    unsigned values = 0, pointers = 0;
    while (words >> argument) {
      if (argument == "out32" || argument == "out64")
        EXPECT_EQ(s->pointer_bytes[pointers++], argument == "out32" ? 4 : 8) << name;
      else
        EXPECT_EQ(s->argument_bytes[values++], size_of(argument)) << name;
    }
    if (values < 4) EXPECT_EQ(s->argument_bytes[values], 0) << name;
    if (pointers < 2) EXPECT_EQ(s->pointer_bytes[pointers], 0) << name;
    ++count;
  }
  EXPECT_EQ(count, 349u);
  EXPECT_EQ(find_math_signature("__nv_nosuchf"), nullptr);
  EXPECT_EQ(find_math_signature("dw_fns"), nullptr);
}

template <class T>
T call(const char* name, T a, T b = 0, T c = 0) {
  T result = 0;
  find_lane_function(name)(&result, &a, &b, &c, 1);
  return result;
}

TEST(LaneMath, RepeatsTheResultsOfEqualArguments) {
  constexpr double kX[32] = {0, 0, 1, 2, 2, 2, 3, -3, 3, 0, -0.0, 0}, kY[32] = {1, 0, 0, 3, 3, 4, 4, 4, 4, 1, -1};
  double powers[32], waves[64];
  find_lane_function("__nv_pow")(powers, kX, kY, nullptr, 32);
  find_lane_function("__nv_sincos")(waves, kX, nullptr, nullptr, 32);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(powers[lane], std::pow(kX[lane], kY[lane])) << lane;
    EXPECT_EQ(waves[lane], std::sin(kX[lane])) << lane;
    EXPECT_EQ(std::signbit(waves[lane]), std::signbit(kX[lane])) << lane;
    EXPECT_EQ(waves[32 + lane], std::cos(kX[lane])) << lane;
  }
  constexpr double kElements[] = {3, 4, 12};
  const double* from[32] = {kElements, kElements, kElements + 1};
  int32_t counts[32] = {2, 3, 2};
  double norms[32];
  find_lane_function("__nv_norm")(norms, counts, from, nullptr, 32);
  EXPECT_EQ(norms[0], 5);
  EXPECT_EQ(norms[1], 13);
  EXPECT_EQ(norms[2], std::hypot(4, 12));
  EXPECT_EQ(norms[31], 0);
}

TEST(LaneMath, SquaresAreExactlyRounded) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> numbers(-3, 3);
  for (int i = 0; i < 100000; ++i) {
    const double x = numbers(random);
    const auto f = static_cast<float>(x);
    ASSERT_EQ(call("__nv_pow", x, 2.0), x * x) << x;
    ASSERT_EQ(call("__nv_powf", f, 2.0f), f * f) << f;
  }
  EXPECT_EQ(call("__nv_pow", -3.0, 2.5) != call("__nv_pow", -3.0, 2.5), true) << "a NaN";
  EXPECT_EQ(call("__nv_pow", -HUGE_VAL, 2.0), HUGE_VAL);
  EXPECT_EQ(call("__nv_pow", 1e-200, 2.0), 0);
  EXPECT_FALSE(std::signbit(call("__nv_pow", -0.0, 2.0)));
  EXPECT_EQ(call("__nv_pow", -2.0, 3.0), -8);
}

TEST(LaneMath, GivesKnownValues) {
  EXPECT_FLOAT_EQ(call("__nv_sinf", 1.0f), 0.84147098f);
  EXPECT_EQ(call("__nv_sinpif", 1.0f), 0.0f);
  EXPECT_EQ(call("__nv_cospi", 0.5), 0.0);
  EXPECT_EQ(call("__nv_cospi", 1.0), -1.0);
  EXPECT_DOUBLE_EQ(call("__nv_erfinv", 0.5), 0.47693627620446987);
  EXPECT_DOUBLE_EQ(call("__nv_erfcinv", 1e-300), 26.209469960516124);
  EXPECT_DOUBLE_EQ(call("__nv_normcdfinv", 0.975), 1.959963984540054);
  EXPECT_DOUBLE_EQ(call("__nv_normcdf", -10.0), 7.619853024160527e-24);
  EXPECT_DOUBLE_EQ(call("__nv_erfcx", 10.0), 0.05614099274382259);
  EXPECT_DOUBLE_EQ(call("__nv_erfcx", 1e6), 5.641895835474742e-07);
  EXPECT_DOUBLE_EQ(call("__nv_cyl_bessel_i0", 1.0), 1.2660658777520084);
  EXPECT_DOUBLE_EQ(call("__nv_cyl_bessel_i1", -100.0), -1.0683693903381625e+42);
  EXPECT_DOUBLE_EQ(call("__nv_rcbrt", 8.0), 0.5);
  EXPECT_EQ(call("__nv_fadd_rz", 1.0f, 0x1.8p-24f), 1.0f);
  EXPECT_EQ(call("__nv_fadd_ru", 1.0f, 0x1p-60f), 0x1.000002p0f);
  EXPECT_EQ(call("__nv_dmul_rd", 0x1.0000000000001p0, 0x1.0000000000001p0), 0x1.0000000000002p0);
  EXPECT_TRUE(std::signbit(call("__nv_dsub_rd", 1.0, 1.0)));
  EXPECT_EQ(call("__nv_fma_ru", 0x1p-600, 0x1p-600, 1.0), 0x1.0000000000001p0);
  EXPECT_TRUE(std::signbit(call("__nv_fminf", 0.0f, -0.0f)));
}

// Numbers near each other and far apart, subnormals, zeros, infinities: sums cancel, products overflow and underflow.
template <class T>
T drawn(std::mt19937_64& random) {
  constexpr int kLeast = std::numeric_limits<T>::min_exponent, kMost = std::numeric_limits<T>::max_exponent;
  const auto significand = static_cast<T>(random() >> 11) * T(0x1p-53) + T(random() % 4 == 0 ? 1 : 0);
  const T sign = random() % 2 ? T(1) : T(-1);
  switch (random() % 8) {
    case 0:
      return sign * std::ldexp(significand, kLeast - static_cast<int>(random() % 40) + 20);
    case 1:
      return sign * std::ldexp(significand, kMost - static_cast<int>(random() % 40));
    case 2:
      return random() % 3 == 0 ? sign * std::numeric_limits<T>::infinity() : sign * T(0);
    case 3:
      return sign * static_cast<T>(random() % 16);
    default:
      return sign * std::ldexp(significand, static_cast<int>(random() % 120) - 60);
  }
}

// By bits, which tell zeros apart; any NaN is as good as another.
template <class T>
void expect_same(const char* name, T got, T want, T a, T b, T c) {
  if (std::isnan(got) && std::isnan(want)) return;
  EXPECT_EQ(std::bit_cast<oracle::BitsOf<T>>(got), std::bit_cast<oracle::BitsOf<T>>(want))
      << name << ' ' << std::hexfloat << a << ' ' << b << ' ' << c << ": " << got << ", not " << want;
}

template <class T>
void expect_directed(const char* letter, const char* fma, const char* mode_name, Towards mode) {
  std::mt19937_64 random(7);
  const std::string f = letter, m = mode_name;
  for (int i = 0; i < 20'000 && !testing::Test::HasFailure(); ++i) {
    const T a = drawn<T>(random), b = random() % 8 ? drawn<T>(random) : -a,
            c = random() % 4 ? drawn<T>(random) : -a * b;
    const auto name = [&](const char* operation) { return "__nv_" + f + operation + "_" + m; };
    const auto check = [&](const std::string& called, T want) {
      expect_same(called.c_str(), call(called.c_str(), a, b, c), want, a, b, c);
    };
    check(name("add"), oracle::add(a, b, mode));
    check(name("sub"), oracle::add(a, -b, mode));
    check(name("mul"), oracle::mul(a, b, mode));
    check("__nv_" + std::string(fma) + "_" + m, oracle::fma(a, b, c, mode));
    check(name("div"), oracle::div(a, b, mode));
    check(name("rcp"), oracle::div(T(1), a, mode));
    check(name("sqrt"), oracle::root(a, mode));
  }
}

TEST(LaneMath, RoundsInDirectedModes) {
  constexpr std::pair<const char*, Towards> kModes[] = {
      {"rz", Towards::Zero}, {"rd", Towards::Down}, {"ru", Towards::Up}, {"rn", Towards::Nearest}};
  for (const auto& [name, mode] : kModes) {
    expect_directed<float>("f", "fmaf", name, mode);
    expect_directed<double>("d", "fma", name, mode);
  }
  EXPECT_EQ(1.0 + 0x1p-60, call("__nv_dadd_rn", 1.0, 0x1p-60));  // the mode is as it was
}

TEST(LaneMath, PutsPointerResultsAfterTheResult) {
  double x[2] = {0.75, -12.0};
  struct {
    double result[2];
    int32_t exponent[2];
  } out;
  find_lane_function("__nv_frexp")(&out, x, nullptr, nullptr, 2);
  EXPECT_EQ(out.result[0], 0.75);
  EXPECT_EQ(out.exponent[0], 0);
  EXPECT_EQ(out.result[1], -0.75);
  EXPECT_EQ(out.exponent[1], 4);

  float angle[2] = {0.0f, 1.0f}, both[4];
  find_lane_function("__nv_sincosf")(both, angle, nullptr, nullptr, 2);
  EXPECT_EQ(both[0], 0.0f);
  EXPECT_FLOAT_EQ(both[1], 0.84147098f);
  EXPECT_EQ(both[2], 1.0f);
  EXPECT_FLOAT_EQ(both[3], 0.54030231f);
}

TEST(LaneMath, TakesAFourthArgumentBehindTheThird) {
  double a[2] = {1, 2}, b[2] = {2, 4}, cd[4] = {4, 8, 10, 20}, result[2];
  find_lane_function("__nv_norm4d")(result, a, b, cd, 2);
  EXPECT_EQ(result[0], 11.0);
  EXPECT_EQ(result[1], 22.0);
}

TEST(LaneMath, ReadsAVectorThroughAPointer) {
  EXPECT_TRUE(find_math_signature("__nv_norm")->reads_memory);
  EXPECT_FALSE(find_math_signature("__nv_frexp")->reads_memory);
  const double v[3] = {2, 3, 6};
  const double* p[2] = {v, nullptr};
  int32_t n[2] = {3, 0};
  double result[2];
  find_lane_function("__nv_norm")(result, n, p, nullptr, 2);
  EXPECT_EQ(result[0], 7.0);
  EXPECT_EQ(result[1], 0.0);
}

}  // namespace
}  // namespace drywarp::jit
