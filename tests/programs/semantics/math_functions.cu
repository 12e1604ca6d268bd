// The math library within the error that CUDA documents, against the host's double precision.
#include <cmath>

#include "check.h"

struct Function {
  const char* name;
  double (*reference)(double);
  double low, high;
  double max_ulp;  // CUDA C++ Programming Guide, "Mathematical Functions", in units of the last place
};

#define FLOAT_FUNCTIONS(F)                                                                                              \
  F(sinf, std::sin, -100, 100, 2) F(cosf, std::cos, -100, 100, 2) F(tanf, std::tan, -50, 50, 4) F(expf, std::exp, -80, 80, 2) \
  F(exp2f, std::exp2, -120, 120, 2) F(exp10f, exp_10, -37, 37, 2) F(expm1f, std::expm1, -20, 80, 1.5) F(logf, std::log, 1e-30, 1e30, 1) \
  F(log2f, std::log2, 1e-30, 1e30, 1.5) F(log10f, std::log10, 1e-30, 1e30, 2) F(log1pf, std::log1p, -0.99, 1e6, 1.5) \
  F(sinhf, std::sinh, -80, 80, 3) F(coshf, std::cosh, -80, 80, 2) F(tanhf, std::tanh, -20, 20, 2) F(asinf, std::asin, -1, 1, 2) \
  F(acosf, std::acos, -1, 1, 2) F(atanf, std::atan, -100, 100, 2) F(asinhf, std::asinh, -1e6, 1e6, 3) F(acoshf, std::acosh, 1, 1e6, 4) \
  F(atanhf, std::atanh, -0.999, 0.999, 3) F(erff, std::erf, -5, 5, 2) F(erfcf, std::erfc, -5, 9, 4) F(tgammaf, std::tgamma, 0.1, 30, 8) \
  F(cbrtf, std::cbrt, -1e6, 1e6, 1) F(rsqrtf, reciprocal_root, 1e-20, 1e20, 2) F(sinpif, sin_pi, -8, 8, 1) F(cospif, cos_pi, -8, 8, 1)
#define DOUBLE_FUNCTIONS(F)                                                                                             \
  F(sin, std::sin, -100, 100, 2) F(cos, std::cos, -100, 100, 2) F(tan, std::tan, -50, 50, 2) F(exp, std::exp, -700, 700, 1) \
  F(log, std::log, 1e-150, 1e150, 1) F(log2, std::log2, 1e-30, 1e30, 1) F(tanh, std::tanh, -20, 20, 1) F(atan, std::atan, -100, 100, 2) \
  F(asin, std::asin, -1, 1, 2) F(erf, std::erf, -5, 5, 2) F(cbrt, cube_root, -1e6, 1e6, 1) F(rsqrt, reciprocal_root, 1e-20, 1e20, 1) \
  F(sinh, std::sinh, -80, 80, 2) F(tgamma, std::tgamma, 0.1, 30, 10) F(expm1, std::expm1, -20, 80, 1) F(log1p, std::log1p, -0.99, 1e6, 1)

double exp_10(double x) { return std::pow(10.0, x); }
double cube_root(double x) { return static_cast<double>(cbrtl(x)); }  // the host's cbrt is several ulp off
double reciprocal_root(double x) { return 1 / std::sqrt(x); }
double sin_pi(double x) { return std::sin(std::fmod(x, 2.0) * 3.14159265358979323846); }
double cos_pi(double x) { return std::cos(std::fmod(x, 2.0) * 3.14159265358979323846); }

#define KERNEL(f, reference, low, high, ulp) \
  template <typename T> __global__ void k_##f(T* out, const T* in) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = f(in[i]); }
FLOAT_FUNCTIONS(KERNEL)
DOUBLE_FUNCTIONS(KERNEL)

constexpr int kSamples = 4096;

template <typename T>
void test(const char* name, void (*kernel)(T*, const T*), double (*reference)(double), double low, double high, double max_ulp) {
  std::vector<T> in(kSamples);
  const bool logarithmic = low > 0 && high / low > 1e6;
  for (int i = 0; i < kSamples; ++i) {
    const double at = i / double(kSamples - 1);
    in[i] = static_cast<T>(logarithmic ? low * std::pow(high / low, at) : low + (high - low) * at);
    if (in[i] < low) in[i] = static_cast<T>(low);
  }
  Buffer<T> device_in(in), out(kSamples);
  kernel<<<kSamples / 128, 128>>>(out.data(), device_in.data());
  CK_LAUNCH();
  const std::vector<T> got = out.get();
  double worst = 0;
  int worst_at = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double want = reference(static_cast<double>(in[i]));
    const T nearest = static_cast<T>(want);
    const T size = std::fabs(nearest);
    double ulp = static_cast<double>(std::nextafter(size, static_cast<T>(INFINITY)) - size);
    if (sizeof(T) == 4 && ulp < 1.4e-45) ulp = 1.4e-45;
    const double slack = (sizeof(T) == 8 ? 1.0 : 0.0) + (reference == sin_pi || reference == cos_pi ? 2e-15 / ulp : 0);  // the reference's own
    const double error = std::fabs(static_cast<double>(got[i]) - want) / ulp - slack;
    if (!(error <= worst)) worst = error, worst_at = i;
  }
  if (worst <= max_ulp + 0.5) return;
  std::printf("FAILED: %s is %.2f ulp off at %.9g: %.17g\n", name, worst, double(in[worst_at]), double(got[worst_at]));
  ++failures();
}

