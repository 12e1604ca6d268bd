// An allocation of the device's memory, or a part of one that an allocator of the program hands out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace drywarp::exec {

enum class MemoryKind : uint8_t {
  Device,
  Managed,
  PinnedHost,
  ModuleGlobal,
  ModuleConstant,
  ReadOnly,
  Heap,
  ArenaPart,
  Region
};

[[nodiscard]] const char* name(MemoryKind kind);  // "a device allocation"

// What kernels may do with memory, in NVTX's numbers.
enum Permission : uint8_t { kMayRead = 1, kMayWrite = 2, kMayAtomic = 4, kMayAll = 7 };

struct Allocation {
  uint64_t base = 0;
  uint64_t size = 0;  // as asked for; an access past base+size is an error even if the page exists
  MemoryKind kind = MemoryKind::Device;
  bool live = true;       // false: freed, kept for "use after free" messages until its range is reused
  uint64_t id = 0;        // 1, 2, 3 ... in order of allocation
  bool divided = false;   // it has heaps or regions of the program: MemoryRegions
  bool kept = false;      // its addresses stay reserved when it is freed, and it may be committed again
  uint8_t may = kMayAll;  // Permission bits
  bool bound = false;     // they are those of a running launch: Permissions
  std::shared_ptr<const std::string> label = {};  // what reports call it; null: name(kind)
};

// What one launch may do, over what all may do.
struct Permissions {
  std::map<uint64_t, uint8_t> of;  // by base of a region or an allocation
  uint8_t others = kMayAll;        // where none is named: no more than that
};

}  // namespace drywarp::exec
