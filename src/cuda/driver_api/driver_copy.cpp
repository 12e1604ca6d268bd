// Driver API: copies, fills and arrays.
#include <algorithm>

#include "cuda/c_abi/copy_ends.h"
#include "cuda/c_abi/driver.h"
#include "cuda/c_abi/driver_formats.h"

using namespace drywarp::cudart;
using drywarp::cuda::Array;
using drywarp::cuda::CopyEnd;
using drywarp::cuda::CopyKind;
using drywarp::cuda::Extent3;

namespace {

CUresult fill(CUdeviceptr to, size_t pitch, uint32_t value, unsigned element, size_t width, size_t height,
              CUstream of) {
  DW_DRIVER({
    DW_STREAM(stream, of);
    drywarp::cuda::FillOperation operation;
    DW_TRY(drywarp::cuda::make_fill(session.memory(), to, pitch, 0, value, element, {width, height, 1}, operation));
    return session.streams().issue(stream, operation);
  });
}

// One side of CUDA_MEMCPY2D and CUDA_MEMCPY3D.
struct Side {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z, pitch, rows;
};

Error end(Session& session, const Side& side, const Extent3& extent, CopyEnd& out) {
  const Array* of_array = array(reinterpret_cast<cudaArray_const_t>(side.array));
  // For a single row, a pitch of 0 means packed.
  const size_t pitch = side.pitch ? side.pitch : side.x + extent.width;
  const size_t rows = side.rows ? side.rows : side.y + extent.height;
  switch (side.type) {
    case CU_MEMORYTYPE_HOST:
      out = {address(side.host), pitch, rows, nullptr, side.x, side.y, side.z};
      return side.host ? Error::Success : Error::InvalidValue;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
      out = {side.device, pitch, rows, nullptr, side.x, side.y, side.z};
      return side.device ? Error::Success : Error::InvalidValue;
    case CU_MEMORYTYPE_ARRAY:
      out = {0, 0, 0, of_array, side.x, side.y, side.z};
      return session.memory().is_live(of_array) ? Error::Success : Error::InvalidResourceHandle;
  }
  return Error::InvalidValue;
}

Error copy_sides(Session& session, const Side& to, const Side& from, const Extent3& extent, CUstream stream) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return Error::Success;
  const auto too_narrow = [&](const Side& s) {
    return s.type != CU_MEMORYTYPE_ARRAY && s.pitch && s.pitch < s.x + extent.width;
  };
  if (too_narrow(to) || too_narrow(from)) return Error::InvalidValue;
  CopyEnd target, source;
  DW_TRY(end(session, to, extent, target));
  DW_TRY(end(session, from, extent, source));
  const bool from_host = from.type == CU_MEMORYTYPE_HOST, to_host = to.type == CU_MEMORYTYPE_HOST;
  const cudaMemcpyKind kind = from_host ? (to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
                                        : (to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
  const bool unified = from.type == CU_MEMORYTYPE_UNIFIED || to.type == CU_MEMORYTYPE_UNIFIED;
  return copy(session, target, source, extent, unified ? cudaMemcpyDefault : kind, stream);
}

CUresult copy_2d(const CUDA_MEMCPY2D* c, CUstream stream) {
  DW_DRIVER({
    if (!c) return Error::InvalidValue;
    return copy_sides(
        session, {c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstXInBytes, c->dstY, 0, c->dstPitch, 0},
        {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcXInBytes, c->srcY, 0, c->srcPitch, 0},
        {c->WidthInBytes, c->Height, 1}, stream);
  });
}

CUresult copy_3d(const CUDA_MEMCPY3D* c, CUstream stream) {
  DW_DRIVER({
    if (!c || c->srcLOD || c->dstLOD) return Error::InvalidValue;
    return copy_sides(session,
                      {c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstXInBytes, c->dstY, c->dstZ,
                       c->dstPitch, c->dstHeight},
                      {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcXInBytes, c->srcY, c->srcZ,
                       c->srcPitch, c->srcHeight},
                      {c->WidthInBytes, c->Height, c->Depth}, stream);
  });
}

// Copies a line of bytes; in an array, from its first row.
CUresult issue_line(const Side& to, const Side& from, size_t bytes, CUstream stream) {
  DW_DRIVER({ return copy_sides(session, to, from, {bytes, 1, 1}, stream); });
}
CUresult copy_line(const Side& to, const Side& from, size_t bytes) {
  return synchronized(issue_line(to, from, bytes, nullptr));
}
Side on_device(CUdeviceptr at) { return {CU_MEMORYTYPE_DEVICE, nullptr, at, nullptr, 0, 0, 0, 0, 0}; }
Side on_host(const void* at) { return {CU_MEMORYTYPE_HOST, at, 0, nullptr, 0, 0, 0, 0, 0}; }
Side in_array(CUarray of, size_t offset) { return {CU_MEMORYTYPE_ARRAY, nullptr, 0, of, offset, 0, 0, 0, 0}; }

}  // namespace

extern "C" {

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  DW_AS(cudaMemcpyAsync(device_pointer(to), device_pointer(from), bytes, cudaMemcpyDefault, stream));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  DW_AS(cudaMemcpyAsync(device_pointer(to), from, bytes, cudaMemcpyHostToDevice, stream));
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  DW_AS(cudaMemcpyAsync(to, device_pointer(from), bytes, cudaMemcpyDeviceToHost, stream));
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  DW_AS(cudaMemcpyAsync(device_pointer(to), device_pointer(from), bytes, cudaMemcpyDeviceToDevice, stream));
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return synchronized(cuMemcpyAsync(to, from, bytes, nullptr));
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return synchronized(cuMemcpyHtoDAsync(to, from, bytes, nullptr));
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return synchronized(cuMemcpyDtoHAsync(to, from, bytes, nullptr));
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return synchronized(cuMemcpyDtoDAsync(to, from, bytes, nullptr));
}
CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
  return copy_line(in_array(to, offset), on_device(from), bytes);
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
  return copy_line(on_device(to), in_array(from, offset), bytes);
}
CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void* from, size_t bytes) {
  return copy_line(in_array(to, offset), on_host(from), bytes);
}
CUresult cuMemcpyAtoH(void* to, CUarray from, size_t offset, size_t bytes) {
  return copy_line(on_host(to), in_array(from, offset), bytes);
}
CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes) {
  return copy_line(in_array(to, to_offset), in_array(from, from_offset), bytes);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D* c) { return synchronized(copy_2d(c, nullptr)); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* c) { return synchronized(copy_2d(c, nullptr)); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* c, CUstream stream) { return copy_2d(c, stream); }
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* c) { return synchronized(copy_3d(c, nullptr)); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* c, CUstream stream) { return copy_3d(c, stream); }

CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void* from, size_t bytes, CUstream stream) {
  return issue_line(in_array(to, offset), on_host(from), bytes, stream);
}
CUresult cuMemcpyAtoHAsync(void* to, CUarray from, size_t offset, size_t bytes, CUstream stream) {
  return issue_line(on_host(to), in_array(from, offset), bytes, stream);
}
// There is one context: copies between contexts are copies.
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes, CUstream stream) {
  return cuMemcpyDtoDAsync(to, from, bytes, stream);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
  return cuMemcpyDtoD(to, from, bytes);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* c, CUstream stream) {
  // The contexts are in the reserved words of the other structure.
  static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D));
  return copy_3d(reinterpret_cast<const CUDA_MEMCPY3D*>(c), stream);
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* c) { return synchronized(cuMemcpy3DPeerAsync(c, nullptr)); }

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill(to, 0, value, 1, count, 1, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill(to, 0, value, 2, count, 1, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill(to, 0, value, 4, count, 1, stream);
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill(to, 0, value, 1, count, 1, nullptr);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill(to, 0, value, 2, count, 1, nullptr);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) { return fill(to, 0, value, 4, count, 1, nullptr); }
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream) {
  return fill(to, pitch, value, 1, width, height, stream);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream) {
  return fill(to, pitch, value, 2, width, height, stream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                            CUstream stream) {
  return fill(to, pitch, value, 4, width, height, stream);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fill(to, pitch, value, 1, width, height, nullptr);
}
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return fill(to, pitch, value, 2, width, height, nullptr);
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fill(to, pitch, value, 4, width, height, nullptr);
}

CUresult cuArray3DCreate(CUarray* out, const CUDA_ARRAY3D_DESCRIPTOR* d) {
  DW_DRIVER({
    if (!out || !d || (d->NumChannels != 1 && d->NumChannels != 2 && d->NumChannels != 4)) return Error::InvalidValue;
    const auto* format = find_format(d->Format);
    if (!format) return Error::InvalidValue;
    const auto bits = [&](unsigned channel) { return channel < d->NumChannels ? format->bits : 0; };
    Array* made = nullptr;
    DW_TRY(session.memory().create_array(made, {bits(0), bits(1), bits(2), bits(3), int(format->kind)},
                                         {d->Width, d->Height, d->Depth}, d->Flags));
    *out = reinterpret_cast<CUarray>(made);
    return Error::Success;
  });
}
CUresult cuArrayCreate(CUarray* out, const CUDA_ARRAY_DESCRIPTOR* d) {
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR whole{d->Width, d->Height, 0, d->Format, d->NumChannels, 0};
  return cuArray3DCreate(out, &whole);
}
CUresult cuArrayDestroy(CUarray what) {
  if (!what) return CUDA_ERROR_INVALID_HANDLE;
  DW_AS(cudaFreeArray(reinterpret_cast<cudaArray_t>(what)));
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* out, CUarray of) {
  DW_DRIVER({
    const Array* a = array(reinterpret_cast<cudaArray_const_t>(of));
    if (!out) return Error::InvalidValue;
    if (!session.memory().is_live(a)) return Error::InvalidResourceHandle;
    const auto* format = find_format(a->format.x, a->format.kind);
    if (!format) return Error::InvalidValue;
    const unsigned channels = 1u + (a->format.y > 0) + (a->format.z > 0) + (a->format.w > 0);
    *out = {a->extent.width, a->extent.height, a->extent.depth, format->driver, channels, a->flags};
    return Error::Success;
  });
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* out, CUarray of) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR whole{};
  const CUresult error = cuArray3DGetDescriptor(&whole, of);
  if (error == CUDA_SUCCESS) *out = {whole.Width, whole.Height, whole.Format, whole.NumChannels};
  return error;
}

}  // extern "C"
