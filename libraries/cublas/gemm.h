// The one matrix product behind all of cuBLAS's: types, transposes, strides and batches are arguments.
#pragma once

#include "handle.h"

namespace drywarp::cublas {

// A matrix of each batch: a stride apart, or at the place that an array in device memory names.
template <class T>
struct Matrix {
  T* data;
  int64_t ld, stride;
  T* const* array;  // if not null, instead of data and stride
  __device__ T* of(int64_t batch) const { return array ? array[batch] : data + batch * stride; }
};
template <class T>
Matrix<T> matrix(T* data, int64_t ld, int64_t stride = 0) {
  return {data, ld, stride, nullptr};
}
template <class T>
Matrix<T> matrices(T* const* array, int64_t ld) {
  return {nullptr, ld, 0, array};
}

// Which elements of C a product writes.
enum class Part { All, Lower, Upper };

struct ProductShape {
  cublasOperation_t transa, transb;
  int64_t m, n, k;
  int64_t batch = 1;
  Part part = Part::All;
  bool real_diagonal = false;  // of a Hermitian C
};

// What is multiplied and added in type Sum. Instances: Product<float, float, float>, <double x 3>, <half, half, float>,
// <half, float, float>, <bf16, bf16, float>, <bf16, float, float>, <int8, int32, int32>, <Complex<float> x 3>, <Complex<double> x 3>, of (In, Out, Sum).
template <class In, class Out, class Sum>
cublasStatus_t product(cublasHandle_t handle, const ProductShape& shape, Scalar<Sum> alpha, Matrix<const In> a,
                       Matrix<const In> b, Scalar<Sum> beta, Matrix<Out> c);

// 0 if the shape and leading dimensions are possible; `empty`: nothing is to be done.
cublasStatus_t check_shape(cublasHandle_t handle, const ProductShape& shape, int64_t lda, int64_t ldb, int64_t ldc,
                           bool& empty);

}  // namespace drywarp::cublas
