// The single precision functions of the device library against the C library's in double, within (for log2f: near) the
// errors that CUDA's programming guide documents in its table of maximum ulp errors, half an ulp of rounding allowed
// for.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>

#include "device_on_host.h"

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

// Distance of `got` from the exact value, in units of the exact value's last place.
double ulps(float got, double exact) {
  const float nearest = static_cast<float>(exact);
  if (std::isnan(nearest)) return std::isnan(got) ? 0.0 : 1e9;
  if (std::isinf(nearest) || std::isinf(got)) return got == nearest ? 0.0 : 1e9;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::fabs(static_cast<double>(got) - exact) / unit;
}

struct Function {
  const char* name;
  float (*device)(float);
  double (*exact)(double);
  double bound;  // ulp
  float low, high;
};
void PrintTo(const Function& f, std::ostream* out) { *out << f.name; }

double exp10_exact(double x) { return std::pow(10.0, x); }
// Near its zeros sin(pi x) needs the distance from them, which is exact.
double sinpi_exact(double x) {
  const double r = std::remainder(x, 2.0), near = std::fabs(r) > 0.5 ? std::copysign(1.0, r) - r : r;
  return near == 0.0 ? 0.0 : std::sin(near * M_PI);
}
double cospi_exact(double x) { return sinpi_exact(0.5 - std::fabs(std::remainder(x, 2.0))); }

const Function kFunctions[] = {
    {"expf", __nv_expf, std::exp, 2, -104, 89},
    {"exp2f", __nv_exp2f, std::exp2, 2, -150, 129},
    {"exp10f", __nv_exp10f, exp10_exact, 2, -46, 39},
    {"expm1f", __nv_expm1f, std::expm1, 1.5, -30, 89},
    {"logf", __nv_logf, std::log, 1.5, 0, kInfinity},
    {"logf near 1", __nv_logf, std::log, 1.5, 0.5f, 2},
    {"log2f", __nv_log2f, std::log2, 2, 0, kInfinity},
    {"log2f near 1", __nv_log2f, std::log2, 2, 0.5f, 2},
    {"log10f", __nv_log10f, std::log10, 2, 0, kInfinity},
    {"log10f near 1", __nv_log10f, std::log10, 2, 0.5f, 2},
    {"log1pf", __nv_log1pf, std::log1p, 1.5, -1, kInfinity},
    {"log1pf near 0", __nv_log1pf, std::log1p, 1.5, -0.9f, 2},
    {"sinhf", __nv_sinhf, std::sinh, 3, -90, 90},
    {"coshf", __nv_coshf, std::cosh, 2, -90, 90},
    {"tanhf", __nv_tanhf, std::tanh, 2, -10, 10},
    {"cbrtf", __nv_cbrtf, std::cbrt, 1.5, -kInfinity, kInfinity},
    {"erff", __nv_erff, std::erf, 2, -4, 4},
    {"sinf", __nv_sinf, std::sin, 2, -10, 10},
    {"sinf large", __nv_sinf, std::sin, 2, -105615, 105615},
    {"sinf huge", __nv_sinf, std::sin, 2, 1e5f, 3e38f},
    {"cosf", __nv_cosf, std::cos, 2, -10, 10},
    {"cosf large", __nv_cosf, std::cos, 2, -105615, 105615},
    {"cosf huge", __nv_cosf, std::cos, 2, 1e5f, 3e38f},
    {"tanf", __nv_tanf, std::tan, 4, -10, 10},
    {"tanf huge", __nv_tanf, std::tan, 4, -kInfinity, kInfinity},
    {"sinpif", __nv_sinpif, sinpi_exact, 2, -300, 300},
    {"cospif", __nv_cospif, cospi_exact, 2, -300, 300},
    {"atanf", __nv_atanf, std::atan, 2, -kInfinity, kInfinity},
    {"atanf near 1", __nv_atanf, std::atan, 2, -3, 3},
    {"asinf", __nv_asinf, std::asin, 2, -1, 1},
    {"acosf", __nv_acosf, std::acos, 2, -1, 1},
};

class AccuracyTest : public testing::TestWithParam<Function> {};

