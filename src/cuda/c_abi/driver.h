// The driver API is built on the runtime API: the same session, handles and errors. CUresult has the runtime's numbers,
// except where only the runtime has a code.
#pragma once

#include "cuda.h"
#include "cuda/c_abi/launch_configuration.h"
#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {

[[nodiscard]] CUresult result(cudaError_t error);

// Runs `body`, which returns a cudaError_t. Driver errors do not change cudaGetLastError, unless they are sticky.
template <class Body>
CUresult driver_call(Body&& body) {
  cuda::LastErrors& errors = runtime().errors();
  const Error before = errors.mine();
  const CUresult out = result(body());
  errors.restore(before);
  return out;
}

// The body of a function that calls the runtime's: DW_AS(cudaMalloc(&p, n)).
#define DW_AS(...) return ::drywarp::cudart::driver_call([&]() -> cudaError_t { return __VA_ARGS__; })
// The body of a function of the driver only. As in DW_CALL, it can use `session`.
#define DW_DRIVER_RESULT(...)                                                                       \
  ::drywarp::cudart::driver_call([&, dw_name = __func__] {                                          \
    return ::drywarp::cudart::call<::drywarp::cudart::Needs::Device>(dw_name, DW_BODY __VA_ARGS__); \
  })
#define DW_DRIVER(...) return DW_DRIVER_RESULT(__VA_ARGS__)

inline void* device_pointer(CUdeviceptr address) { return pointer(address); }

// Runs `make(void**)`, which returns a cudaError_t, and stores the address in `out`.
template <class Make>
CUresult store_address(CUdeviceptr* out, Make&& make) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  void* made = nullptr;
  const CUresult error = driver_call([&] { return make(&made); });
  if (error == CUDA_SUCCESS) *out = address(made);
  return error;
}

// The only context. It has no contents; its address is the handle.
[[nodiscard]] CUcontext only_context();

// The newest version of a driver function as of `cuda_version` (12050 for 12.5); null if there is none. `per_thread`:
// the variant that uses the per-thread default stream.
[[nodiscard]] void* find_entry(const char* name, int cuda_version, bool per_thread);

}  // namespace drywarp::cudart
