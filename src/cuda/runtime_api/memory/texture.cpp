// Texture and surface objects, and the texture references of CUDA 11 and earlier. The descriptions are stored here;
// device code samples.
#include <cstring>

#include "cuda/c_abi/runtime.h"
#include "cuda/c_abi/texture_objects.h"

using namespace drywarp::cudart;
using drywarp::cuda::TextureObject;

namespace {

template <class T>
std::vector<uint8_t> bytes_of(const T& value) {
  const auto* first = reinterpret_cast<const uint8_t*>(&value);
  return {first, first + sizeof value};
}

// Returns a stored description.
template <class T>
Error stored_description(const std::vector<uint8_t>& kept, T* out) {
  if (!out || kept.size() != sizeof *out) return Error::InvalidValue;
  std::memcpy(out, kept.data(), sizeof *out);
  return Error::Success;
}

// No object is none to destroy.
Error destroy(Session& session, uint64_t object, bool surface) {
  if (object == 0) return Error::Success;
  if (!session.textures().remove(session.texture_table(), object, surface)) return Error::InvalidValue;
  session.memory().objects().destroyed(object);
  return Error::Success;
}

}  // namespace

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* out, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* sampling, const cudaResourceViewDesc* view) {
  DW_CALL({
    if (!out || !resource || !sampling) return Error::InvalidValue;
    drywarp::exec::Texture texture;
    DW_TRY(make_texture(session, *resource, *sampling, view, texture));
    TextureObject object{bytes_of(*resource), bytes_of(*sampling), {}, false};
    if (view) object.view = bytes_of(*view);
    *out = session.textures().add(session.texture_table(), std::move(object), std::move(texture));
    session.memory().objects().created("a texture object", *out);
    return Error::Success;
  });
}

// CUDA 11.8's name for our structure's version.
cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t* out, const cudaResourceDesc* resource,
                                       const cudaTextureDesc* sampling, const cudaResourceViewDesc* view) {
  return cudaCreateTextureObject(out, resource, sampling, view);
}
cudaError_t cudaGetTextureObjectTextureDesc_v2(cudaTextureDesc* out, cudaTextureObject_t object) {
  return cudaGetTextureObjectTextureDesc(out, object);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  DW_CALL({ return destroy(session, object, false); });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* out, cudaTextureObject_t object) {
  DW_CALL({
    const TextureObject* found = session.textures().find(object, false);
    return found ? stored_description(found->resource, out) : Error::InvalidValue;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* out, cudaTextureObject_t object) {
  DW_CALL({
    const TextureObject* found = session.textures().find(object, false);
    return found ? stored_description(found->sampling, out) : Error::InvalidValue;
  });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* out, cudaTextureObject_t object) {
  DW_CALL({
    const TextureObject* found = session.textures().find(object, false);
    return found ? stored_description(found->view, out) : Error::InvalidValue;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* out, const cudaResourceDesc* resource) {
  DW_CALL({
    if (!out || !resource) return Error::InvalidValue;
    drywarp::exec::Texture surface;
    DW_TRY(make_surface(session, *resource, surface));
    *out = session.textures().add(session.texture_table(), {bytes_of(*resource), {}, {}, true}, std::move(surface));
    session.memory().objects().created("a surface object", *out);
    return Error::Success;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  DW_CALL({ return destroy(session, object, true); });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* out, cudaSurfaceObject_t object) {
  DW_CALL({
    const TextureObject* found = session.textures().find(object, true);
    return found ? stored_description(found->resource, out) : Error::InvalidValue;
  });
}

// Code that samples through a texture reference cannot run, so binding one is an error.
namespace {
constexpr const char* kNoReferences = "texture and surface references are not simulated yet";
}
cudaError_t cudaBindTexture(size_t*, const textureReference*, const void*, const cudaChannelFormatDesc*, size_t) {
  DW_CALL({ return report_unsupported("cudaBindTexture", kNoReferences); });
}
cudaError_t cudaBindTexture2D(size_t*, const textureReference*, const void*, const cudaChannelFormatDesc*, size_t,
                              size_t, size_t) {
  DW_CALL({ return report_unsupported("cudaBindTexture2D", kNoReferences); });
}
cudaError_t cudaBindTextureToArray(const textureReference*, cudaArray_const_t, const cudaChannelFormatDesc*) {
  DW_CALL({ return report_unsupported("cudaBindTextureToArray", kNoReferences); });
}
cudaError_t cudaBindTextureToMipmappedArray(const textureReference*, cudaMipmappedArray_const_t,
                                            const cudaChannelFormatDesc*) {
  DW_CALL({ return report_unsupported("cudaBindTextureToMipmappedArray", kNoReferences); });
}
cudaError_t cudaUnbindTexture(const textureReference*) {
  DW_CALL({ return Error::Success; });
}
cudaError_t cudaGetTextureAlignmentOffset(size_t*, const textureReference*) {
  DW_CALL({ return Error::InvalidTextureBinding; });
}
cudaError_t cudaGetTextureReference(const textureReference**, const void*) {
  DW_CALL({ return Error::InvalidTexture; });
}
cudaError_t cudaBindSurfaceToArray(const surfaceReference*, cudaArray_const_t, const cudaChannelFormatDesc*) {
  DW_CALL({ return report_unsupported("cudaBindSurfaceToArray", kNoReferences); });
}
cudaError_t cudaGetSurfaceReference(const surfaceReference**, const void*) {
  DW_CALL({ return Error::InvalidSurface; });
}

}  // extern "C"
