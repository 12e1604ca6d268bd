// How an access or a fence orders memory, and for whom: PTX ISA, memory consistency model.
#pragma once

#include <cstdint>

namespace drywarp {

enum class MemoryOrder : uint8_t { Weak, Volatile, Relaxed, Acquire, Release, AcqRel, Sc, Mmio };
enum class MemoryScope : uint8_t { None, Cta, Cluster, Gpu, Sys };

}  // namespace drywarp
