// What programs that hold cuBLAS to sums on the host share.
#pragma once

#include <cublas_v2.h>

#include "solver_check.h"

#undef OK
#define OK(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

constexpr cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

template <class T>
Matrix<T> applied(const Matrix<T>& a, cublasOperation_t op) {
  return op == CUBLAS_OP_N ? part(a, a.rows, a.cols) : adjoint(a, op == CUBLAS_OP_C);
}

// A number as the library takes it.
template <class T>
auto* at(const T& x) {
  return reinterpret_cast<const typename Api<T>::Type*>(&x);
}
template <class T>
auto* at(T& x) {
  return reinterpret_cast<typename Api<T>::Type*>(&x);
}
