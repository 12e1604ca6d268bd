// A handle of cuSPARSE, what its descriptors hold, and how its functions launch kernels.
#pragma once

#include <cusparse.h>

#include <cstdint>
#include <new>
#include <type_traits>

struct cusparseContext {
  cudaStream_t stream = nullptr;
  cusparsePointerMode_t pointers = CUSPARSE_POINTER_MODE_HOST;
};
struct cusparseMatDescr {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};

struct cusparseSpVecDescr {
  int64_t size, nonzeros;
  void *indices, *values;
  cusparseIndexType_t index_type;
  cusparseIndexBase_t base;
  cudaDataType type;
};
struct cusparseDnVecDescr {
  int64_t size;
  void* values;
  cudaDataType type;
};
struct cusparseDnMatDescr {
  int64_t rows, cols, ld;
  void* values;
  cudaDataType type;
  cusparseOrder_t order;
  int batches = 1;
  int64_t stride = 0;
};
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  int64_t rows, cols, nonzeros;
  void *offsets, *indices, *values;  // of COO, `offsets` are the rows
  cusparseIndexType_t offsets_type, index_type;
  cusparseIndexBase_t base;
  cudaDataType type;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  int batches = 1;
  int64_t offsets_stride = 0, stride = 0;
};

namespace drywarp::cusparse {

inline cusparseStatus_t status_of(cudaError_t error) {
  return error == cudaSuccess                 ? CUSPARSE_STATUS_SUCCESS
         : error == cudaErrorMemoryAllocation ? CUSPARSE_STATUS_ALLOC_FAILED
                                              : CUSPARSE_STATUS_EXECUTION_FAILED;
}

// What every function checks first.
#define CUSPARSE_NEEDS(condition) \
  if (!(condition)) return CUSPARSE_STATUS_INVALID_VALUE
#define CUSPARSE_NEEDS_HANDLE(handle) \
  if (!(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED
#define CUSPARSE_TRY(call) \
  if (const cusparseStatus_t status = (call)) return status

// A new handle or descriptor; `values`: what it begins with.
template <class T, class... Values>
cusparseStatus_t make(T** out, const Values&... values) {
  CUSPARSE_NEEDS(out);
  *out = new (std::nothrow) T(values...);
  return *out ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

// A value in device memory, for the host, once the handle's stream has done its work.
template <class T>
cusparseStatus_t read(cusparseHandle_t handle, const T* from, T* to) {
  CUSPARSE_TRY(status_of(cudaMemcpyAsync(to, from, sizeof *to, cudaMemcpyDeviceToHost, handle->stream)));
  return status_of(cudaStreamSynchronize(handle->stream));
}

// A scalar that the caller keeps on the host or on the device.
template <class T>
struct Scalar {
  T value;
  const T* device;  // if not null, instead of `value`
  __device__ T get() const { return device ? *device : value; }
};
template <class T>
Scalar<T> scalar(cusparseHandle_t handle, const void* at) {
  const T* const typed = static_cast<const T*>(at);
  return handle->pointers == CUSPARSE_POINTER_MODE_HOST ? Scalar<T>{*typed, nullptr} : Scalar<T>{T(), typed};
}

// Calls `work` with a value of the type, if it is one that drywarp computes with.
template <class Work>
cusparseStatus_t with_type(cudaDataType type, Work work) {
  switch (type) {
    case CUDA_R_32F:
      return work(float());
    case CUDA_R_64F:
      return work(double());
    default:
      return CUSPARSE_STATUS_NOT_SUPPORTED;
  }
}

// Without <<<>>>, whose errors would be the program's last error.
template <class... Parameters>
cusparseStatus_t launch(cusparseHandle_t handle, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                        std::type_identity_t<Parameters>... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return CUSPARSE_STATUS_SUCCESS;
  void* pointers[] = {&arguments...};
  return status_of(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, pointers, 0, handle->stream));
}

// Kernels loop over what remains: a grid has at most `kMostBlocks`.
inline constexpr int kThreads = 128;
inline constexpr int64_t kMostBlocks = 65535;
inline dim3 blocks_for(int64_t n, int64_t per_block = kThreads) {
  const int64_t blocks = (n + per_block - 1) / per_block;
  return dim3(unsigned(blocks < kMostBlocks ? blocks : kMostBlocks));
}
__device__ inline int64_t first_thread() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline int64_t all_threads() { return int64_t(gridDim.x) * blockDim.x; }

// Device memory for as long as a call, or a descriptor, lives. cudaFree waits for the kernels that use it.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { release(); }
  template <class T>
  cusparseStatus_t allocate(int64_t count, T** out) {
    release();
    const cusparseStatus_t status = status_of(cudaMalloc(&at_, size_t(count > 0 ? count : 1) * sizeof(T)));
    *out = static_cast<T*>(at_);
    return status;
  }

 private:
  void release() {
    if (at_) cudaFree(at_);  // not otherwise: a stream may be captured
    at_ = nullptr;
  }
  void* at_ = nullptr;
};

}  // namespace drywarp::cusparse
