// What the engine samples, from CUDA's descriptions of texture and surface objects.
#pragma once

#include "cuda/c_abi/runtime.h"
#include "engine/exec/textures/texture.h"

namespace drywarp::cudart {

// `view`: or null. InvalidChannelDescriptor: block-compressed and other formats that are not simulated.
Error make_texture(Session& session, const cudaResourceDesc& resource, const cudaTextureDesc& sampling,
                   const cudaResourceViewDesc* view, exec::Texture& out);
Error make_surface(Session& session, const cudaResourceDesc& resource, exec::Texture& out);

}  // namespace drywarp::cudart
