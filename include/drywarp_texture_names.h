// The names of texture and surface references, which CUDA 12 removed. The compiler driver passes this file with
// -include to sources that do not compile without them; to others the names are free.
#ifndef DRYWARP_TEXTURE_NAMES_H
#define DRYWARP_TEXTURE_NAMES_H
#pragma GCC system_header

#include "drywarp/device/texture_references.h"

template <class T, int type = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
using texture = __drywarp_texture<T, type, mode>;
template <class T, int dim = 1>
using surface = __drywarp_surface<T, dim>;

#endif
