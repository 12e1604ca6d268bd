// Solvers that in cuSOLVER factor in a lower precision and refine. Here the factors have the matrix's own precision, so
// that there is nothing to refine: no iterations, and a residual as after a plain solution. A stays as it is.
#include "handle.h"

struct cusolverDnIRSParams {
  cusolverPrecType_t main = CUSOLVER_R_8I;  // not set yet
  cusolverIRSRefinement_t refinement = CUSOLVER_IRS_REFINE_NOT_SET;
  int iterations = 50;
};
struct cusolverDnIRSInfos {};

namespace drywarp::cusolver {
namespace {

#define FACTORS(P, T)                                                                                         \
  cusolverStatus_t factor(cusolverDnHandle_t h, int n, T* a, int* pivots, int* info) {                        \
    return cusolverDn##P##getrf(h, n, n, a, n > 1 ? n : 1, nullptr, pivots, info);                            \
  }                                                                                                           \
  cusolverStatus_t solve(cusolverDnHandle_t h, int n, int sides, const T* a, const int* pivots, T* x, int ld, \
                         int* info) {                                                                         \
    return cusolverDn##P##getrs(h, CUBLAS_OP_N, n, sides, a, n > 1 ? n : 1, pivots, x, ld, info);             \
  }
FACTORS(S, float)
FACTORS(D, double)
FACTORS(C, cuComplex)
FACTORS(Z, cuDoubleComplex)

cusolverStatus_t copy(cusolverDnHandle_t h, void* to, int64_t ld_to, const void* from, int64_t ld_from, int64_t rows,
                      int64_t columns, size_t size) {
  return status_of(cudaMemcpy2DAsync(to, size * size_t(ld_to), from, size * size_t(ld_from), size * size_t(rows),
                                     size_t(columns), cudaMemcpyDeviceToDevice, h->stream));
}

bool possible(int n, int sides) { return n >= 0 && sides >= 0; }
// A copy of the matrix, pivots, and what the second step says.
int64_t work_bytes(int64_t n, int64_t size) { return n * n * size + (n + 1) * int64_t(sizeof(int)); }

// `pivots`: or null.
template <class T>
cusolverStatus_t gesv(cusolverDnHandle_t h, int n, int sides, const T* a, int lda, int* pivots, const T* b, int ldb,
                      T* x, int ldx, void* work, size_t bytes, int* iterations, int* info) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible(n, sides) && covers(lda, n) && covers(ldb, n) && covers(ldx, n) && iterations && info);
  *iterations = 0;
  if (n == 0 || sides == 0) return clear(h, info);
  CUSOLVER_NEEDS(a && b && x && work && int64_t(bytes) >= work_bytes(n, sizeof(T)));
  T* const factors = static_cast<T*>(work);
  int* const rest = reinterpret_cast<int*>(factors + int64_t(n) * n);
  int* const used = pivots ? pivots : rest + 1;
  CUSOLVER_TRY(copy(h, factors, n, a, lda, n, n, sizeof(T)));
  CUSOLVER_TRY(factor(h, n, factors, used, info));
  CUSOLVER_TRY(copy(h, x, ldx, b, ldb, n, sides, sizeof(T)));
  return solve(h, n, sides, factors, used, x, ldx, rest);
}

// Calls `work` with a number of the precision.
template <class Work>
cusolverStatus_t with_precision(cusolverPrecType_t main, Work work) {
  switch (main) {
    case CUSOLVER_R_32F:
      return work(float());
    case CUSOLVER_R_64F:
      return work(double());
    case CUSOLVER_C_32F:
      return work(cuComplex());
    case CUSOLVER_C_64F:
      return work(cuDoubleComplex());
    default:
      return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
  }
}

}  // namespace
}  // namespace drywarp::cusolver

using namespace drywarp::cusolver;

#define NEEDS_PARAMS(params) \
  if (!(params)) return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED
#define NEEDS_INFOS(infos) \
  if (!(infos)) return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED
// P: the matrix's precision and a lower one.
#define GESV(P, T)                                                                                                     \
  cusolverStatus_t cusolverDn##P##gesv_bufferSize(cusolverDnHandle_t h, int n, int sides, T*, int lda, int*, T*,       \
                                                  int ldb, T*, int ldx, void*, size_t* bytes) {                        \
    return give_size(h, possible(n, sides) && covers(lda, n) && covers(ldb, n) && covers(ldx, n),                      \
                     work_bytes(n, sizeof(T)), bytes);                                                                 \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##gesv(cusolverDnHandle_t h, int n, int sides, T* a, int lda, int* pivots, T* b,       \
                                       int ldb, T* x, int ldx, void* work, size_t bytes, int* iterations, int* info) { \
    return gesv(h, n, sides, a, lda, pivots, b, ldb, x, ldx, work, bytes, iterations, info);                           \
  }

