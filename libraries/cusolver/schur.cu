// Eigenvalues and right eigenvectors of general matrices.
#include "../dense/schur.h"

#include "handle.h"

namespace drywarp::cusolver {
namespace {

using dense::Real;

template <class T>
__global__ __launch_bounds__(kThreads) void find_schur_values(const T* a, int64_t n, int64_t ld, T* work,
                                                              dense::SchurResult<T> to, int* info) {
  dense::find_schur_values(a, n, ld, work, to, info);
}

// Values and vectors have the matrix's type, but that values of a real matrix may be complex numbers.
bool known_types(cudaDataType a, cudaDataType values, cudaDataType left, cudaDataType right, cudaDataType compute) {
  const bool of_real = (a == CUDA_R_32F && values == CUDA_C_32F) || (a == CUDA_R_64F && values == CUDA_C_64F);
  return (values == a || of_real) && left == a && right == a && compute == a;
}
// Left eigenvectors are not found, as in cuSOLVER.
bool possible(cusolverEigMode_t left, cusolverEigMode_t right, int64_t n, int64_t lda, int64_t ldvr) {
  return left == CUSOLVER_EIG_MODE_NOVECTOR && known(right) && n >= 0 && covers(lda, n) &&
         (right == CUSOLVER_EIG_MODE_NOVECTOR || covers(ldvr, n));
}

template <class T>
cusolverStatus_t geev(cusolverDnHandle_t h, bool want_vectors, int64_t n, const T* a, int64_t lda, void* values,
                      bool values_complex, T* vectors, int64_t ld, T* work, int64_t size, int* info) {
  CUSOLVER_NEEDS(info);
  if (n == 0) return clear(h, info);
  CUSOLVER_NEEDS(a && values && (!want_vectors || vectors) && work && size >= dense::schur_work<T>(n));
  dense::SchurResult<T> to{nullptr, nullptr, nullptr, want_vectors ? vectors : nullptr, ld};
  if (values_complex)
    to.values = static_cast<dense::AsComplex<T>*>(values);
  else
    to.reals = static_cast<Real<T>*>(values), to.imaginaries = to.reals + n;
  return launch(h, find_schur_values<T>, 1, a, n, lda, work, to, info);
}

}  // namespace
}  // namespace drywarp::cusolver

using namespace drywarp::cusolver;

extern "C" {
cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t left,
                                            cusolverEigMode_t right, int64_t n, cudaDataType type, const void*,
                                            int64_t lda, cudaDataType type_w, const void*, cudaDataType type_vl,
                                            const void*, int64_t, cudaDataType type_vr, const void*, int64_t ldvr,
                                            cudaDataType compute, size_t* device, size_t* host) {
  CUSOLVER_TRY(give_size(
      h, possible(left, right, n, lda, ldvr) && known_types(type, type_w, type_vl, type_vr, compute), 0, host));
  return with_type(type, [&](auto number) {
    return give_size(h, true, drywarp::dense::schur_work<decltype(number)>(n) * int64_t(sizeof number), device);
  });
}
cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t left,
                                 cusolverEigMode_t right, int64_t n, cudaDataType type, void* a, int64_t lda,
                                 cudaDataType type_w, void* w, cudaDataType type_vl, void*, int64_t,
                                 cudaDataType type_vr, void* vr, int64_t ldvr, cudaDataType compute, void* work,
                                 size_t bytes, void*, size_t, int* info) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible(left, right, n, lda, ldvr) && known_types(type, type_w, type_vl, type_vr, compute));
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    return geev(h, right == CUSOLVER_EIG_MODE_VECTOR, n, static_cast<const T*>(a), lda, w,
                type_w == CUDA_C_32F || type_w == CUDA_C_64F, static_cast<T*>(vr), ldvr, static_cast<T*>(work),
                int64_t(bytes / sizeof(T)), info);
  });
}
}
