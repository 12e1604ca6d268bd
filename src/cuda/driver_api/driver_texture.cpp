// Driver API: texture and surface objects, and mipmapped arrays. Descriptions are the runtime's, in other words.
#include <algorithm>

#include "cuda/c_abi/copy_ends.h"
#include "cuda/c_abi/driver.h"
#include "cuda/c_abi/driver_formats.h"

using namespace drywarp::cudart;

namespace {

cudaChannelFormatDesc channels(const ArrayFormat& format, unsigned count) {
  const auto bits = [&](unsigned channel) { return channel < count ? format.bits : 0; };
  return {bits(0), bits(1), bits(2), bits(3), format.kind};
}

// False: a format that the runtime does not have.
bool to_runtime(CUarray_format from, unsigned count, cudaChannelFormatDesc& out) {
  const ArrayFormat* format = find_format(from);
  if (!format || (count != 1 && count != 2 && count != 4)) return false;
  out = channels(*format, count);
  return true;
}
bool to_driver(const cudaChannelFormatDesc& from, CUarray_format& format, unsigned& count) {
  const ArrayFormat* found = find_format(from.x, from.f);
  if (!found) return false;
  format = found->driver, count = 1u + (from.y > 0) + (from.z > 0) + (from.w > 0);
  return true;
}

bool to_runtime(const CUDA_RESOURCE_DESC& from, cudaResourceDesc& out) {
  out = {};
  out.flags = from.flags;
  switch (from.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      out.resType = cudaResourceTypeArray;
      out.res.array.array = reinterpret_cast<cudaArray_t>(from.res.array.hArray);
      return true;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      out.resType = cudaResourceTypeMipmappedArray;
      out.res.mipmap.mipmap = reinterpret_cast<cudaMipmappedArray_t>(from.res.mipmap.hMipmappedArray);
      return true;
    case CU_RESOURCE_TYPE_LINEAR:
      out.resType = cudaResourceTypeLinear;
      out.res.linear.devPtr = device_pointer(from.res.linear.devPtr);
      out.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      return to_runtime(from.res.linear.format, from.res.linear.numChannels, out.res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& plane = from.res.pitch2D;
      out.resType = cudaResourceTypePitch2D;
      out.res.pitch2D.devPtr = device_pointer(plane.devPtr);
      out.res.pitch2D.width = plane.width, out.res.pitch2D.height = plane.height;
      out.res.pitch2D.pitchInBytes = plane.pitchInBytes;
      return to_runtime(plane.format, plane.numChannels, out.res.pitch2D.desc);
    }
  }
  return false;
}

bool to_driver(const cudaResourceDesc& from, CUDA_RESOURCE_DESC& out) {
  out = {};
  out.flags = from.flags;
  switch (from.resType) {
    case cudaResourceTypeArray:
      out.resType = CU_RESOURCE_TYPE_ARRAY;
      out.res.array.hArray = reinterpret_cast<CUarray>(from.res.array.array);
      return true;
    case cudaResourceTypeMipmappedArray:
      out.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
      out.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(from.res.mipmap.mipmap);
      return true;
    case cudaResourceTypeLinear:
      out.resType = CU_RESOURCE_TYPE_LINEAR;
      out.res.linear.devPtr = address(from.res.linear.devPtr);
      out.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      return to_driver(from.res.linear.desc, out.res.linear.format, out.res.linear.numChannels);
    case cudaResourceTypePitch2D: {
      auto& plane = out.res.pitch2D;
      out.resType = CU_RESOURCE_TYPE_PITCH2D;
      plane.devPtr = address(from.res.pitch2D.devPtr);
      plane.width = from.res.pitch2D.width, plane.height = from.res.pitch2D.height;
      plane.pitchInBytes = from.res.pitch2D.pitchInBytes;
      return to_driver(from.res.pitch2D.desc, plane.format, plane.numChannels);
    }
  }
  return false;
}

// Unlike the runtime, the driver returns integers of 8 and 16 bits as floats unless told otherwise.
cudaTextureDesc to_runtime(const CUDA_TEXTURE_DESC& from) {
  cudaTextureDesc out{};
  for (unsigned d = 0; d < 3; ++d) out.addressMode[d] = static_cast<cudaTextureAddressMode>(from.addressMode[d]);
  out.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  out.readMode = from.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  out.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  std::copy(std::begin(from.borderColor), std::end(from.borderColor), out.borderColor);
  out.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  out.maxAnisotropy = from.maxAnisotropy;
  out.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  out.mipmapLevelBias = from.mipmapLevelBias;
  out.minMipmapLevelClamp = from.minMipmapLevelClamp, out.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  out.disableTrilinearOptimization = (from.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
  out.seamlessCubemap = (from.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
  return out;
}
CUDA_TEXTURE_DESC to_driver(const cudaTextureDesc& from) {
  CUDA_TEXTURE_DESC out{};
  for (unsigned d = 0; d < 3; ++d) out.addressMode[d] = static_cast<CUaddress_mode>(from.addressMode[d]);
  out.filterMode = static_cast<CUfilter_mode>(from.filterMode);
  const auto flag = [&](bool set, unsigned bit) { out.flags |= set ? bit : 0; };
  flag(from.readMode == cudaReadModeElementType, CU_TRSF_READ_AS_INTEGER);
  flag(from.sRGB != 0, CU_TRSF_SRGB);
  flag(from.normalizedCoords != 0, CU_TRSF_NORMALIZED_COORDINATES);
  flag(from.disableTrilinearOptimization != 0, CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
  flag(from.seamlessCubemap != 0, CU_TRSF_SEAMLESS_CUBEMAP);
  std::copy(std::begin(from.borderColor), std::end(from.borderColor), out.borderColor);
  out.maxAnisotropy = from.maxAnisotropy;
  out.mipmapFilterMode = static_cast<CUfilter_mode>(from.mipmapFilterMode);
  out.mipmapLevelBias = from.mipmapLevelBias;
  out.minMipmapLevelClamp = from.minMipmapLevelClamp, out.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  return out;
}

static_assert(sizeof(CUDA_RESOURCE_VIEW_DESC) == sizeof(cudaResourceViewDesc));

// Of a format of 32-bit integers, read as floats is what the driver's flags say by default; it means integers.
void keep_wide_integers(const cudaResourceDesc& resource, cudaTextureDesc& sampling) {
  const cudaChannelFormatDesc* format = nullptr;
  cudaChannelFormatDesc of_array{};
  if (resource.resType == cudaResourceTypeLinear) format = &resource.res.linear.desc;
  if (resource.resType == cudaResourceTypePitch2D) format = &resource.res.pitch2D.desc;
  cudaArray_t array = resource.resType == cudaResourceTypeArray ? resource.res.array.array : nullptr;
  if (resource.resType == cudaResourceTypeMipmappedArray &&
      cudaGetMipmappedArrayLevel(&array, resource.res.mipmap.mipmap, 0) != cudaSuccess)
    return;
  if (array && cudaGetChannelDesc(&of_array, array) == cudaSuccess) format = &of_array;
  if (format && format->f != cudaChannelFormatKindFloat && format->x == 32) sampling.readMode = cudaReadModeElementType;
}

}  // namespace

extern "C" {

CUresult cuTexObjectCreate(CUtexObject* out, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* texture,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
  cudaResourceDesc from;
  if (!out || !resource || !texture || !to_runtime(*resource, from)) return CUDA_ERROR_INVALID_VALUE;
  return driver_call([&]() -> cudaError_t {
    cudaTextureDesc sampling = to_runtime(*texture);
    keep_wide_integers(from, sampling);
    cudaTextureObject_t made = 0;
    const cudaError_t error =
        cudaCreateTextureObject(&made, &from, &sampling, reinterpret_cast<const cudaResourceViewDesc*>(view));
    if (error == cudaSuccess) *out = made;
    return error;
  });
}
CUresult cuTexObjectDestroy(CUtexObject object) { DW_AS(cudaDestroyTextureObject(object)); }
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* out, CUtexObject object) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  cudaResourceDesc found;
  const CUresult error = driver_call([&] { return cudaGetTextureObjectResourceDesc(&found, object); });
  if (error != CUDA_SUCCESS) return error;
  return to_driver(found, *out) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* out, CUtexObject object) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  cudaTextureDesc found;
  const CUresult error = driver_call([&] { return cudaGetTextureObjectTextureDesc(&found, object); });
  if (error == CUDA_SUCCESS) *out = to_driver(found);
  return error;
}
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* out, CUtexObject object) {
  DW_AS(cudaGetTextureObjectResourceViewDesc(reinterpret_cast<cudaResourceViewDesc*>(out), object));
}

