// The driver API stands on the runtime API: the same session, handles and errors. CUresult has the runtime's numbers
// except where the runtime has codes of its own.
#pragma once

#include "cuda.h"
#include "cuda/c_abi/launch_configuration.h"
#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {

[[nodiscard]] CUresult result(cudaError_t error);

// Runs `body`, which gives a cudaError_t. cudaGetLastError knows nothing of the driver's errors, unless they are
// sticky.
template <class Body>
CUresult driver_call(Body&& body) {
  cuda::LastErrors& errors = runtime().errors();
  const Error before = errors.mine();
  const CUresult out = result(body());
  errors.put_back(before);
  return out;
}

// The body of an entry that is a call of the runtime's: DW_AS(cudaMalloc(&p, n)).
#define DW_AS(...) return ::drywarp::cudart::driver_call([&]() -> cudaError_t { return __VA_ARGS__; })
// The body of an entry of its own, as DW_CALL: `session` is at hand.
#define DW_DRIVER(...)                                                                              \
  return ::drywarp::cudart::driver_call([&, dw_name = __func__] {                                   \
    return ::drywarp::cudart::call<::drywarp::cudart::Needs::Device>(dw_name, DW_BODY __VA_ARGS__); \
  })

inline void* device_pointer(CUdeviceptr address) { return pointer(address); }

// Runs `make(void**)`, which gives a cudaError_t, and hands the address out.
template <class Make>
CUresult give_address(CUdeviceptr* out, Make&& make) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  void* made = nullptr;
  const CUresult error = driver_call([&] { return make(&made); });
  if (error == CUDA_SUCCESS) *out = address(made);
  return error;
}

// The one context: its address says that it is there.
[[nodiscard]] CUcontext only_context();

// The newest version of a driver function up to that CUDA (12050 for 12.5), in its form for a null stream of each
// thread's own if so; null if there is none.
[[nodiscard]] void* find_entry(const char* name, int cuda_version, bool per_thread);

}  // namespace drywarp::cudart
