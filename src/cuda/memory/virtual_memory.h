// Memory that the program puts together itself (cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess): ranges of
// addresses, physical memory, and which of it appears where. Physical memory is shared memory of this process, so that
// one piece can appear at several addresses. Neighbouring pieces that may be accessed alike are one allocation to
// kernels and copies. All sizes in bytes, all of them multiples of kGranularity. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "cuda/device/error.h"
#include "engine/exec/memory/device_memory.h"

namespace drywarp::cuda {

enum class MemoryAccess : int { None = 0, Read = 1, ReadWrite = 3 };  // CUmemAccess_flags' numbers

class VirtualMemory {
 public:
  static constexpr uint64_t kGranularity = uint64_t{2} << 20;  // as on every GPU that can do this

  explicit VirtualMemory(exec::DeviceMemory& device) : device_(device) {}
  ~VirtualMemory() { reset(); }
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  // `alignment`: 0 or a power of two. `wish`: where the range would be welcome; 0: anywhere.
  Error reserve(uint64_t& address, uint64_t size, uint64_t alignment, uint64_t wish);
  Error free(uint64_t address, uint64_t size);  // InvalidValue while something is mapped in it

  Error create(uint64_t& handle, uint64_t size);  // MemoryAllocation if the device has no more
  Error release(uint64_t handle);                 // the memory stays as long as it is mapped
  Error retain(uint64_t& handle, uint64_t address);
  [[nodiscard]] bool is_live(uint64_t handle) const { return handles_.contains(handle); }
  // Compression saves traffic on a GPU and changes no value: only the wish is kept.
  void set_compressible(uint64_t handle, bool compressible) { handles_.at(handle).compressible = compressible; }
  [[nodiscard]] bool is_compressible(uint64_t handle) const { return handles_.at(handle).compressible; }

  // A whole piece of physical memory, at a place where nothing is mapped. Nobody may access it yet.
  Error map(uint64_t address, uint64_t size, uint64_t handle);
  Error unmap(uint64_t address, uint64_t size);  // whole pieces
  Error set_access(uint64_t address, uint64_t size, MemoryAccess access);
  Error access(uint64_t address, MemoryAccess& out) const;

  void reset();

 private:
  struct Physical;
  struct Mapping {
    uint64_t size;
    std::shared_ptr<Physical> memory;
    MemoryAccess access = MemoryAccess::None;
  };
  using Mappings = std::map<uint64_t, Mapping>;  // by address
  // The mappings that fill [address, address + size) exactly; false if they do not.
  bool covering(uint64_t address, uint64_t size, Mappings::iterator& first, Mappings::iterator& last);
  void tell_device();  // which of the mapped memory may be accessed

  struct Handle {
    std::shared_ptr<Physical> memory;
    unsigned references = 1;
    bool compressible = false;
  };
  exec::DeviceMemory& device_;
  std::map<uint64_t, uint64_t> ranges_;  // reserved: address -> size
  std::map<uint64_t, Handle> handles_;
  Mappings mappings_;
  std::map<uint64_t, std::pair<uint64_t, MemoryAccess>> told_;  // what the device knows: address -> size, access
  uint64_t next_handle_ = 1;
};

}  // namespace drywarp::cuda
