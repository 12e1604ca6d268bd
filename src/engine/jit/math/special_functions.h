// Functions of libdevice that the host's mathematics library lacks, in extended precision. Callers round the result
// once, to float or double.
#pragma once

#include <cmath>

namespace drywarp::jit {

// Most powers are squares, which are exactly rounded products.
template <class T>
T power(T x, T y) {
  return y == 2 ? x * x : std::pow(x, y);
}

long double erf_inverse(long double y);   // on (-1, 1); +-inf at the ends, NaN outside
long double erfc_inverse(long double y);  // on (0, 2)
long double erfc_scaled(long double x);   // exp(x^2) erfc(x)
long double normal_cdf(long double x);
long double normal_cdf_inverse(long double p);
long double bessel_i(int order, long double x);  // modified, first kind, order 0 or 1
long double sin_pi(long double x);
long double cos_pi(long double x);
// The host's lgamma without its global sign, which several threads would write at once.
double log_gamma(double x);

}  // namespace drywarp::jit
