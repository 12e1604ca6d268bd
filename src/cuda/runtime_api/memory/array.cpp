// CUDA arrays: allocation, and copies from and to them.
#include "cuda/c_abi/copy_ends.h"

using namespace drywarp::cudart;
using drywarp::cuda::Array;
using drywarp::cuda::ChannelFormat;
using drywarp::cuda::CopyEnd;
using drywarp::cuda::CopyKind;
using drywarp::cuda::MipmappedArray;

namespace {

ChannelFormat format(const cudaChannelFormatDesc& d) { return {d.x, d.y, d.z, d.w, int(d.f)}; }
cudaChannelFormatDesc description(const ChannelFormat& f) {
  return {f.x, f.y, f.z, f.w, cudaChannelFormatKind(f.kind)};
}
cudaArray_t handle(Array* array) { return reinterpret_cast<cudaArray_t>(array); }
MipmappedArray* mipmapped(cudaMipmappedArray_const_t handle) {
  return reinterpret_cast<MipmappedArray*>(const_cast<cudaMipmappedArray*>(handle));
}

CopyEnd end(cudaArray_const_t of, size_t x, size_t y) { return {0, 0, 0, array(of), x, y, 0}; }

// Checks handles before they are dereferenced.
Error check_live(Session& session, std::initializer_list<cudaArray_const_t> arrays) {
  for (const cudaArray_const_t a : arrays)
    if (!a || !session.memory().is_live(array(a))) return Error::InvalidResourceHandle;
  return Error::Success;
}

// An array lies on the device: beside `with_host`, a copy goes from device to device or as the pointers say.
Error check_direction(cudaMemcpyKind kind, cudaMemcpyKind with_host) {
  const bool fits = kind == with_host || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
  return fits ? Error::Success : Error::InvalidMemcpyDirection;
}
// What is checked before the place in the array, in an H200's order.
Error check_rows(size_t pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaMemcpyKind with_host) {
  if (width == 0 || height == 0) return Error::Success;
  if (height > 1 && width > pitch) return Error::InvalidPitchValue;
  return check_direction(kind, with_host);
}

// Copies one line of bytes that wraps at an array's rows.
Error wrapped(Session& session, const CopyEnd& to, const CopyEnd& from, size_t count, cudaMemcpyKind kind,
              cudaStream_t of) {
  DW_STREAM(stream, of);
  std::vector<drywarp::cuda::CopyOperation> pieces;
  DW_TRY(drywarp::cuda::make_wrapped_copy(session.memory(), to, from, count, static_cast<CopyKind>(kind), pieces));
  for (const auto& piece : pieces) DW_TRY(session.streams().issue(stream, piece));
  return Error::Success;
}

}  // namespace

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMalloc3DArray(cudaArray_t* out, const cudaChannelFormatDesc* desc, cudaExtent extent, unsigned flags) {
  DW_CALL({
    if (!out || !desc) return Error::InvalidValue;
    Array* made = nullptr;
    const Error error =
        session.memory().create_array(made, format(*desc), {extent.width, extent.height, extent.depth}, flags);
    *out = handle(made);
    return error;
  });
}

cudaError_t cudaMallocArray(cudaArray_t* out, const cudaChannelFormatDesc* desc, size_t width, size_t height,
                            unsigned flags) {
  DW_ALIAS(cudaMalloc3DArray(out, desc, {width, height, 0}, flags));
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* out, const cudaChannelFormatDesc* desc, cudaExtent extent,
                                     unsigned levels, unsigned flags) {
  DW_CALL({
    if (!out || !desc) return Error::InvalidValue;
    MipmappedArray* made = nullptr;
    const Error error = session.memory().create_mipmapped(made, format(*desc),
                                                          {extent.width, extent.height, extent.depth}, levels, flags);
    *out = reinterpret_cast<cudaMipmappedArray_t>(made);
    return error;
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* out, cudaMipmappedArray_const_t of, unsigned level) {
  DW_CALL({
    if (!out || !session.memory().is_live(mipmapped(of))) return Error::InvalidValue;
    const auto& levels = mipmapped(of)->levels;
    if (level >= levels.size()) return Error::InvalidValue;
    *out = handle(levels[level]);
    return Error::Success;
  });
}

cudaError_t cudaFreeArray(cudaArray_t what) {
  DW_CALL({
    session.streams().finish_all();
    return session.memory().destroy(const_cast<Array*>(array(what)));
  });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t what) {
  DW_CALL({
    session.streams().finish_all();
    return session.memory().destroy(mipmapped(what));
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t of) {
  DW_CALL({
    if (!desc) return Error::InvalidValue;
    DW_TRY(check_live(session, {of}));
    *desc = description(array(of)->format);
    return Error::Success;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned* flags, cudaArray_t of) {
  DW_CALL({
    DW_TRY(check_live(session, {of}));
    const Array& a = *array(of);
    if (desc) *desc = description(a.format);
    if (extent) *extent = {a.extent.width, a.extent.height, a.extent.depth};
    if (flags) *flags = a.flags;
    return Error::Success;
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  DW_CALL({
    DW_TRY(check_live(session, {to}));
    DW_TRY(check_rows(pitch, width, height, kind, cudaMemcpyHostToDevice));
    return copy(session, end(to, x, y), pitched(from, pitch), {width, height, 1}, kind, stream);
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind) {
  DW_ALIAS(synchronized(cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, nullptr), kind));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  DW_CALL({
    DW_TRY(check_live(session, {from}));
    DW_TRY(check_rows(pitch, width, height, kind, cudaMemcpyDeviceToHost));
    return copy(session, pitched(to, pitch), end(from, x, y), {width, height, 1}, kind, stream);
  });
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind) {
  DW_ALIAS(synchronized(cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, nullptr), kind));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind) {
  DW_CALL({
    DW_TRY(check_live(session, {to, from}));
    DW_TRY(check_direction(kind, cudaMemcpyDeviceToDevice));
    return copy(session, end(to, to_x, to_y), end(from, from_x, from_y), {width, height, 1}, kind, nullptr);
  });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t count,
                                   enum cudaMemcpyKind kind, cudaStream_t stream) {
  DW_CALL({
    DW_TRY(check_live(session, {to}));
    DW_TRY(check_direction(kind, cudaMemcpyHostToDevice));
    return wrapped(session, end(to, x, y), linear(from), count, kind, stream);
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t count,
                              enum cudaMemcpyKind kind) {
  DW_ALIAS(synchronized(cudaMemcpyToArrayAsync(to, x, y, from, count, kind, nullptr), kind));
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
  DW_CALL({
    DW_TRY(check_live(session, {from}));
    DW_TRY(check_direction(kind, cudaMemcpyDeviceToHost));
    return wrapped(session, linear(to), end(from, x, y), count, kind, stream);
  });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                enum cudaMemcpyKind kind) {
  DW_ALIAS(synchronized(cudaMemcpyFromArrayAsync(to, from, x, y, count, kind, nullptr), kind));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                   size_t from_y, size_t count, enum cudaMemcpyKind kind) {
  DW_CALL({
    DW_TRY(check_live(session, {to, from}));
    return wrapped(session, end(to, to_x, to_y), end(from, from_x, from_y), count, kind, nullptr);
  });
}

}  // extern "C"
