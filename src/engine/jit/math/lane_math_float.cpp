// libdevice's single precision functions. The host's float functions are used where they are within CUDA's error bounds
// (CUDA C++ Programming Guide, mathematical functions). The others are computed in a wider type and rounded.
#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "engine/jit/math/lane_math_rounding.h"
#include "engine/jit/math/lane_math_table.h"
#include "engine/jit/math/special_functions.h"

namespace drywarp::jit {
namespace {

using F = float;
using I = int32_t;

F narrowed(double x) { return static_cast<F>(x); }
F narrowed(long double x) { return static_cast<F>(x); }

F least(F a, F b) { return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b); }
F greatest(F a, F b) { return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b); }

// An infinite part makes the length infinite, even if another is a NaN.
double length(std::initializer_list<F> parts) {
  double sum = 0;
  for (F x : parts) {
    if (std::isinf(x)) return std::numeric_limits<double>::infinity();
    sum += double{x} * x;
  }
  return std::sqrt(sum);
}

double sum_of_squares(const F* p, I n) {
  double sum = 0;
  for (I i = 0; i < n; ++i) sum += double{p[i]} * p[i];
  return sum;
}

#define DW_F1(name, expression) long_lane_entry("__nv_" name, [](F x) { return F(expression); })
#define DW_F2(name, expression) long_lane_entry("__nv_" name, [](F x, F y) { return F(expression); })
#define DW_F3(name, expression) lane_entry("__nv_" name, [](F x, F y, F z) { return F(expression); })

