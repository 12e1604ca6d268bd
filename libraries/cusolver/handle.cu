// Handles and the objects of parameters.
#include "handle.h"

using namespace drywarp::cusolver;

extern "C" {

cusolverStatus_t cusolverGetVersion(int* version) {
  CUSOLVER_NEEDS(version);
  *version = CUSOLVER_VERSION;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int* value) {
  constexpr int kValues[] = {CUSOLVER_VER_MAJOR, CUSOLVER_VER_MINOR, CUSOLVER_VER_PATCH};
  CUSOLVER_NEEDS(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL);
  *value = kValues[type];
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) { return make(handle); }
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  CUSOLVER_NEEDS_HANDLE(handle);
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  CUSOLVER_NEEDS_HANDLE(handle);
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream) {
  CUSOLVER_NEEDS_HANDLE(handle);
  CUSOLVER_NEEDS(stream);
  *stream = handle->stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t mode) {
  CUSOLVER_NEEDS_HANDLE(handle);
  handle->deterministic = mode;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t* mode) {
  CUSOLVER_NEEDS_HANDLE(handle);
  CUSOLVER_NEEDS(mode);
  *mode = handle->deterministic;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) { return make(params); }
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  delete params;
  return CUSOLVER_STATUS_SUCCESS;
}
// There is one algorithm for each function.
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t, cusolverAlgMode_t) {
  CUSOLVER_NEEDS(params);
  return CUSOLVER_STATUS_SUCCESS;
}

}  // extern "C"
