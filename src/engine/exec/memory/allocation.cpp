#include "engine/exec/memory/allocation.h"

namespace drywarp::exec {

const char* name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::Device:
      return "a device allocation";
    case MemoryKind::Managed:
      return "a managed allocation";
    case MemoryKind::PinnedHost:
      return "a pinned host allocation";
    case MemoryKind::ModuleGlobal:
      return "a __device__ variable";
    case MemoryKind::ModuleConstant:
      return "a __constant__ variable";
    case MemoryKind::ReadOnly:
      return "memory mapped for reading";
    case MemoryKind::Heap:
      return "a malloc() of a kernel";
    case MemoryKind::ArenaPart:
      return "a part of an arena";
    case MemoryKind::Region:
      return "a region";
  }
  return "an allocation";
}

}  // namespace drywarp::exec
