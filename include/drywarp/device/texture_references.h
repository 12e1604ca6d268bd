// References that are bound at run time, removed in CUDA 12. The compiler turns such variables into .texref and
// .surfref and registers them. Their names, texture<T, type, mode> and surface<T, type>, stand in
// drywarp_texture_names.h.
#ifndef DRYWARP_DEVICE_TEXTURE_REFERENCES_H
#define DRYWARP_DEVICE_TEXTURE_REFERENCES_H
#pragma GCC system_header

#include "drywarp/api/arrays.h"
#include "drywarp/api/channel_descriptor.h"
#include "texture_types.h"

template <class T, int type = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) __drywarp_texture : public textureReference {
  __host__ __drywarp_texture(int normalizedCoordinates = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
                             enum cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference() {
    normalized = normalizedCoordinates;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    channelDesc = cudaCreateChannelDesc<T>();
  }
  __host__ __drywarp_texture(int normalizedCoordinates, enum cudaTextureFilterMode filter,
                             enum cudaTextureAddressMode address, struct cudaChannelFormatDesc format)
      : textureReference() {
    normalized = normalizedCoordinates;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    channelDesc = format;
  }
};

template <class T, int dim = 1>
struct __attribute__((device_builtin_surface_type)) __drywarp_surface : public surfaceReference {};
template <int dim>
struct __attribute__((device_builtin_surface_type)) __drywarp_surface<void, dim> : public surfaceReference {
  __host__ __drywarp_surface() : surfaceReference() {}
};

template <class T, int dim, enum cudaTextureReadMode mode>
static __host__ inline cudaError_t cudaBindTexture(size_t* offset, const __drywarp_texture<T, dim, mode>& tex,
                                                   const void* devPtr, const struct cudaChannelFormatDesc& desc,
                                                   size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, static_cast<const textureReference*>(&tex), devPtr, &desc, size);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __host__ inline cudaError_t cudaBindTexture(size_t* offset, const __drywarp_texture<T, dim, mode>& tex,
                                                   const void* devPtr, size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, static_cast<const textureReference*>(&tex), devPtr, &tex.channelDesc, size);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __host__ inline cudaError_t cudaBindTexture2D(size_t* offset, const __drywarp_texture<T, dim, mode>& tex,
                                                     const void* devPtr, const struct cudaChannelFormatDesc& desc,
                                                     size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, static_cast<const textureReference*>(&tex), devPtr, &desc, width, height, pitch);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __host__ inline cudaError_t cudaBindTexture2D(size_t* offset, const __drywarp_texture<T, dim, mode>& tex,
                                                     const void* devPtr, size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, static_cast<const textureReference*>(&tex), devPtr, &tex.channelDesc, width,
                             height, pitch);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __host__ inline cudaError_t cudaBindTextureToArray(const __drywarp_texture<T, dim, mode>& tex,
                                                          cudaArray_const_t array,
                                                          const struct cudaChannelFormatDesc& desc) {
  return ::cudaBindTextureToArray(static_cast<const textureReference*>(&tex), const_cast<cudaArray_t>(array), &desc);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __host__ inline cudaError_t cudaBindTextureToArray(const __drywarp_texture<T, dim, mode>& tex,
                                                          cudaArray_const_t array) {
  struct cudaChannelFormatDesc desc;
  cudaError_t status = ::cudaGetChannelDesc(&desc, array);
  return status == cudaSuccess ? cudaBindTextureToArray(tex, array, desc) : status;
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __host__ inline cudaError_t cudaUnbindTexture(const __drywarp_texture<T, dim, mode>& tex) {
  return ::cudaUnbindTexture(static_cast<const textureReference*>(&tex));
}
template <class T, int dim, enum cudaTextureReadMode mode>
static __host__ inline cudaError_t cudaGetTextureAlignmentOffset(size_t* offset,
                                                                 const __drywarp_texture<T, dim, mode>& tex) {
  return ::cudaGetTextureAlignmentOffset(offset, static_cast<const textureReference*>(&tex));
}
template <class T, int dim>
static __host__ inline cudaError_t cudaBindSurfaceToArray(const __drywarp_surface<T, dim>& surf,
                                                          cudaArray_const_t array) {
  struct cudaChannelFormatDesc desc;
  cudaError_t status = ::cudaGetChannelDesc(&desc, array);
  if (status != cudaSuccess) return status;
  return ::cudaBindSurfaceToArray(static_cast<const surfaceReference*>(&surf), array, &desc);
}

#endif