CUresult cuSurfObjectCreate(CUsurfObject* out, const CUDA_RESOURCE_DESC* resource) {
  cudaResourceDesc from;
  if (!out || !resource || !to_runtime(*resource, from)) return CUDA_ERROR_INVALID_VALUE;
  return driver_call([&]() -> cudaError_t {
    cudaSurfaceObject_t made = 0;
    const cudaError_t error = cudaCreateSurfaceObject(&made, &from);
    if (error == cudaSuccess) *out = made;
    return error;
  });
}
CUresult cuSurfObjectDestroy(CUsurfObject object) { DW_AS(cudaDestroySurfaceObject(object)); }
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* out, CUsurfObject object) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  cudaResourceDesc found;
  const CUresult error = driver_call([&] { return cudaGetSurfaceObjectResourceDesc(&found, object); });
  if (error != CUDA_SUCCESS) return error;
  return to_driver(found, *out) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* out, const CUDA_ARRAY3D_DESCRIPTOR* d, unsigned levels) {
  cudaChannelFormatDesc format;
  if (!out || !d || !to_runtime(d->Format, d->NumChannels, format)) return CUDA_ERROR_INVALID_VALUE;
  DW_AS(cudaMallocMipmappedArray(reinterpret_cast<cudaMipmappedArray_t*>(out), &format, {d->Width, d->Height, d->Depth},
                                 levels, d->Flags));
}
CUresult cuMipmappedArrayGetLevel(CUarray* out, CUmipmappedArray of, unsigned level) {
  DW_AS(cudaGetMipmappedArrayLevel(reinterpret_cast<cudaArray_t*>(out),
                                   reinterpret_cast<cudaMipmappedArray_const_t>(of), level));
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray what) {
  DW_AS(cudaFreeMipmappedArray(reinterpret_cast<cudaMipmappedArray_t>(what)));
}

}  // extern "C"
