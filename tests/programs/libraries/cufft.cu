// cuFFT's transforms against sums on the host.
// RUN: -lcufft
// EXPECT-STDOUT: OK
#include <cufftXt.h>

#include <cmath>
#include <complex>
#include <vector>

#include "expect.h"

#define OK(call) EXPECT((call) == CUFFT_SUCCESS)

namespace {

using Number = std::complex<double>;
using Numbers = std::vector<Number>;

unsigned state = 1;
double number() {
  state = state * 1664525u + 1013904223u;
  return int(state >> 20) / 2048.0 - 1.0;
}
Numbers numbers(size_t n, bool real) {
  Numbers v(n);
  for (Number& x : v) x = {number(), real ? 0 : number()};
  return v;
}

struct Shape {
  int x, y, z, batch;
  [[nodiscard]] int elements() const { return x * y * z * batch; }
};

// One dimension: n elements `inner` apart.
void transform_lines(Numbers& v, int n, int inner, int direction) {
  Numbers line(static_cast<size_t>(n));
  for (size_t e = 0; e < v.size(); ++e) {
    if (e / size_t(inner) % size_t(n) != 0) continue;
    for (int k = 0; k < n; ++k) {
      Number sum = 0;
      for (int j = 0; j < n; ++j)
        sum += v[e + size_t(j) * inner] *
               std::polar(1.0, direction * 2 * M_PI * (double(j) * k - n * double(int64_t(j) * k / n)) / n);
      line[size_t(k)] = sum;
    }
    for (int k = 0; k < n; ++k) v[e + size_t(k) * inner] = line[size_t(k)];
  }
}
Numbers transformed(Numbers v, Shape s, int direction) {
  transform_lines(v, s.z, 1, direction);
  transform_lines(v, s.y, s.z, direction);
  transform_lines(v, s.x, s.y * s.z, direction);
  return v;
}

template <class T>
struct Device {
  T* at = nullptr;
  size_t count;
  explicit Device(const std::vector<T>& from) : count(from.size()) {
    cudaMalloc(&at, count * sizeof(T));
    cudaMemcpy(at, from.data(), count * sizeof(T), cudaMemcpyDefault);
  }
  ~Device() { cudaFree(at); }
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> to(count);
    cudaMemcpy(to.data(), at, count * sizeof(T), cudaMemcpyDefault);
    return to;
  }
};
template <class T>
std::vector<std::complex<T>> narrowed(const Numbers& v) {
  return std::vector<std::complex<T>>(v.begin(), v.end());
}

template <class T>
struct Types;
template <>
struct Types<float> {
  using Complex = cufftComplex;
  static constexpr auto kC2C = CUFFT_C2C, kR2C = CUFFT_R2C, kC2R = CUFFT_C2R;
  static constexpr auto c2c = cufftExecC2C;
  static constexpr auto r2c = cufftExecR2C;
  static constexpr auto c2r = cufftExecC2R;
  static constexpr double kError = 1e-5;
};
template <>
struct Types<double> {
  using Complex = cufftDoubleComplex;
  static constexpr auto kC2C = CUFFT_Z2Z, kR2C = CUFFT_D2Z, kC2R = CUFFT_Z2D;
  static constexpr auto c2c = cufftExecZ2Z;
  static constexpr auto r2c = cufftExecD2Z;
  static constexpr auto c2r = cufftExecZ2D;
  static constexpr double kError = 1e-13;
};

template <class T>
bool near(std::complex<T> have, Number want, double size) {
  return std::abs(Number(have) - want) <= Types<T>::kError * size;
}

template <class T>
cufftHandle plan_of(Shape s, cufftType type) {
  cufftHandle plan = 0;
  if (s.x > 1)
    OK(cufftPlan3d(&plan, s.x, s.y, s.z, type));
  else if (s.y > 1)
    OK(cufftPlan2d(&plan, s.y, s.z, type));
  else
    OK(cufftPlan1d(&plan, s.z, type, s.batch));
  return plan;
}

