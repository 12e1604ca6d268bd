#include "cuda/c_abi/copy_ends.h"

#include "cuda/c_abi/driver.h"
#include "cuda/session/misuse.h"

namespace drywarp::cudart {

using cuda::CopyEnd;
using cuda::CopyKind;
using cuda::Extent3;

Error copy(Session& session, const CopyEnd& to, const CopyEnd& from, const Extent3& extent, cudaMemcpyKind kind,
           cudaStream_t handle) {
  DW_STREAM(stream, handle);
  cuda::CopyOperation operation;
  const Error error = cuda::make_copy(session.memory(), to, from, extent, static_cast<CopyKind>(kind), operation);
  if (error != Error::Success) {
    cuda::explain_copy(session.checks(), session.memory(), to, &from, extent, static_cast<CopyKind>(kind));
    return error;
  }
  if (extent.width != 0)
    cuda::judge_direction(session.checks(), session.memory(), to, from, static_cast<CopyKind>(kind));
  return session.streams().issue(stream, operation);
}

Error make_copy_3d(Session& session, const cudaMemcpy3DParms& p, cuda::CopyOperation& out) {
  // Exactly one source and one destination.
  if ((p.srcArray != nullptr) == (p.srcPtr.ptr != nullptr) || (p.dstArray != nullptr) == (p.dstPtr.ptr != nullptr))
    return Error::InvalidValue;
  const cuda::Array* from_array = array(p.srcArray);
  const cuda::Array* to_array = array(p.dstArray);
  for (const cuda::Array* a : {from_array, to_array})
    if (a && !session.memory().is_live(a)) return Error::InvalidResourceHandle;
  if (from_array && to_array && from_array->element != to_array->element) return Error::InvalidValue;
  // With an array, widths and x positions are in elements; x of linear memory is always in bytes.
  const size_t element = from_array ? from_array->element : to_array ? to_array->element : 1;
  CopyEnd from{address(p.srcPtr.ptr),
               p.srcPtr.pitch,
               p.srcPtr.ysize,
               from_array,
               p.srcPos.x * (from_array ? element : 1),
               p.srcPos.y,
               p.srcPos.z};
  CopyEnd to{address(p.dstPtr.ptr),
             p.dstPtr.pitch,
             p.dstPtr.ysize,
             to_array,
             p.dstPos.x * (to_array ? element : 1),
             p.dstPos.y,
             p.dstPos.z};
  return cuda::make_copy(session.memory(), to, from, {p.extent.width * element, p.extent.height, p.extent.depth},
                         static_cast<CopyKind>(p.kind), out);
}

Error fill(Session& session, void* to, size_t pitch, size_t rows, int value, const Extent3& extent,
           cudaStream_t handle) {
  DW_STREAM(stream, handle);
  cuda::FillOperation operation;
  if (const Error error =
          cuda::make_fill(session.memory(), address(to), pitch, rows, uint8_t(value), 1, extent, operation);
      error != Error::Success) {
    const CopyEnd end{address(to), pitch, rows};
    cuda::explain_copy(session.checks(), session.memory(), end, nullptr, extent, CopyKind::Default);
    return error;
  }
  return session.streams().issue(stream, operation);
}

Error symbol_part(Session& session, const void* symbol, size_t offset, size_t count, void*& out) {
  uint64_t where = 0, size = 0;
  DW_TRY(session.symbol(symbol, where, size));
  if (offset > size || count > size - offset) return Error::InvalidValue;
  out = pointer(where + offset);
  return Error::Success;
}

Error wait_for_copy(Session& session, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDeviceToDevice) return Error::Success;
  DW_STREAM(stream, nullptr);
  return session.streams().finish(stream);
}

Error wait_for_fill(Session& session, const void* to) {
  const cuda::PointerKind kind = session.memory().describe(address(to)).kind;
  if (kind != cuda::PointerKind::Managed && kind != cuda::PointerKind::Host) return Error::Success;
  DW_STREAM(stream, nullptr);
  return session.streams().finish(stream);
}

cudaError_t synchronized(cudaError_t issued, cudaMemcpyKind kind) {
  if (issued != cudaSuccess) return issued;
  return query(nullptr, [&](Session& session) {
    DW_TRY(wait_for_copy(session, kind));
    return session.errors().sticky();
  });
}

CUresult synchronized(CUresult issued) {
  return issued == CUDA_SUCCESS ? driver_call([] { return synchronized(cudaSuccess); }) : issued;
}

}  // namespace drywarp::cudart