constexpr LaneEntry kFloatFunctions[] = {
    DW_F1("floorf", std::floor(x)),
    DW_F1("ceilf", std::ceil(x)),
    DW_F1("truncf", std::trunc(x)),
    DW_F1("rintf", std::nearbyint(x)),
    DW_F1("nearbyintf", std::nearbyint(x)),
    DW_F1("roundf", std::round(x)),
    DW_F1("fabsf", std::fabs(x)),
    DW_F1("sqrtf", std::sqrt(x)),
    DW_F1("rsqrtf", 1 / std::sqrt(double{x})),
    DW_F1("saturatef", x > 0 ? std::min(x, 1.0f) : 0.0f),
    DW_F1("sinf", std::sin(x)),
    DW_F1("cosf", std::cos(x)),
    DW_F1("tanf", std::tan(x)),
    DW_F1("sinpif", narrowed(sin_pi(x))),
    DW_F1("cospif", narrowed(cos_pi(x))),
    DW_F1("expf", std::exp(x)),
    DW_F1("exp2f", std::exp2(x)),
    DW_F1("exp10f", narrowed(std::pow(10.0, double{x}))),
    DW_F1("expm1f", narrowed(std::expm1(double{x}))),
    DW_F1("logf", std::log(x)),
    DW_F1("log2f", std::log2(x)),
    DW_F1("log10f", narrowed(std::log10(double{x}))),
    DW_F1("log1pf", narrowed(std::log1p(double{x}))),
    DW_F1("sinhf", narrowed(std::sinh(double{x}))),
    DW_F1("coshf", narrowed(std::cosh(double{x}))),
    DW_F1("tanhf", narrowed(std::tanh(double{x}))),
    DW_F1("asinf", narrowed(std::asin(double{x}))),
    DW_F1("acosf", narrowed(std::acos(double{x}))),
    DW_F1("atanf", narrowed(std::atan(double{x}))),
    DW_F1("asinhf", narrowed(std::asinh(double{x}))),
    DW_F1("acoshf", narrowed(std::acosh(double{x}))),
    DW_F1("atanhf", narrowed(std::atanh(double{x}))),
    DW_F1("cbrtf", narrowed(std::cbrt(double{x}))),
    DW_F1("rcbrtf", narrowed(1 / std::cbrt(double{x}))),
    DW_F1("erff", narrowed(std::erf(double{x}))),
    DW_F1("erfcf", narrowed(std::erfc(double{x}))),
    DW_F1("erfcxf", narrowed(erfc_scaled(x))),
    DW_F1("erfinvf", narrowed(erf_inverse(x))),
    DW_F1("erfcinvf", narrowed(erfc_inverse(x))),
    DW_F1("normcdff", narrowed(normal_cdf(x))),
    DW_F1("normcdfinvf", narrowed(normal_cdf_inverse(x))),
    DW_F1("lgammaf", narrowed(log_gamma(x))),
    DW_F1("tgammaf", narrowed(std::tgamma(double{x}))),
    DW_F1("j0f", narrowed(::j0(x))),
    DW_F1("j1f", narrowed(::j1(x))),
    DW_F1("y0f", narrowed(::y0(x))),
    DW_F1("y1f", narrowed(::y1(x))),
    DW_F1("cyl_bessel_i0f", narrowed(bessel_i(0, x))),
    DW_F1("cyl_bessel_i1f", narrowed(bessel_i(1, x))),
    DW_F1("logbf", std::logb(x)),

    DW_F1("fast_sinf", std::sin(x)),
    DW_F1("fast_cosf", std::cos(x)),
    DW_F1("fast_tanf", std::tan(x)),
    DW_F1("fast_log2f", std::log2(x)),
    DW_F1("fast_logf", std::log(x)),
    DW_F1("fast_log10f", std::log10(x)),
    DW_F1("fast_expf", std::exp(x)),
    DW_F1("fast_exp10f", narrowed(std::pow(10.0, double{x}))),
    DW_F1("fast_tanhf", std::tanh(x)),
    DW_F2("fast_powf", std::pow(x, y)),
    DW_F2("fast_fdividef", x / y),

    DW_F2("fminf", least(x, y)),
    DW_F2("fmaxf", greatest(x, y)),
    DW_F2("copysignf", std::copysign(x, y)),
    DW_F2("atan2f", narrowed(std::atan2(double{x}, double{y}))),
    DW_F2("powf", power(x, y)),
    DW_F2("fmodf", std::fmod(x, y)),
    DW_F2("remainderf", std::remainder(x, y)),
    DW_F2("nextafterf", std::nextafter(x, y)),
    DW_F2("fdimf", std::fdim(x, y)),
    DW_F2("hypotf", narrowed(std::hypot(double{x}, double{y}))),
    DW_F2("rhypotf", narrowed(1 / std::hypot(double{x}, double{y}))),
    DW_F3("fmaf", std::fma(x, y, z)),
    DW_F3("norm3df", narrowed(length({x, y, z}))),
    DW_F3("rnorm3df", narrowed(1 / length({x, y, z}))),
    lane_entry("__nv_norm4df", [](F x, F y, F z, F w) { return narrowed(length({x, y, z, w})); }),
    lane_entry("__nv_rnorm4df", [](F x, F y, F z, F w) { return narrowed(1 / length({x, y, z, w})); }),
    long_lane_entry("__nv_normf", [](I n, const F* p) { return narrowed(std::sqrt(sum_of_squares(p, n))); }),
    long_lane_entry("__nv_rnormf", [](I n, const F* p) { return narrowed(1 / std::sqrt(sum_of_squares(p, n))); }),

    lane_entry("__nv_isnanf", [](F x) { return I{std::isnan(x)}; }),
    lane_entry("__nv_isinff", [](F x) { return I{std::isinf(x)}; }),
    lane_entry("__nv_finitef", [](F x) { return I{std::isfinite(x)}; }),
    lane_entry("__nv_signbitf", [](F x) { return I{std::signbit(x)}; }),
    lane_entry("__nv_ilogbf", [](F x) { return I{std::ilogb(x)}; }),
    lane_entry("__nv_nanf", [](uint64_t) { return std::bit_cast<F>(0x7fffffffu); }),
    lane_entry("__nv_ldexpf", [](F x, I n) { return std::ldexp(x, n); }),
    lane_entry("__nv_scalbnf", [](F x, I n) { return std::scalbn(x, n); }),
    long_lane_entry("__nv_powif", [](F x, I n) { return narrowed(power(double{x}, double(n))); }),
    long_lane_entry("__nv_jnf", [](I n, F x) { return narrowed(::jn(n, x)); }),
    long_lane_entry("__nv_ynf", [](I n, F x) { return narrowed(::yn(n, x)); }),

    long_lane_entry("__nv_sincosf", [](F x, F* s, F* c) { *s = std::sin(x), *c = std::cos(x); }),
    lane_entry("__nv_fast_sincosf", [](F x, F* s, F* c) { *s = std::sin(x), *c = std::cos(x); }),
    long_lane_entry("__nv_sincospif", [](F x, F* s, F* c) { *s = narrowed(sin_pi(x)), *c = narrowed(cos_pi(x)); }),
    lane_entry("__nv_frexpf",
               [](F x, I* n) {
                 *n = 0;
                 return std::frexp(x, n);
               }),
    lane_entry("__nv_modff", [](F x, F* whole) { return std::modf(x, whole); }),
    lane_entry("__nv_remquof",
               [](F x, F y, I* q) {
                 *q = 0;
                 return std::remquo(x, y, q);
               }),
};

}  // namespace

std::span<const LaneEntry> float_lane_functions() { return kFloatFunctions; }

}  // namespace drywarp::jit
