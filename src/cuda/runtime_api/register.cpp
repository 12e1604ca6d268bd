// Registration: a compiler's host code registers fat binaries, kernels and variables before main. These functions only
// store the pointers.
#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {
namespace {

using cuda::Image;

Image* image(void** handle) { return reinterpret_cast<Image*>(handle); }

void** register_image(void* wrapper) {
  Image* made = nullptr;
  query("__cudaRegisterFatBinary", [&](Session& session) {
    made = session.modules().register_image(wrapper);
    return Error::Success;
  });
  return reinterpret_cast<void**>(made);
}

}  // namespace
}  // namespace drywarp::cudart

using namespace drywarp::cudart;

extern "C" {

void** drywarp_register_image_13(void* wrapper) {
  built_for = 13;
  return register_image(wrapper);
}
void** drywarp_register_image_12(void* wrapper) {
  built_for = 12;
  return register_image(wrapper);
}
void** drywarp_register_image_11(void* wrapper) {
  built_for = 11;
  return register_image(wrapper);
}
DW_VERSIONS(__cudaRegisterFatBinary, drywarp_register_image_13, drywarp_register_image_12, drywarp_register_image_11);

void __cudaRegisterFatBinaryEnd(void**) {
  query(__func__, [](Session& session) { return session.initialise_managed_variables(); });
}

void __cudaUnregisterFatBinary(void** handle) {
  query(__func__, [&](Session& session) {
    session.drain();
    session.modules().unregister(image(handle));
    return Error::Success;
  });
}

// CUDA 12 and 13 call it before a launch; images are loaded on first use instead.
char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  query(__func__, [&](Session& session) {
    session.modules().register_kernel(image(handle), stub, name);
    return Error::Success;
  });
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t size, int, int) {
  query(__func__, [&](Session& session) {
    session.modules().register_variable(image(handle), host, name, size);
    return Error::Success;
  });
}

void __cudaRegisterHostVar(void** handle, const char* name, char* host, size_t size) {
  query(__func__, [&](Session& session) {
    session.modules().register_variable(image(handle), host, name, size);
    return Error::Success;
  });
}

void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, size_t size, int, int) {
  query(__func__, [&](Session& session) {
    session.modules().register_managed(image(handle), host, name, size);
    return Error::Success;
  });
}

// Called by programs built with drywarp's headers (drywarp/managed.h): the section of __managed__ variables.
void __drywarp_register_managed(void* begin, void* end) {
  query(__func__, [&](Session& session) {
    session.modules().add_managed_range({address(begin), address(end)});
    return session.initialise_managed_variables();
  });
}

// Texture and surface references (removed in CUDA 12) are registered device variables.
void __cudaRegisterTexture(void** handle, const void* host, const void**, const char* name, int, int, int) {
  query(__func__, [&](Session& session) {
    session.modules().register_variable(image(handle), host, name, 0);
    return Error::Success;
  });
}

void __cudaRegisterSurface(void** handle, const void* host, const void**, const char* name, int, int) {
  query(__func__, [&](Session& session) {
    session.modules().register_variable(image(handle), host, name, 0);
    return Error::Success;
  });
}

void __cudaRegisterUnifiedTable(void**, void*) {}

}  // extern "C"