__global__ void binary(float* out, const float* a, const float* b) {
  int i = threadIdx.x;
  float* o = out + 8 * i;
  int exponent, quotient;
  o[0] = powf(fabsf(a[i]), b[i]);
  o[1] = atan2f(a[i], b[i]);
  o[2] = hypotf(a[i], b[i]);
  o[3] = fmodf(a[i], b[i]);
  o[4] = remquof(a[i], b[i], &quotient);
  o[5] = ldexpf(frexpf(a[i], &exponent), 3) + exponent;
  o[6] = fdimf(a[i], b[i]);
  o[7] = nextafterf(a[i], b[i]);
}

// The fast approximations, within their documented absolute errors on small arguments.
__global__ void fast(float* out, const float* in) {
  int i = threadIdx.x;
  float* o = out + 8 * i;
  float x = in[i];
  o[0] = __sinf(x), o[1] = __cosf(x), o[2] = __expf(x), o[3] = __logf(fabsf(x) + 1), o[4] = __powf(fabsf(x) + 0.5f, 1.5f);
  o[5] = __fdividef(x, 3.f), o[6] = __exp10f(x), o[7] = __log2f(fabsf(x) + 2);
}

int main() {
#define TEST_FLOAT(f, reference, low, high, ulp) test<float>(#f, k_##f<float>, reference, low, high, ulp);
#define TEST_DOUBLE(f, reference, low, high, ulp) test<double>(#f, k_##f<double>, reference, low, high, ulp);
  FLOAT_FUNCTIONS(TEST_FLOAT)
  DOUBLE_FUNCTIONS(TEST_DOUBLE)
  {
    const int n = 256;
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; ++i) a[i] = (i - 100) * 0.37f + 0.05f, b[i] = (i * 7 % 41 - 20) * 0.21f + 0.1f;
    Buffer<float> da(a), db(b), out(8 * n);
    binary<<<1, n>>>(out, da, db);
    CK_LAUNCH();
    const std::vector<float> got = out.get();
    for (int i = 0; i < n; ++i) {
      const double x = a[i], y = b[i];
      int exponent;
      const double want[8] = {std::pow(std::fabs(x), y), std::atan2(x, y), std::hypot(x, y), std::fmod(x, y), std::remainder(x, y),
                              std::frexp(x, &exponent) * 8 + 0, x > y ? static_cast<double>(a[i] - b[i]) : 0.0,
                              std::nextafter(a[i], b[i])};
      for (int k = 0; k < 8; ++k) {
        const double w = k == 5 ? want[k] + exponent : want[k];
        if (std::fabs(got[8 * i + k] - w) <= 1e-6 * std::fabs(w) + 1e-30) continue;
        std::printf("FAILED: binary %d of (%g, %g) = %.9g, should be %.9g\n", k, x, y, got[8 * i + k], w);
        ++failures();
      }
    }
  }
  {
    const int n = 256;
    std::vector<float> in(n);
    for (int i = 0; i < n; ++i) in[i] = (i - 128) * 3.1f / 128;
    Buffer<float> device_in(in), out(8 * n);
    fast<<<1, n>>>(out, device_in);
    CK_LAUNCH();
    const std::vector<float> got = out.get();
    for (int i = 0; i < n; ++i) {
      const double x = in[i];
      const double want[8] = {std::sin(x), std::cos(x), std::exp(x), std::log(std::fabs(x) + 1), std::pow(std::fabs(x) + 0.5, 1.5),
                              x / 3, std::pow(10.0, x), std::log2(std::fabs(x) + 2)};
      for (int k = 0; k < 8; ++k) {
        if (std::fabs(got[8 * i + k] - want[k]) <= 6e-7 + 2e-6 * std::fabs(want[k])) continue;
        std::printf("FAILED: fast %d of %g = %.9g, should be %.9g\n", k, x, got[8 * i + k], want[k]);
        ++failures();
      }
    }
  }
  return finish();
}
