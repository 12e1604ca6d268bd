// Converts a launch from the C API's form to the session's.
#pragma once

#include <optional>

#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {

struct LaunchConfiguration {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  std::optional<dim3> cluster = {};
  bool programmatic = false;  // may begin before the launch before it in its stream has ended
};

inline exec::Dim3 dim(const dim3& d) { return {d.x, d.y, d.z}; }

// Reads the attributes that change what runs; the others are hints.
Error launch_configuration(const cudaLaunchConfig_t& config, LaunchConfiguration& out);
// The kernel of a host stub or a handle, loaded.
Error find_kernel(Session& session, const void* stub_or_handle, cuda::Kernel*& out);
namespace nvtx {
// What the calling thread has bound with nvtxMemPermissionsBind, as it is now; null: nothing.
[[nodiscard]] std::shared_ptr<const exec::Permissions> bound_permissions();
}  // namespace nvtx

// A checked operation with its arguments packed.
Error make_launch(Session& session, const void* kernel, const LaunchConfiguration& configuration, void** arguments,
                  cuda::KernelOperation& out);
// The same with a packed parameter buffer (cudaSetupArgument, CU_LAUNCH_PARAM_BUFFER_POINTER).
Error make_packed_launch(Session& session, const void* kernel, const LaunchConfiguration& configuration,
                         std::vector<uint8_t> parameters, cuda::KernelOperation& out);
// Reads the packed parameter buffer from `extra`; false if there is none.
bool packed_arguments(void** extra, std::vector<uint8_t>& out);
Error launch(Session& session, const void* kernel, const LaunchConfiguration& configuration, void** arguments);
Error launch_packed(Session& session, const void* kernel, const LaunchConfiguration& configuration,
                    std::vector<uint8_t> parameters);

// `bytes`: size of the program's version of the structure.
Error function_attributes(Session& session, cudaFuncAttributes* out, const void* function, size_t bytes);

}  // namespace drywarp::cudart