extern "C" {
#define GESV_FROM(P, T, Q, R, S) GESV(P##Q, T) GESV(P##R, T) GESV(P##S, T)
GESV(ZZ, cuDoubleComplex)
GESV(ZC, cuDoubleComplex)
GESV_FROM(Z, cuDoubleComplex, K, E, Y)
GESV(CC, cuComplex)
GESV_FROM(C, cuComplex, K, E, Y)
GESV(DD, double)
GESV(DS, double)
GESV_FROM(D, double, H, B, X)
GESV(SS, float)
GESV_FROM(S, float, H, B, X)

cusolverStatus_t cusolverDnIRSParamsCreate(cusolverDnIRSParams_t* params) { return make(params); }
cusolverStatus_t cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params) {
  NEEDS_PARAMS(params);
  delete params;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetRefinementSolver(cusolverDnIRSParams_t params, cusolverIRSRefinement_t solver) {
  NEEDS_PARAMS(params);
  params->refinement = solver;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetSolverMainPrecision(cusolverDnIRSParams_t params, cusolverPrecType_t main) {
  NEEDS_PARAMS(params);
  CUSOLVER_TRY(with_precision(main, [](auto) { return CUSOLVER_STATUS_SUCCESS; }));
  params->main = main;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetSolverLowestPrecision(cusolverDnIRSParams_t params, cusolverPrecType_t) {
  NEEDS_PARAMS(params);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetSolverPrecisions(cusolverDnIRSParams_t params, cusolverPrecType_t main,
                                                        cusolverPrecType_t) {
  return cusolverDnIRSParamsSetSolverMainPrecision(params, main);
}
cusolverStatus_t cusolverDnIRSParamsSetTol(cusolverDnIRSParams_t params, double) {
  NEEDS_PARAMS(params);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetTolInner(cusolverDnIRSParams_t params, double) {
  NEEDS_PARAMS(params);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetMaxIters(cusolverDnIRSParams_t params, int iterations) {
  NEEDS_PARAMS(params);
  params->iterations = iterations;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsSetMaxItersInner(cusolverDnIRSParams_t params, int) {
  NEEDS_PARAMS(params);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsGetMaxIters(cusolverDnIRSParams_t params, int* iterations) {
  NEEDS_PARAMS(params);
  CUSOLVER_NEEDS(iterations);
  *iterations = params->iterations;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params) {
  NEEDS_PARAMS(params);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params) {
  NEEDS_PARAMS(params);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t* infos) { return make(infos); }
cusolverStatus_t cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos) {
  NEEDS_INFOS(infos);
  delete infos;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSInfosGetNiters(cusolverDnIRSInfos_t infos, int* iterations) {
  NEEDS_INFOS(infos);
  CUSOLVER_NEEDS(iterations);
  *iterations = 0;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnIRSInfosGetOuterNiters(cusolverDnIRSInfos_t infos, int* iterations) {
  return cusolverDnIRSInfosGetNiters(infos, iterations);
}

cusolverStatus_t cusolverDnIRSXgesv_bufferSize(cusolverDnHandle_t h, cusolverDnIRSParams_t params, int n, int sides,
                                               size_t* bytes) {
  NEEDS_PARAMS(params);
  return with_precision(
      params->main, [&](auto number) { return give_size(h, possible(n, sides), work_bytes(n, sizeof number), bytes); });
}
cusolverStatus_t cusolverDnIRSXgesv(cusolverDnHandle_t h, cusolverDnIRSParams_t params, cusolverDnIRSInfos_t infos,
                                    int n, int sides, void* a, int lda, void* b, int ldb, void* x, int ldx, void* work,
                                    size_t bytes, int* iterations, int* info) {
  NEEDS_PARAMS(params);
  NEEDS_INFOS(infos);
  if (params->refinement == CUSOLVER_IRS_REFINE_NOT_SET) return CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE;
  return with_precision(params->main, [&](auto number) {
    using T = decltype(number);
    return gesv(h, n, sides, static_cast<const T*>(a), lda, nullptr, static_cast<const T*>(b), ldb, static_cast<T*>(x),
                ldx, work, bytes, iterations, info);
  });
}
}
