// The direction vectors of Sobol's sequence.
#pragma once

#include <cstdint>

#include "generator.h"

namespace drywarp::curand {

// Of each dimension, most significant bits first; computed once.
const uint32_t (*sobol_vectors32())[32];
const uint64_t (*sobol_vectors64())[64];

}  // namespace drywarp::curand
