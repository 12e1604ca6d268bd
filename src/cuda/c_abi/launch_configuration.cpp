#include "cuda/c_abi/launch_configuration.h"

#include "cuda.h"

#include <algorithm>
#include <limits>

namespace drywarp::cudart {
namespace {

// Whether the code waits for the launch before it in its stream: cudaGridDependencySynchronize().
bool waits_for_previous(const ir::Function& code) {
  return std::ranges::any_of(code.instructions, [](const ir::Instruction& in) {
    return in.op == ir::Opcode::Griddepcontrol && in.mods.extra.find("wait") != std::string::npos;
  });
}

// A wrong configuration of a launch: CUDA 13 has one error for all.
Error as_built_for(Error error) {
  const bool specific = error == Error::InvalidConfiguration || error == Error::LaunchOutOfResources;
  return specific && built_for >= 13 ? Error::InvalidValue : error;
}

Error start(Session& session, const void* kernel, const LaunchConfiguration& configuration,
            cuda::KernelOperation& out) {
  DW_TRY(find_kernel(session, kernel, out.kernel));
  if (configuration.shared > std::numeric_limits<uint32_t>::max()) return Error::InvalidValue;
  out.grid = dim(configuration.grid);
  out.block = dim(configuration.block);
  out.dynamic_shared_bytes = uint32_t(configuration.shared);
  out.cooperative = configuration.cooperative;
  const auto any_code = [&](bool (*has)(const ir::Function&)) {
    return std::ranges::any_of(out.kernel->image->code().functions, [&](const ir::Function& f) {
      return (!f.is_kernel || &f == &cuda::Launcher::code(*out.kernel)) && has(f);
    });
  };
  out.beside_previous = configuration.programmatic && !any_code(waits_for_previous);
  if (configuration.cluster) out.cluster = dim(*configuration.cluster);
  return as_built_for(session.launcher().check(out));
}

}  // namespace

Error launch_configuration(const cudaLaunchConfig_t& config, LaunchConfiguration& out) {
  out = {config.gridDim, config.blockDim, config.dynamicSmemBytes, config.stream};
  if (config.numAttrs && !config.attrs) return Error::InvalidValue;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) out.cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization)
      out.programmatic = attribute.val.programmaticStreamSerializationAllowed != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto& cluster = attribute.val.clusterDim;
      if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0) return Error::InvalidClusterSize;
      out.cluster = dim3(cluster.x, cluster.y, cluster.z);
    }
  }
  return Error::Success;
}

Error find_kernel(Session& session, const void* stub_or_handle, cuda::Kernel*& out) {
  out = session.modules().find_kernel(stub_or_handle);
  if (out) return session.launcher().load(*out);
  return stub_or_handle && built_for >= 13 ? Error::InvalidResourceHandle : Error::InvalidDeviceFunction;
}

Error make_launch(Session& session, const void* kernel, const LaunchConfiguration& configuration, void** arguments,
                  cuda::KernelOperation& out) {
  DW_TRY(start(session, kernel, configuration, out));
  return cuda::Launcher::pack(*out.kernel, arguments, out.parameters);
}

Error make_packed_launch(Session& session, const void* kernel, const LaunchConfiguration& configuration,
                         std::vector<uint8_t> parameters, cuda::KernelOperation& out) {
  DW_TRY(start(session, kernel, configuration, out));
  parameters.resize(cuda::Launcher::code(*out.kernel).parameter_bytes);
  out.parameters = std::move(parameters);
  return Error::Success;
}

bool packed_arguments(void** extra, std::vector<uint8_t>& out) {
  const void* buffer = nullptr;
  size_t size = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      size = *static_cast<size_t*>(extra[1]);
    else
      return false;
  }
  if (!buffer) return false;
  const auto* first = static_cast<const uint8_t*>(buffer);
  out.assign(first, first + size);
  return true;
}

Error launch(Session& session, const void* kernel, const LaunchConfiguration& configuration, void** arguments) {
  DW_STREAM(stream, configuration.stream);
  cuda::KernelOperation operation;
  DW_TRY(make_launch(session, kernel, configuration, arguments, operation));
  operation.permissions = nvtx::bound_permissions();
  return session.streams().issue(stream, std::move(operation));
}

Error launch_packed(Session& session, const void* kernel, const LaunchConfiguration& configuration,
                    std::vector<uint8_t> parameters) {
  DW_STREAM(stream, configuration.stream);
  cuda::KernelOperation operation;
  DW_TRY(make_packed_launch(session, kernel, configuration, std::move(parameters), operation));
  operation.permissions = nvtx::bound_permissions();
  return session.streams().issue(stream, std::move(operation));
}

}  // namespace drywarp::cudart
