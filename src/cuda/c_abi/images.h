// Images loaded at run time: the driver's modules, and the libraries of both APIs. Each handle is an Image's address.
#pragma once

#include "cuda/c_abi/jit_options.h"
#include "cuda/c_abi/launch_configuration.h"

namespace drywarp::cudart {

inline cuda::Image* image(const void* handle) { return static_cast<cuda::Image*>(const_cast<void*>(handle)); }

// PTX text, a fat binary or a cubin, in memory or in a file.
Error load_image(Session& session, const void* data, const JitOptions& options, cuda::Image*& out);
Error load_image_file(Session& session, const char* path, const JitOptions& options, cuda::Image*& out);

// InvalidResourceHandle if `handle` is no live image; SymbolNotFound if the image lacks the name.
Error kernel_of(Session& session, const void* handle, const char* name, cuda::Kernel*& out);
Error global_of(Session& session, const void* handle, const char* name, uint64_t& address, uint64_t& bytes);
// Every kernel of the image, in the order of its text.
Error kernels_of(Session& session, const void* handle, std::vector<cuda::Kernel*>& out);

}  // namespace drywarp::cudart
