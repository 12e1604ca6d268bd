// Handles, modes, names of statuses, and descriptors of matrices in arrays.
#include "handle.h"

using namespace drywarp::cusparse;

namespace {

struct Status {
  const char *name, *text;
};
constexpr Status kStatuses[] = {{"CUSPARSE_STATUS_SUCCESS", "success"},
                                {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
                                {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
                                {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
                                {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
                                {"CUSPARSE_STATUS_MAPPING_ERROR", "mapping error"},
                                {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
                                {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
                                {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
                                {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
                                {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
                                {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"}};
const Status& find_status(cusparseStatus_t status) {
  static constexpr Status kUnknown = {"unrecognized error code", "unrecognized error code"};
  return size_t(status) < sizeof kStatuses / sizeof *kStatuses ? kStatuses[status] : kUnknown;
}

}  // namespace

extern "C" {

const char* cusparseGetErrorName(cusparseStatus_t status) { return find_status(status).name; }
const char* cusparseGetErrorString(cusparseStatus_t status) { return find_status(status).text; }

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  if (cudaFree(nullptr) != cudaSuccess) return CUSPARSE_STATUS_NOT_INITIALIZED;
  return make(handle);
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  CUSPARSE_NEEDS_HANDLE(handle);
  delete handle;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(version);
  *version = CUSPARSE_VERSION;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value) {
  constexpr int kValues[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
  CUSPARSE_NEEDS(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL);
  *value = kValues[type];
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  CUSPARSE_NEEDS_HANDLE(handle);
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(stream);
  *stream = handle->stream;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(mode == CUSPARSE_POINTER_MODE_HOST || mode == CUSPARSE_POINTER_MODE_DEVICE);
  handle->pointers = mode;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(mode);
  *mode = handle->pointers;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descr) { return make(descr); }
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr) {
  delete descr;
  return CUSPARSE_STATUS_SUCCESS;
}
#define PROPERTY(Name, Type, member)                                            \
  cusparseStatus_t cusparseSetMat##Name(cusparseMatDescr_t descr, Type value) { \
    CUSPARSE_NEEDS(descr);                                                      \
    descr->member = value;                                                      \
    return CUSPARSE_STATUS_SUCCESS;                                             \
  }                                                                             \
  Type cusparseGetMat##Name(const cusparseMatDescr_t descr) { return descr->member; }
PROPERTY(Type, cusparseMatrixType_t, type)
PROPERTY(FillMode, cusparseFillMode_t, fill)
PROPERTY(DiagType, cusparseDiagType_t, diagonal)
PROPERTY(IndexBase, cusparseIndexBase_t, base)

}  // extern "C"
