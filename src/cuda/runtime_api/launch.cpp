// Kernel launches in every ABI that compilers have used.
#include <cstring>

#include "cuda/c_abi/launch_configuration.h"

namespace drywarp::cudart {
namespace {

// Configurations that <<<>>> pushed and the stub has not popped, and arguments that were set one by one (before CUDA
// 9.2).
struct Pending {
  LaunchConfiguration configuration;
  std::vector<uint8_t> arguments;
};
thread_local std::vector<Pending> pending;

}  // namespace
}  // namespace drywarp::cudart

using namespace drywarp::cudart;

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st* stream) {
  pending.push_back({{grid, block, shared, stream}, {}});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (pending.empty()) return cudaErrorMissingConfiguration;
  const LaunchConfiguration& configuration = pending.back().configuration;
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  std::memcpy(stream, &configuration.stream, sizeof configuration.stream);
  pending.pop_back();
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
  DW_CALL({ return launch(session, function, {grid, block, shared, stream}, arguments); });
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                                        cudaStream_t stream) {
  DW_CALL({ return launch(session, function, {grid, block, shared, stream, true}, arguments); });
}

// There is one device, so a launch on several devices is not supported.
cudaError_t cudaLaunchCooperativeKernelMultiDevice(cudaLaunchParams* list, unsigned devices, unsigned) {
  DW_CALL({
    if (!list || devices == 0) return Error::InvalidValue;
    if (devices > 1) return Error::InvalidDevice;
    return launch(session, list->func, {list->gridDim, list->blockDim, list->sharedMem, list->stream, true},
                  list->args);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  DW_CALL({
    if (!config) return Error::InvalidValue;
    LaunchConfiguration configuration;
    DW_TRY(launch_configuration(*config, configuration));
    return launch(session, function, configuration, arguments);
  });
}

// CUDA 13: a stub gets a handle once, then launches with it.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  DW_QUERY({
    auto* found = session.modules().find_kernel(stub);
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return found ? Error::Success : Error::InvalidDeviceFunction;
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  DW_CALL({ return launch(session, kernel, {grid, block, shared, stream}, arguments); });
}

cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  pending.push_back({{grid, block, shared, stream}, {}});
  return cudaSuccess;
}

cudaError_t cudaSetupArgument(const void* argument, size_t size, size_t offset) {
  if (pending.empty()) return cudaErrorMissingConfiguration;
  if (!argument) return cudaErrorInvalidValue;
  auto& bytes = pending.back().arguments;
  if (bytes.size() < offset + size) bytes.resize(offset + size);
  std::memcpy(bytes.data() + offset, argument, size);
  return cudaSuccess;
}

cudaError_t cudaLaunch(const void* function) {
  DW_CALL({
    if (pending.empty()) return Error::MissingConfiguration;
    Pending call = std::move(pending.back());
    pending.pop_back();
    return launch_packed(session, function, call.configuration, std::move(call.arguments));
  });
}

}  // extern "C"
