// Pieces of the reference's floating point that several of its files use.
#pragma once

#include "internal.h"

namespace drywarp::reference {

// Bits of an element with subnormals made zero of their sign.
uint64_t flushed(uint64_t bits, ir::Type element);

}  // namespace drywarp::reference