template <class T>
void check(Shape s) {
  using Of = Types<T>;
  using Complex = typename Of::Complex;
  const auto all = size_t(s.elements());
  const double size = std::sqrt(double(s.x) * s.y * s.z);
  for (const int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
    const Numbers in = numbers(all, false), want = transformed(in, s, direction);
    Device<std::complex<T>> data(narrowed<T>(in));
    const cufftHandle plan = plan_of<T>(s, Of::kC2C);
    auto* const at = reinterpret_cast<Complex*>(data.at);
    OK(Of::c2c(plan, at, at, direction));
    const auto have = data.read();
    for (size_t i = 0; i < all; ++i) EXPECT(near(have[i], want[i], 4 * size));
    OK(cufftDestroy(plan));
  }
  // Real numbers and back: the half that is kept, then as many times the numbers as there are.
  const Numbers in = numbers(all, true), want = transformed(in, s, CUFFT_FORWARD);
  const int half = s.z / 2 + 1;
  const size_t rows = all / size_t(s.z);
  for (const bool in_place : {false, true}) {
    const size_t row = in_place ? size_t(2 * half) : size_t(s.z);
    std::vector<T> real(rows * row);
    for (size_t i = 0; i < all; ++i) real[i / size_t(s.z) * row + i % size_t(s.z)] = T(in[i].real());
    Device<T> reals(real);
    Device<std::complex<T>> spectrum{std::vector<std::complex<T>>(rows * size_t(half))};
    auto* const to = reinterpret_cast<Complex*>(in_place ? static_cast<void*>(reals.at) : spectrum.at);
    const cufftHandle forward = plan_of<T>(s, Of::kR2C), back = plan_of<T>(s, Of::kC2R);
    OK(Of::r2c(forward, reals.at, to));
    std::vector<std::complex<T>> have(rows * size_t(half));
    cudaMemcpy(have.data(), to, have.size() * sizeof have[0], cudaMemcpyDefault);
    for (size_t r = 0; r < rows; ++r)
      for (size_t k = 0; k < size_t(half); ++k)
        EXPECT(near(have[r * size_t(half) + k], want[r * size_t(s.z) + k], 4 * size));
    OK(Of::c2r(back, to, reals.at));
    const auto again = reals.read();
    for (size_t i = 0; i < all; ++i) {
      const T x = again[i / size_t(s.z) * row + i % size_t(s.z)];
      EXPECT(std::abs(double(x) - size * size * in[i].real()) <= Of::kError * size * size * 4);
    }
    OK(cufftDestroy(forward));
    OK(cufftDestroy(back));
  }
}

// Columns of a matrix, by strides and distances of the program's own.
void check_strides() {
  constexpr int rows = 12, columns = 7;
  const Numbers in = numbers(rows * columns, false);
  Numbers want = in;
  transform_lines(want, rows, columns, CUFFT_FORWARD);
  Device<std::complex<float>> data(narrowed<float>(in));
  cufftHandle plan;
  int n[] = {rows};
  OK(cufftPlanMany(&plan, 1, n, n, columns, 1, n, columns, 1, CUFFT_C2C, columns));
  auto* const at = reinterpret_cast<cufftComplex*>(data.at);
  OK(cufftExecC2C(plan, at, at, CUFFT_FORWARD));
  const auto have = data.read();
  for (size_t i = 0; i < want.size(); ++i) EXPECT(near(have[i], want[i], 16));
  OK(cufftDestroy(plan));
}

void check_plans() {
  cufftHandle plan;
  EXPECT(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
  OK(cufftCreate(&plan));
  OK(cufftSetAutoAllocation(plan, 0));
  size_t size = 0, again = 0;
  long long n[] = {16};
  OK(cufftXtMakePlanMany(plan, 1, n, nullptr, 1, 1, CUDA_C_32F, nullptr, 1, 1, CUDA_C_32F, 1, &size, CUDA_C_32F));
  OK(cufftGetSize(plan, &again));
  EXPECT(size == again && size >= 16 * sizeof(cufftComplex));
  std::vector<std::complex<float>> impulse(16);
  impulse[0] = 1;
  Device<std::complex<float>> data(impulse);
  EXPECT(cufftXtExec(plan, data.at, data.at, CUFFT_FORWARD) == CUFFT_NO_WORKSPACE);
  const Device<char> area{std::vector<char>(size)};
  OK(cufftSetWorkArea(plan, area.at));
  OK(cufftXtExec(plan, data.at, data.at, CUFFT_FORWARD));
  for (const auto x : data.read()) EXPECT(x == 1.0f);
  OK(cufftDestroy(plan));
  EXPECT(cufftDestroy(plan) == CUFFT_INVALID_PLAN);
}

}  // namespace

int main() {
  for (const Shape s : {Shape{1, 1, 64, 3}, Shape{1, 1, 1, 2}, Shape{1, 1, 45, 2}, Shape{1, 1, 31, 1},
                        Shape{1, 8, 12, 1}, Shape{1, 15, 7, 1}, Shape{4, 6, 10, 1}, Shape{3, 5, 9, 1}}) {
    check<float>(s);
    check<double>(s);
  }
  check_strides();
  check_plans();
  std::printf("OK\n");
}
