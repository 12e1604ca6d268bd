#include "engine/jit/math/special_functions.h"

#include <cmath>
#include <limits>

namespace drywarp::jit {
namespace {

constexpr long double kPi = 3.14159265358979323846264338327950288L;
constexpr long double kRootPi = 1.77245385090551602729816748334114518L;
constexpr long double kRootTwo = 1.41421356237309504880168872420969808L;
constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
constexpr long double kNan = std::numeric_limits<long double>::quiet_NaN();

// Newton's method on log erfc, which is nearly a parabola. It starts from the leading term of the expansion and takes a
// few steps.
long double erfc_inverse_small(long double y) {
  const long double target = logl(y);
  long double x = sqrtl(fmaxl(-target, 0.05L));
  for (int i = 0; i < 40; ++i) {
    const long double c = erfcl(x);
    const long double step = (logl(c) - target) * c * kRootPi / (2 * expl(-x * x));
    x += step;
    if (fabsl(step) <= 1e-19L * x) break;
  }
  return x;
}

}  // namespace

long double erf_inverse(long double y) {
  const long double a = fabsl(y);
  if (!(a <= 1)) return kNan;
  if (a == 1) return copysignl(kInfinity, y);
  if (a == 0) return y;
  if (a > 0.5L) return copysignl(erfc_inverse_small(1 - a), y);
  long double x = y * kRootPi / 2;
  for (int i = 0; i < 40; ++i) {
    const long double step = (y - erfl(x)) * kRootPi / 2 * expl(x * x);
    x += step;
    if (fabsl(step) <= 1e-19L * fabsl(x)) break;
  }
  return x;
}

long double erfc_inverse(long double y) {
  if (!(y >= 0 && y <= 2)) return kNan;
  if (y == 0) return kInfinity;
  if (y == 2) return -kInfinity;
  if (y < 0.5L) return erfc_inverse_small(y);
  return erf_inverse(1 - y);
}

long double erfc_scaled(long double x) {
  if (x < 50) return expl(x * x) * erfcl(x);
  if (x == kInfinity) return 0;
  const long double z = 1 / (2 * x * x);
  return (1 - z * (1 - 3 * z * (1 - 5 * z * (1 - 7 * z)))) / (x * kRootPi);
}

long double normal_cdf(long double x) { return erfcl(-x / kRootTwo) / 2; }
long double normal_cdf_inverse(long double p) { return 0 - kRootTwo * erfc_inverse(2 * p); }  // +0 in the middle

// The power series has only positive terms. Beyond 60 the asymptotic series converges long before it diverges.
long double bessel_i(int order, long double x) {
  const long double a = fabsl(x);
  if (std::isnan(a) || a == kInfinity) return order == 1 ? x : a;
  long double sum = 0;
  if (a < 60) {
    const long double quarter = a * a / 4;
    long double term = order == 0 ? 1 : a / 2;
    for (int k = 1; term > sum * 1e-21L; ++k) {
      sum += term;
      term *= quarter / (static_cast<long double>(k) * (k + order));
    }
  } else {
    const long double mu = 4.0L * order * order;
    long double term = 1;
    for (int k = 1; k < 100 && fabsl(term) > 1e-21L; ++k) {
      sum += term;
      const long double odd = 2 * k - 1;
      term *= -(mu - odd * odd) / (k * 8 * a);
    }
    sum *= expl(a) / sqrtl(2 * kPi * a);
  }
  return order == 1 ? copysignl(sum, x) : sum;
}

// The argument is reduced exactly, by quarters of a period, before the multiplication by pi.
long double sin_pi(long double x) {
  if (!std::isfinite(x)) return kNan;
  if (x == truncl(x)) return copysignl(0, x);
  const long double r = fmodl(fabsl(x), 2);
  const long double quarters = nearbyintl(2 * r);
  const long double rest = (r - quarters / 2) * kPi;
  const int q = static_cast<int>(quarters) & 3;
  long double s = q & 1 ? cosl(rest) : sinl(rest);
  if (q & 2) s = -s;
  return x < 0 ? -s : s;
}

long double cos_pi(long double x) {
  if (!std::isfinite(x)) return kNan;
  const long double r = fmodl(fabsl(x), 2);
  const long double quarters = nearbyintl(2 * r);
  const long double rest = (r - quarters / 2) * kPi;
  const int q = static_cast<int>(quarters) & 3;
  const long double c = q & 1 ? sinl(rest) : cosl(rest);
  return (q == 1 || q == 2 ? -c : c) + 0.0L;
}

double log_gamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

}  // namespace drywarp::jit
