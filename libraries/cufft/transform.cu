// Transforms: elements are copied from the program's layout, go through a pass for each factor of each dimension, and
// are copied to the program's layout. A pass is Stockham's, which needs no reordering; a thread computes an element.
#include <type_traits>

#include "plan.h"

namespace drywarp::cufft {
namespace {

constexpr int kThreads = 256;

template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;
};
struct Shape {
  int64_t sizes[3], elements;
  __device__ void split(int64_t e, int64_t& b, int64_t& x, int64_t& y, int64_t& z) const {
    z = e % sizes[2], e /= sizes[2];
    y = e % sizes[1], e /= sizes[1];
    x = e % sizes[0], b = e / sizes[0];
  }
};
__device__ int64_t first() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ int64_t step() { return int64_t(gridDim.x) * blockDim.x; }

template <class T>
__global__ void gather_complex(Shape shape, Layout from, const Complex<T>* in, Complex<T>* work) {
  for (int64_t e = first(); e < shape.elements; e += step()) {
    int64_t b, x, y, z;
    shape.split(e, b, x, y, z);
    work[e] = in[from.place(b, x, y, z)];
  }
}
template <class T>
__global__ void gather_real(Shape shape, Layout from, const T* in, Complex<T>* work) {
  for (int64_t e = first(); e < shape.elements; e += step()) {
    int64_t b, x, y, z;
    shape.split(e, b, x, y, z);
    work[e] = {in[from.place(b, x, y, z)], 0};
  }
}
// The half of the last dimension that is kept; the other half is its conjugate.
template <class T>
__global__ void gather_half(Shape shape, Layout from, const Complex<T>* in, Complex<T>* work) {
  for (int64_t e = first(); e < shape.elements; e += step()) {
    int64_t b, x, y, z;
    shape.split(e, b, x, y, z);
    if (z <= shape.sizes[2] / 2) {
      work[e] = in[from.place(b, x, y, z)];
    } else {
      const Complex<T> other = in[from.place(b, (shape.sizes[0] - x) % shape.sizes[0],
                                             (shape.sizes[1] - y) % shape.sizes[1], shape.sizes[2] - z)];
      work[e] = {other.re, -other.im};
    }
  }
}
template <class T>
__global__ void scatter_complex(Shape shape, Layout to, const Complex<T>* work, Complex<T>* out, int64_t kept) {
  for (int64_t e = first(); e < shape.elements; e += step()) {
    int64_t b, x, y, z;
    shape.split(e, b, x, y, z);
    if (z < kept) out[to.place(b, x, y, z)] = work[e];
  }
}
template <class T>
__global__ void scatter_real(Shape shape, Layout to, const Complex<T>* work, T* out) {
  for (int64_t e = first(); e < shape.elements; e += step()) {
    int64_t b, x, y, z;
    shape.split(e, b, x, y, z);
    out[to.place(b, x, y, z)] = work[e].re;
  }
}

// One factor of a dimension: `n` elements, `inner` apart, whose factors so far have the product `done`.
template <class T>
__global__ void pass(int64_t elements, int64_t n, int64_t inner, int64_t done, int64_t factor, const Complex<T>* roots,
                     T direction, const Complex<T>* from, Complex<T>* to) {
  for (int64_t e = first(); e < elements; e += step()) {
    const int64_t at = e / inner % n;
    const int64_t within = at % (done * factor);
    const int64_t source = at / (done * factor) * done + within % done;
    const Complex<T>* const line = from + (e - at * inner);
    const int64_t turn = within * (n / (done * factor));  // of the roots, for each further element
    T re = 0, im = 0;
    int64_t root = 0;
    for (int64_t s = 0; s < factor; ++s) {
      const Complex<T> x = line[(source + s * (n / factor)) * inner], w = roots[root];
      re += x.re * w.re - direction * x.im * w.im;
      im += x.im * w.re + direction * x.re * w.im;
      root += turn;
      if (root >= n) root -= n;
    }
    to[e] = {re, im};
  }
}

int64_t factor_of(int64_t n) {
  if (n % 4 == 0) return 4;
  for (int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}

template <class... Parameters>
cufftResult launch(const Plan& plan, void (*kernel)(Parameters...), std::type_identity_t<Parameters>... arguments) {
  const int64_t blocks = (plan.elements() + kThreads - 1) / kThreads;
  void* pointers[] = {&arguments...};
  // Without <<<>>>, whose errors would be the program's last error.
  const cudaError_t error =
      cudaLaunchKernel(reinterpret_cast<const void*>(kernel), unsigned(blocks < 65535 ? blocks : 65535), kThreads,
                       pointers, 0, plan.stream);
  return error == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

// In place, the rows of real numbers are as long as those of complex ones.
Layout padded(const Plan& plan) {
  const int64_t row = 2 * (plan.sizes[2] / 2 + 1);
  return {plan.sizes[0] * plan.sizes[1] * row, {plan.sizes[1] * row, row, 1}};
}

template <class T>
cufftResult run(const Plan& plan, const void* in, void* out, int direction) {
  const Shape shape = {{plan.sizes[0], plan.sizes[1], plan.sizes[2]}, plan.elements()};
  const bool pads = in == out && !plan.advanced;
  auto* from = static_cast<Complex<T>*>(plan.area);
  Complex<T>* to = from + plan.elements();
  if (plan.from_real()) {
    CUFFT_TRY(launch(plan, gather_real<T>, shape, pads ? padded(plan) : plan.in, static_cast<const T*>(in), from));
  } else {
    CUFFT_TRY(launch(plan, plan.to_real() ? gather_half<T> : gather_complex<T>, shape, plan.in,
                     static_cast<const Complex<T>*>(in), from));
  }
  int64_t inner = 1;
  for (int d = 2; d >= 0; --d) {
    const int64_t n = plan.sizes[d];
    for (int64_t done = 1; done < n;) {
      const int64_t factor = factor_of(n / done);
      CUFFT_TRY(launch(plan, pass<T>, plan.elements(), n, inner, done, factor,
                       static_cast<const Complex<T>*>(plan.roots[d]), T(direction == CUFFT_FORWARD ? 1 : -1), from,
                       to));
      Complex<T>* const next = from;
      from = to, to = next;
      done *= factor;
    }
    inner *= n;
  }
  if (plan.to_real())
    return launch(plan, scatter_real<T>, shape, pads ? padded(plan) : plan.out, from, static_cast<T*>(out));
  const int64_t kept = plan.from_real() ? plan.sizes[2] / 2 + 1 : plan.sizes[2];
  return launch(plan, scatter_complex<T>, shape, plan.out, from, static_cast<Complex<T>*>(out), kept);
}

cufftResult execute(cufftHandle handle, const cufftType* wanted, const void* in, void* out, int direction) {
  const Plan* const plan = find(handle);
  CUFFT_NEEDS(plan && plan->made && (!wanted || plan->type == *wanted), CUFFT_INVALID_PLAN);
  CUFFT_NEEDS(in && out && (direction == CUFFT_FORWARD || direction == CUFFT_INVERSE), CUFFT_INVALID_VALUE);
  CUFFT_NEEDS(plan->area, CUFFT_NO_WORKSPACE);
  if (plan->from_real()) direction = CUFFT_FORWARD;
  if (plan->to_real()) direction = CUFFT_INVERSE;
  return plan->is_double() ? run<double>(*plan, in, out, direction) : run<float>(*plan, in, out, direction);
}

}  // namespace
}  // namespace drywarp::cufft

using namespace drywarp::cufft;

extern "C" {

#define TURNED(Name, Of)                                                          \
  cufftResult cufftExec##Name(cufftHandle plan, Of* in, Of* out, int direction) { \
    constexpr cufftType kType = CUFFT_##Name;                                     \
    return execute(plan, &kType, in, out, direction);                             \
  }
#define ONE_WAY(Name, In, Out)                                      \
  cufftResult cufftExec##Name(cufftHandle plan, In* in, Out* out) { \
    constexpr cufftType kType = CUFFT_##Name;                       \
    return execute(plan, &kType, in, out, CUFFT_FORWARD);           \
  }
TURNED(C2C, cufftComplex)
TURNED(Z2Z, cufftDoubleComplex)
ONE_WAY(R2C, cufftReal, cufftComplex)
ONE_WAY(D2Z, cufftDoubleReal, cufftDoubleComplex)
ONE_WAY(C2R, cufftComplex, cufftReal)
ONE_WAY(Z2D, cufftDoubleComplex, cufftDoubleReal)

cufftResult cufftXtExec(cufftHandle plan, void* in, void* out, int direction) {
  return execute(plan, nullptr, in, out, direction);
}

}  // extern "C"