TEST_P(AccuracyTest, StaysWithinTheDocumentedError) {
  const Function& f = GetParam();
  std::mt19937_64 random(7);
  double worst = 0;
  float at = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    // Half of the arguments evenly spread over the range, half over the representations.
    float x;
    const bool even = i % 2 == 0 && std::isfinite(f.low) && std::isfinite(f.high);
    if (even) {
      x = static_cast<float>(std::uniform_real_distribution<double>(f.low, f.high)(random));
    } else {
      do x = std::bit_cast<float>(static_cast<uint32_t>(random()));
      while (!(x >= f.low && x <= f.high));
    }
    const double error = ulps(f.device(x), f.exact(static_cast<double>(x)));
    if (error > worst) worst = error, at = x;
  }
  RecordProperty("worst_ulp", std::to_string(worst));
  EXPECT_LE(worst, f.bound) << "at " << at << ": " << f.device(at) << " instead of " << f.exact(at);
}
INSTANTIATE_TEST_SUITE_P(Libdevice, AccuracyTest, testing::ValuesIn(kFunctions));

struct Binary {
  const char* name;
  float (*device)(float, float);
  double (*exact)(double, double);
  double bound;
};
void PrintTo(const Binary& f, std::ostream* out) { *out << f.name; }

class BinaryAccuracyTest : public testing::TestWithParam<Binary> {};

TEST_P(BinaryAccuracyTest, StaysWithinTheDocumentedError) {
  const Binary& f = GetParam();
  std::mt19937_64 random(11);
  double worst = 0;
  float at_x = 0, at_y = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    float x, y;
    if (i % 2) {
      x = static_cast<float>(std::uniform_real_distribution<double>(0, 20)(random));
      y = static_cast<float>(std::uniform_real_distribution<double>(-30, 30)(random));
    } else {
      do x = std::bit_cast<float>(static_cast<uint32_t>(random()));
      while (x != x);
      do y = std::bit_cast<float>(static_cast<uint32_t>(random()));
      while (y != y);
    }
    const double error = ulps(f.device(x, y), f.exact(x, y));
    if (error > worst) worst = error, at_x = x, at_y = y;
  }
  EXPECT_LE(worst, f.bound) << "at " << at_x << ", " << at_y << ": " << f.device(at_x, at_y) << " instead of "
                            << f.exact(at_x, at_y);
}
const Binary kBinary[] = {
    {"powf", __nv_powf, std::pow, 4},
    {"atan2f", __nv_atan2f, std::atan2, 3},
    {"hypotf", __nv_hypotf, std::hypot, 3},
};
INSTANTIATE_TEST_SUITE_P(Libdevice, BinaryAccuracyTest, testing::ValuesIn(kBinary));

TEST(LibdeviceTest, SpecialValuesAreTheCLibrarys) {
  const float specials[] = {0.0f, -0.0f, 1.0f, -1.0f, kInfinity, -kInfinity, kNan, 1e-45f, -1e-45f, 3e38f, -3e38f};
  for (const Function& f : kFunctions)
    for (float x : specials) {
      const double exact = f.exact(x);
      const float got = f.device(x);
      if (std::isnan(exact) || std::isinf(static_cast<float>(exact)) || exact == 0.0)
        EXPECT_EQ(ulps(got, exact), 0.0) << f.name << "(" << x << ") = " << got << " instead of " << exact;
    }
  const float pow_specials[] = {0.0f, -0.0f, 0.5f,      -0.5f,      1.0f, -1.0f, 2.0f,
                                3.0f, -3.0f, kInfinity, -kInfinity, kNan, 1e30f};
  for (float x : pow_specials)
    for (float y : pow_specials) {
      const float exact = static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
      const float got = __nv_powf(x, y);
      EXPECT_TRUE(ulps(got, exact) <= 4 && (std::isnan(exact) || std::signbit(got) == std::signbit(exact)))
          << "powf(" << x << ", " << y << ") = " << got << " instead of " << exact;
    }
}

TEST(LibdeviceTest, DecompositionIsExact) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (std::isnan(x)) continue;
    int exponent = 0, expected = 0;
    const float mantissa = __nv_frexpf(x, &exponent);
    EXPECT_EQ(mantissa, std::frexp(x, &expected));
    if (std::isfinite(x)) EXPECT_EQ(exponent, expected);
    const int n = static_cast<int>(random() % 700) - 350;
    EXPECT_EQ(__nv_ldexpf(x, n), std::ldexp(x, n)) << x << " * 2^" << n;
    const double d = std::bit_cast<double>(random());
    if (std::isnan(d)) continue;
    const int m = static_cast<int>(random() % 5000) - 2500;
    EXPECT_EQ(__nv_ldexp(d, m), std::ldexp(d, m)) << d << " * 2^" << m;
    EXPECT_EQ(__nv_frexp(d, &exponent), std::frexp(d, &expected));
  }
}

}  // namespace
