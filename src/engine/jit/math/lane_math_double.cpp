// libdevice's double precision functions: the host's, or computed in extended precision if the host has none.
#include <bit>
#include <cmath>

#include "engine/jit/math/lane_math_table.h"
#include "engine/jit/math/special_functions.h"

namespace drywarp::jit {
namespace {

using D = double;
using I = int32_t;

D least(D a, D b) { return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b); }
D greatest(D a, D b) { return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b); }

// The square of any double is within the range of extended precision.
long double length(std::initializer_list<D> parts) {
  long double sum = 0;
  for (D x : parts) {
    if (std::isinf(x)) return HUGE_VALL;
    sum += static_cast<long double>(x) * x;
  }
  return sqrtl(sum);
}

long double length(const D* p, I n) {
  long double sum = 0;
  for (I i = 0; i < n; ++i) sum += static_cast<long double>(p[i]) * p[i];
  return sqrtl(sum);
}

#define DW_D1(name, expression) long_lane_entry("__nv_" name, [](D x) { return D(expression); })
#define DW_D2(name, expression) long_lane_entry("__nv_" name, [](D x, D y) { return D(expression); })
#define DW_D3(name, expression) lane_entry("__nv_" name, [](D x, D y, D z) { return D(expression); })

constexpr LaneEntry kDoubleFunctions[] = {
    DW_D1("floor", std::floor(x)),
    DW_D1("ceil", std::ceil(x)),
    DW_D1("trunc", std::trunc(x)),
    DW_D1("rint", std::nearbyint(x)),
    DW_D1("nearbyint", std::nearbyint(x)),
    DW_D1("round", std::round(x)),
    DW_D1("fabs", std::fabs(x)),
    DW_D1("sqrt", std::sqrt(x)),
    DW_D1("rsqrt", 1 / sqrtl(x)),
    DW_D1("sin", std::sin(x)),
    DW_D1("cos", std::cos(x)),
    DW_D1("tan", std::tan(x)),
    DW_D1("sinpi", sin_pi(x)),
    DW_D1("cospi", cos_pi(x)),
    DW_D1("exp", std::exp(x)),
    DW_D1("exp2", std::exp2(x)),
    DW_D1("exp10", powl(10, x)),
    DW_D1("expm1", std::expm1(x)),
    DW_D1("log", std::log(x)),
    DW_D1("log2", std::log2(x)),
    DW_D1("log10", std::log10(x)),
    DW_D1("log1p", std::log1p(x)),
    DW_D1("sinh", std::sinh(x)),
    DW_D1("cosh", std::cosh(x)),
    DW_D1("tanh", std::tanh(x)),
    DW_D1("asin", std::asin(x)),
    DW_D1("acos", std::acos(x)),
    DW_D1("atan", std::atan(x)),
    DW_D1("asinh", std::asinh(x)),
    DW_D1("acosh", std::acosh(x)),
    DW_D1("atanh", std::atanh(x)),
    DW_D1("cbrt", cbrtl(x)),
    DW_D1("rcbrt", 1 / cbrtl(x)),
    DW_D1("erf", std::erf(x)),
    DW_D1("erfc", std::erfc(x)),
    DW_D1("erfcx", erfc_scaled(x)),
    DW_D1("erfinv", erf_inverse(x)),
    DW_D1("erfcinv", erfc_inverse(x)),
    DW_D1("normcdf", normal_cdf(x)),
    DW_D1("normcdfinv", normal_cdf_inverse(x)),
    DW_D1("lgamma", log_gamma(x)),
    DW_D1("tgamma", std::tgamma(x)),
    DW_D1("j0", ::j0(x)),
    DW_D1("j1", ::j1(x)),
    DW_D1("y0", ::y0(x)),
    DW_D1("y1", ::y1(x)),
    DW_D1("cyl_bessel_i0", bessel_i(0, x)),
    DW_D1("cyl_bessel_i1", bessel_i(1, x)),
    DW_D1("logb", std::logb(x)),

    DW_D2("fmin", least(x, y)),
    DW_D2("fmax", greatest(x, y)),
    DW_D2("copysign", std::copysign(x, y)),
    DW_D2("atan2", std::atan2(x, y)),
    DW_D2("pow", power(x, y)),
    DW_D2("fmod", std::fmod(x, y)),
    DW_D2("remainder", std::remainder(x, y)),
    DW_D2("nextafter", std::nextafter(x, y)),
    DW_D2("fdim", std::fdim(x, y)),
    DW_D2("hypot", std::hypot(x, y)),
    DW_D2("rhypot", 1 / hypotl(x, y)),
    DW_D3("fma", std::fma(x, y, z)),
    DW_D3("norm3d", length({x, y, z})),
    DW_D3("rnorm3d", 1 / length({x, y, z})),
    lane_entry("__nv_norm4d", [](D x, D y, D z, D w) { return D(length({x, y, z, w})); }),
    lane_entry("__nv_rnorm4d", [](D x, D y, D z, D w) { return D(1 / length({x, y, z, w})); }),
    long_lane_entry("__nv_norm", [](I n, const D* p) { return D(length(p, n)); }),
    long_lane_entry("__nv_rnorm", [](I n, const D* p) { return D(1 / length(p, n)); }),

    lane_entry("__nv_isnand", [](D x) { return I{std::isnan(x)}; }),
    lane_entry("__nv_isinfd", [](D x) { return I{std::isinf(x)}; }),
    lane_entry("__nv_isfinited", [](D x) { return I{std::isfinite(x)}; }),
    lane_entry("__nv_signbitd", [](D x) { return I{std::signbit(x)}; }),
    lane_entry("__nv_ilogb", [](D x) { return I{std::ilogb(x)}; }),
    lane_entry("__nv_nan", [](uint64_t) { return std::bit_cast<D>(0xfff8000000000000u); }),
    lane_entry("__nv_ldexp", [](D x, I n) { return std::ldexp(x, n); }),
    lane_entry("__nv_scalbn", [](D x, I n) { return std::scalbn(x, n); }),
    long_lane_entry("__nv_powi", [](D x, I n) { return power(x, D(n)); }),
    long_lane_entry("__nv_jn", [](I n, D x) { return ::jn(n, x); }),
    long_lane_entry("__nv_yn", [](I n, D x) { return ::yn(n, x); }),

    long_lane_entry("__nv_sincos", [](D x, D* s, D* c) { *s = std::sin(x), *c = std::cos(x); }),
    long_lane_entry("__nv_sincospi", [](D x, D* s, D* c) { *s = D(sin_pi(x)), *c = D(cos_pi(x)); }),
    lane_entry("__nv_frexp",
               [](D x, I* n) {
                 *n = 0;
                 return std::frexp(x, n);
               }),
    lane_entry("__nv_modf", [](D x, D* whole) { return std::modf(x, whole); }),
    lane_entry("__nv_remquo",
               [](D x, D y, I* q) {
                 *q = 0;
                 return std::remquo(x, y, q);
               }),
};

}  // namespace

std::span<const LaneEntry> double_lane_functions() { return kDoubleFunctions; }

}  // namespace drywarp::jit
