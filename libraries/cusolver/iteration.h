// The parameters of functions that iterate, and what the last call did.
#pragma once

#include "../dense/jacobi.h"
#include "handle.h"

namespace drywarp::cusolver {

// `outcome` lies on the device.
struct Iteration {
  dense::Limits limits{0, 100, true};
  dense::Outcome* outcome = nullptr;
};

// For functions without such parameters.
inline constexpr dense::Limits kDefaultLimits{0, 100, true};

template <class Info>
cusolverStatus_t make_iteration(Info** out) {
  CUSOLVER_NEEDS(out);
  Info* const made = new (std::nothrow) Info;
  if (!made) return CUSOLVER_STATUS_ALLOC_FAILED;
  if (const cudaError_t error = cudaMalloc(&made->outcome, sizeof *made->outcome)) {
    delete made;
    return status_of(error);
  }
  *out = made;
  return CUSOLVER_STATUS_SUCCESS;
}
template <class Info>
cusolverStatus_t remove_iteration(Info* info) {
  if (!info) return CUSOLVER_STATUS_SUCCESS;
  const cudaError_t error = cudaFree(info->outcome);
  delete info;
  return status_of(error);
}
template <class Value>
cusolverStatus_t set_limit(Iteration* info, Value dense::Limits::* member, Value value) {
  CUSOLVER_NEEDS(info);
  info->limits.*member = value;
  return CUSOLVER_STATUS_SUCCESS;
}
template <class Value>
cusolverStatus_t read_outcome(cusolverDnHandle_t handle, const Iteration* info, Value dense::Outcome::* member,
                              Value* out) {
  CUSOLVER_NEEDS_HANDLE(handle);
  CUSOLVER_NEEDS(info && out);
  dense::Outcome outcome;
  CUSOLVER_TRY(status_of(
      cudaMemcpyAsync(&outcome, info->outcome, sizeof outcome, cudaMemcpyDeviceToHost, handle->stream)));
  CUSOLVER_TRY(status_of(cudaStreamSynchronize(handle->stream)));
  *out = outcome.*member;
  return CUSOLVER_STATUS_SUCCESS;
}

// The functions of one kind of parameters.
#define ITERATION(Kind, Name, Object)                                                                            \
  cusolverStatus_t cusolverDnCreate##Kind##Info(Object##_t* info) { return make_iteration(info); }              \
  cusolverStatus_t cusolverDnDestroy##Kind##Info(Object##_t info) { return remove_iteration(info); }            \
  cusolverStatus_t cusolverDnX##Name##SetTolerance(Object##_t info, double value) {                             \
    return set_limit(info, &drywarp::dense::Limits::tolerance, value);                                        \
  }                                                                                                           \
  cusolverStatus_t cusolverDnX##Name##SetMaxSweeps(Object##_t info, int value) {                                \
    return set_limit(info, &drywarp::dense::Limits::sweeps, value);                                           \
  }                                                                                                           \
  cusolverStatus_t cusolverDnX##Name##SetSortEig(Object##_t info, int value) {                                  \
    return set_limit(info, &drywarp::dense::Limits::sorted, value != 0);                                      \
  }                                                                                                           \
  cusolverStatus_t cusolverDnX##Name##GetResidual(cusolverDnHandle_t handle, Object##_t info, double* value) {  \
    return read_outcome(handle, info, &drywarp::dense::Outcome::residual, value);                             \
  }                                                                                                           \
  cusolverStatus_t cusolverDnX##Name##GetSweeps(cusolverDnHandle_t handle, Object##_t info, int* value) {       \
    return read_outcome(handle, info, &drywarp::dense::Outcome::sweeps, value);                               \
  }

}  // namespace drywarp::cusolver
