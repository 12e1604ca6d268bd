// Converts copies from the C API's form to the session's.
#pragma once

#include "cuda.h"
#include "cuda/c_abi/runtime.h"
#include "cuda/streams/copies.h"

namespace drywarp::cudart {

inline cuda::CopyEnd linear(const void* p) { return {address(p)}; }
inline cuda::CopyEnd pitched(const void* p, size_t pitch) { return {address(p), pitch}; }
inline const cuda::Array* array(cudaArray_const_t handle) { return reinterpret_cast<const cuda::Array*>(handle); }

Error copy(Session& session, const cuda::CopyEnd& to, const cuda::CopyEnd& from, const cuda::Extent3& extent,
           cudaMemcpyKind kind, cudaStream_t stream);
Error make_copy_3d(Session& session, const cudaMemcpy3DParms& parameters, cuda::CopyOperation& out);
// `extent` in bytes.
Error fill(Session& session, void* to, size_t pitch, size_t rows, int value, const cuda::Extent3& extent,
           cudaStream_t stream);
// The address of bytes [offset, offset + count) of a device variable.
Error symbol_part(Session& session, const void* symbol, size_t offset, size_t count, void*& out);

// Makes an asynchronous copy synchronous: waits for it, unless it is from device to device.
Error wait_for_copy(Session& session, cudaMemcpyKind kind);
// A fill without a stream is synchronous where the host can see it.
Error wait_for_fill(Session& session, const void* to);
cudaError_t synchronized(cudaError_t issued, cudaMemcpyKind kind = cudaMemcpyDefault);
CUresult synchronized(CUresult issued);

}  // namespace drywarp::cudart
