// Vectors whose types are arguments: halves and bfloat16 are computed with as floats, the others as what they are.
#include "vectors.h"

namespace drywarp::cublas {
namespace {

// Numbers are kept as Stored and computed with as Value, which is the type of alpha, too.
template <class Stored_, class Value_>
struct Types {
  using Stored = Stored_;
  using Value = Value_;
};

template <class T>
__global__ void axpy_ex(int64_t n, Scalar<typename T::Value> alpha, Vector<const typename T::Stored> x,
                        Vector<typename T::Stored> y) {
  using Value = typename T::Value;
  const Value a = alpha.get();
  for_elements(n, [&](int64_t i) {
    auto& to = y.data[place(i, n, y.stride)];
    to = typename T::Stored(Value(to) + a * Value(x.data[place(i, n, x.stride)]));
  });
}
template <class T>
__global__ void scal_ex(int64_t n, Scalar<typename T::Value> alpha, Vector<typename T::Stored> x) {
  using Value = typename T::Value;
  const Value a = alpha.get();
  for_elements(n, [&](int64_t i) { x.data[i * x.stride] = typename T::Stored(a * Value(x.data[i * x.stride])); });
}

// A reduction whose result is stored as the numbers are.
template <class R, class Stored>
struct StoredResult : R {
  using Result = Stored;
  static __device__ Stored result(typename R::Partial a) { return Stored(R::result(a)); }
};

// Calls f(Types<...>()) for the numbers' type, if `computed` is the type that they are computed with.
template <class F>
cublasStatus_t with_types(cudaDataType stored, cudaDataType computed, F&& f) {
  if (computed == CUDA_R_64F) return stored == CUDA_R_64F ? f(Types<double, double>()) : CUBLAS_STATUS_NOT_SUPPORTED;
  if (computed != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (stored == CUDA_R_16F) return f(Types<__half, float>());
  if (stored == CUDA_R_16BF) return f(Types<__nv_bfloat16, float>());
  return stored == CUDA_R_32F ? f(Types<float, float>()) : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t axpy_of(cublasHandle_t h, int64_t n, const void* alpha, cudaDataType alpha_type, const void* x,
                       cudaDataType x_type, int64_t incx, void* y, cudaDataType y_type, int64_t incy,
                       cudaDataType computed) {
  if (h && (x_type != y_type || alpha_type != computed)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return with_types(x_type, computed, [&](auto types) -> cublasStatus_t {
    using T = decltype(types);
    using Stored = typename T::Stored;
    CUBLAS_ELEMENTS(alpha&& x&& y, axpy_ex<T>, scalar(h, static_cast<const typename T::Value*>(alpha)),
                    Vector<const Stored>{static_cast<const Stored*>(x), incx},
                    Vector<Stored>{static_cast<Stored*>(y), incy});
  });
}

cublasStatus_t scal_of(cublasHandle_t h, int64_t n, const void* alpha, cudaDataType alpha_type, void* x,
                       cudaDataType x_type, int64_t incx, cudaDataType computed) {
  if (h && alpha_type != computed) return CUBLAS_STATUS_NOT_SUPPORTED;
  return with_types(x_type, computed, [&](auto types) -> cublasStatus_t {
    using T = decltype(types);
    using Stored = typename T::Stored;
    if (h && incx <= 0) return CUBLAS_STATUS_SUCCESS;
    CUBLAS_ELEMENTS(alpha&& x, scal_ex<T>, scalar(h, static_cast<const typename T::Value*>(alpha)),
                    Vector<Stored>{static_cast<Stored*>(x), incx});
  });
}

// The result has the numbers' type.
template <template <class> class R>
cublasStatus_t reduce_ex(cublasHandle_t h, int64_t n, const void* x, cudaDataType x_type, int64_t incx, const void* y,
                         cudaDataType y_type, int64_t incy, void* result, cudaDataType result_type,
                         cudaDataType computed) {
  if (h && (x_type != y_type || x_type != result_type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return with_types(x_type, computed, [&](auto types) -> cublasStatus_t {
    using T = decltype(types);
    using Stored = typename T::Stored;
    return reduce<StoredResult<R<typename T::Value>, Stored>, Stored>(
        h, n, {static_cast<const Stored*>(x), incx}, {static_cast<const Stored*>(y), incy},
        static_cast<Stored*>(result));
  });
}

}  // namespace
}  // namespace drywarp::cublas

using namespace drywarp::cublas;

// Complex numbers, of which all have one type, are those of the plain functions.
#define COMPLEX_DOT(letter, Form)                                                                                     \
  if (x_type == y_type && x_type == result_type && x_type == type) {                                                  \
    if (type == CUDA_C_32F)                                                                                           \
      return cublasCdot##letter##_v2##Form(h, n, static_cast<const cuComplex*>(x), incx,                              \
                                           static_cast<const cuComplex*>(y), incy, static_cast<cuComplex*>(result));  \
    if (type == CUDA_C_64F)                                                                                           \
      return cublasZdot##letter##_v2##Form(h, n, static_cast<const cuDoubleComplex*>(x), incx,                        \
                                           static_cast<const cuDoubleComplex*>(y), incy,                              \
                                           static_cast<cuDoubleComplex*>(result));                                    \
  }
// The products of real numbers have nothing to conjugate.
#define LEVEL1_EX(Form, Int)                                                                                      \
  cublasStatus_t cublasAxpyEx##Form(cublasHandle_t h, Int n, const void* alpha, cudaDataType alpha_type,          \
                                    const void* x, cudaDataType x_type, Int incx, void* y, cudaDataType y_type,   \
                                    Int incy, cudaDataType type) {                                                \
    return axpy_of(h, n, alpha, alpha_type, x, x_type, incx, y, y_type, incy, type);                              \
  }                                                                                                               \
  cublasStatus_t cublasScalEx##Form(cublasHandle_t h, Int n, const void* alpha, cudaDataType alpha_type, void* x, \
                                    cudaDataType x_type, Int incx, cudaDataType type) {                           \
    return scal_of(h, n, alpha, alpha_type, x, x_type, incx, type);                                               \
  }                                                                                                               \
  cublasStatus_t cublasDotEx##Form(cublasHandle_t h, Int n, const void* x, cudaDataType x_type, Int incx,         \
                                   const void* y, cudaDataType y_type, Int incy, void* result,                    \
                                   cudaDataType result_type, cudaDataType type) {                                 \
    COMPLEX_DOT(u, Form)                                                                                          \
    return reduce_ex<Dot>(h, n, x, x_type, incx, y, y_type, incy, result, result_type, type);                     \
  }                                                                                                               \
  cublasStatus_t cublasDotcEx##Form(cublasHandle_t h, Int n, const void* x, cudaDataType x_type, Int incx,        \
                                    const void* y, cudaDataType y_type, Int incy, void* result,                   \
                                    cudaDataType result_type, cudaDataType type) {                                \
    COMPLEX_DOT(c, Form)                                                                                          \
    return reduce_ex<Dot>(h, n, x, x_type, incx, y, y_type, incy, result, result_type, type);                     \
  }                                                                                                               \
  cublasStatus_t cublasNrm2Ex##Form(cublasHandle_t h, Int n, const void* x, cudaDataType x_type, Int incx,        \
                                    void* result, cudaDataType result_type, cudaDataType type) {                  \
    return reduce_ex<Nrm2>(h, incx > 0 ? n : 0, x, x_type, incx, x, x_type, incx, result, result_type, type);     \
  }

extern "C" {
LEVEL1_EX(, int)
LEVEL1_EX(_64, int64_t)
}
