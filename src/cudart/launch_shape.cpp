#include "cudart/launch_shape.h"

#include <limits>

namespace drywarp::cudart {
namespace {

Error start(Session& session, const void* kernel, const LaunchShape& shape, session::KernelOperation& out) {
  DW_TRY(find_kernel(session, kernel, out.kernel));
  if (shape.shared > std::numeric_limits<uint32_t>::max()) return Error::InvalidValue;
  out.grid = dim(shape.grid);
  out.block = dim(shape.block);
  out.dynamic_shared_bytes = uint32_t(shape.shared);
  out.cooperative = shape.cooperative;
  return session.launcher().check(out);
}

}  // namespace

Error find_kernel(Session& session, const void* stub_or_handle, session::Kernel*& out) {
  out = session.modules().find_kernel(stub_or_handle);
  return out ? session.launcher().prepare(*out) : Error::InvalidDeviceFunction;
}

Error make_launch(Session& session, const void* kernel, const LaunchShape& shape, void** arguments,
                  session::KernelOperation& out) {
  DW_TRY(start(session, kernel, shape, out));
  return session::Launcher::pack(*out.kernel, arguments, out.parameters);
}

Error launch(Session& session, const void* kernel, const LaunchShape& shape, void** arguments) {
  DW_STREAM(stream, shape.stream);
  session::KernelOperation operation;
  DW_TRY(make_launch(session, kernel, shape, arguments, operation));
  return session.streams().issue(stream, std::move(operation));
}

Error launch_packed(Session& session, const void* kernel, const LaunchShape& shape, std::vector<uint8_t> parameters) {
  DW_STREAM(stream, shape.stream);
  session::KernelOperation operation;
  DW_TRY(start(session, kernel, shape, operation));
  parameters.resize(session::Launcher::code(*operation.kernel).parameter_bytes);
  operation.parameters = std::move(parameters);
  return session.streams().issue(stream, std::move(operation));
}

}  // namespace drywarp::cudart
