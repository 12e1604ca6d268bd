// <cmath>'s functions by their names without f: for floats they are the float functions, in namespace std and outside,
// and for whole numbers those for doubles, as on the host.
#include <cmath>

#include "check.h"

#define ONE(X)                                                                                                         \
  X(acos)                                                                                                              \
  X(acosh)                                                                                                             \
  X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) X(expm1) X(fabs)      \
      X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(nearbyint) X(rint) X(round) X(sin) X(sinh) X(sqrt) \
          X(tan) X(tanh) X(tgamma) X(trunc) X(ilogb) X(lrint) X(lround) X(llrint) X(llround)
#define TWO(X) X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)

struct Result {
  const char* name;
  double global, in_std, by_f, of_int;
};
constexpr int kMost = 64;

__global__ void evaluate(float a, float b, int whole, Result* out, int* count) {
  int n = 0;
#define X(name)                                                                                                      \
  static_assert(sizeof(name(a)) == sizeof(std::name(a)) && sizeof(name(a)) == sizeof(name##f(a)), "type of " #name); \
  out[n++] = {nullptr, double(name(a)), double(std::name(a)), double(name##f(a)), double(name(whole))};
  ONE(X)
#undef X
#define X(name)                                                                                                   \
  static_assert(sizeof(name(a, b)) == sizeof(float) && sizeof(name(a, 1.0)) == sizeof(double), "type of " #name); \
  out[n++] = {nullptr, double(name(a, b)), double(std::name(a, b)), double(name##f(a, b)), double(name(whole, 2))};
  TWO(X)
#undef X
  int q, r;
  float part, other;
  out[n++] = {nullptr, fma(a, b, 1.0f), std::fma(a, b, 1.0f), fmaf(a, b, 1.0f), fma(double(whole), 2.0, 1.0)};
  out[n++] = {nullptr, scalbn(a, 3), std::scalbn(a, 3), scalbnf(a, 3), scalbn(double(whole), 3)};
  out[n++] = {nullptr, scalbln(a, 3l), std::scalbln(a, 3l), scalblnf(a, 3l), scalbln(double(whole), 3l)};
  out[n++] = {nullptr, ldexp(a, -2), std::ldexp(a, -2), ldexpf(a, -2), ldexp(double(whole), -2)};
  out[n++] = {nullptr, remquo(a, b, &q) + q, std::remquo(a, b, &r) + r, remquof(a, b, &q) + q,
              remquo(double(whole), 2.0, &r) + r};
  out[n++] = {nullptr, frexp(a, &q) + q, std::frexp(a, &r) + r, frexpf(a, &q) + q, frexp(double(whole), &r) + r};
  out[n++] = {nullptr, modf(a, &part) + part, std::modf(a, &other) + other, modff(a, &part) + part, double(whole)};
  *count = n;
}

void expect_all(float a, float b, int whole) {
  std::vector<Result> host;
#define X(f) host.push_back({#f, double(std::f(a)), 0, 0, double(std::f(double(whole)))});
  ONE(X)
#undef X
#define X(f) host.push_back({#f, double(std::f(a, b)), 0, 0, double(std::f(double(whole), 2.0))});
  TWO(X)
#undef X
  int q, r;
  host.push_back({"fma", std::fma(a, b, 1.0f), 0, 0, whole * 2.0 + 1.0});
  host.push_back({"scalbn", a * 8, 0, 0, whole * 8.0});
  host.push_back({"scalbln", a * 8, 0, 0, whole * 8.0});
  host.push_back({"ldexp", a / 4, 0, 0, whole / 4.0});
  host.push_back({"remquo", std::remquo(a, b, &q), 0, 0, std::remquo(double(whole), 2.0, &r)});
  host.back().global += q, host.back().of_int += r;
  host.push_back({"frexp", std::frexp(a, &q), 0, 0, std::frexp(double(whole), &r)});
  host.back().global += q, host.back().of_int += r;
  host.push_back({"modf", a, 0, 0, double(whole)});

  Buffer<Result> out(kMost);
  Buffer<int> count(1);
  evaluate<<<1, 1>>>(a, b, whole, out, count);
  CK_LAUNCH();
  EXPECT(count.get()[0] == int(host.size()));
  const std::vector<Result> got = out.get();
  auto near = [](double x, double y, double unit) {
    return std::isnan(x) ? std::isnan(y) : x == y || std::fabs(x - y) <= 8 * unit * std::fabs(y) + 1e-40;
  };
  for (size_t i = 0; i < host.size(); ++i) {
    const Result &g = got[i], &h = host[i];
    const bool same = std::memcmp(&g.global, &g.in_std, 8) == 0 && std::memcmp(&g.global, &g.by_f, 8) == 0;
    if (same && near(g.global, h.global, 1.2e-7) && near(g.of_int, h.of_int, 2.3e-16)) continue;
    std::printf("FAILED: %s(%g, %g): %.9g, in std %.9g, with f %.9g, should be %.9g; of %d: %.17g, should be %.17g\n",
                h.name, a, b, g.global, g.in_std, g.by_f, h.global, whole, g.of_int, h.of_int);
    ++failures();
  }
}

int main() {
  expect_all(0.7f, 0.3f, 1);
  expect_all(2.5f, -1.25f, 3);
  expect_all(-0.4f, 2.0f, 0);
  return finish();
}
