// Copies and fills of linear memory and symbols.
#include "cuda/c_abi/copy_ends.h"

using namespace drywarp::cudart;
using drywarp::cuda::CopyKind;
using drywarp::cuda::CopyOperation;
using drywarp::cuda::Extent3;
using drywarp::cuda::FillOperation;

extern "C" {

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
  DW_CALL({ return copy(session, linear(to), linear(from), {count, 1, 1}, kind, stream); });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t count, enum cudaMemcpyKind kind) {
  DW_CALL({
    DW_TRY(copy(session, linear(to), linear(from), {count, 1, 1}, kind, nullptr));
    return wait_for_copy(session, kind);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  DW_CALL(
      { return copy(session, pitched(to, to_pitch), pitched(from, from_pitch), {width, height, 1}, kind, stream); });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) {
  DW_ALIAS(synchronized(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr), kind));
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  DW_CALL({
    if (!parameters) return Error::InvalidValue;
    CopyOperation operation;
    DW_TRY(make_copy_3d(session, *parameters, operation));
    DW_STREAM(target, stream);
    return session.streams().issue(target, operation);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  DW_ALIAS(synchronized(cudaMemcpy3DAsync(parameters, nullptr)));
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t count,
                                cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
  DW_ALIAS(cudaMemcpyAsync(to, from, count, cudaMemcpyDeviceToDevice, stream));
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t count) {
  DW_ALIAS(synchronized(cudaMemcpyPeerAsync(to, to_device, from, from_device, count, nullptr)));
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  if (!p) return cudaErrorInvalidValue;
  if (p->srcDevice != 0 || p->dstDevice != 0) return cudaErrorInvalidDevice;
  const cudaMemcpy3DParms same{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                               p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
  DW_ALIAS(cudaMemcpy3DAsync(&same, stream));
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  DW_ALIAS(synchronized(cudaMemcpy3DPeerAsync(p, nullptr)));
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t count, cudaStream_t stream) {
  DW_CALL({ return fill(session, to, 0, 0, value, {count, 1, 1}, stream); });
}

cudaError_t cudaMemset(void* to, int value, size_t count) {
  DW_CALL({
    DW_TRY(fill(session, to, 0, 0, value, {count, 1, 1}, nullptr));
    return wait_for_fill(session, to);
  });
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  DW_CALL({ return fill(session, to, pitch, 0, value, {width, height, 1}, stream); });
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  DW_ALIAS(cudaMemset2DAsync(to, pitch, value, width, height, nullptr));
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  DW_CALL({
    const bool empty = extent.width == 0 || extent.height == 0 || extent.depth == 0;
    if (!empty && extent.height > to.ysize) return Error::InvalidValue;
    return fill(session, to.ptr, to.pitch, to.ysize, value, {extent.width, extent.height, extent.depth}, stream);
  });
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  DW_ALIAS(cudaMemset3DAsync(to, value, extent, nullptr));
}

cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
  DW_CALL({
    uint64_t where = 0;
    uint64_t size = 0;
    if (!out) return Error::InvalidValue;
    DW_TRY(session.symbol(symbol, where, size));
    *out = pointer(where);
    return Error::Success;
  });
}

cudaError_t cudaGetSymbolSize(size_t* out, const void* symbol) {
  DW_CALL({
    uint64_t where = 0;
    uint64_t size = 0;
    if (!out) return Error::InvalidValue;
    DW_TRY(session.symbol(symbol, where, size));
    *out = size;
    return Error::Success;
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
  DW_CALL({
    void* to = nullptr;
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return Error::InvalidMemcpyDirection;
    DW_TRY(symbol_part(session, symbol, offset, count, to));
    return copy(session, linear(to), linear(from), {count, 1, 1}, kind, stream);
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t count, size_t offset,
                               enum cudaMemcpyKind kind) {
  DW_ALIAS(synchronized(cudaMemcpyToSymbolAsync(symbol, from, count, offset, kind, nullptr), kind));
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
  DW_CALL({
    void* from = nullptr;
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return Error::InvalidMemcpyDirection;
    DW_TRY(symbol_part(session, symbol, offset, count, from));
    return copy(session, linear(to), linear(from), {count, 1, 1}, kind, stream);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t count, size_t offset, enum cudaMemcpyKind kind) {
  DW_ALIAS(synchronized(cudaMemcpyFromSymbolAsync(to, symbol, count, offset, kind, nullptr), kind));
}

}  // extern "C"
