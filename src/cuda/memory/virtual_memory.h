// Virtual memory management (cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess): address ranges, physical
// memory, and the mappings between them. Physical memory is a memfd, so that it can be mapped at several addresses.
// Adjacent mappings with equal access are one allocation to kernels and copies. Sizes are in bytes and multiples of
// kGranularity. Not thread-safe.
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
  static constexpr uint64_t kGranularity = uint64_t{2} << 20;  // as on every GPU with this feature

  explicit VirtualMemory(exec::DeviceMemory& device) : device_(device) {}
  ~VirtualMemory() { reset(); }
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  // `alignment`: 0 or a power of two. `hint`: the preferred address; 0: any.
  Error reserve(uint64_t& address, uint64_t size, uint64_t alignment, uint64_t hint);
  Error free(uint64_t address, uint64_t size);  // InvalidValue while something is mapped in it

  Error create(uint64_t& handle, uint64_t size);  // MemoryAllocation if the device is full
  Error release(uint64_t handle);                 // the memory stays as long as it is mapped
  Error retain(uint64_t& handle, uint64_t address);
  [[nodiscard]] bool is_live(uint64_t handle) const { return handles_.contains(handle); }
  // Compression changes no value, so only the setting is kept.
  void set_compressible(uint64_t handle, bool compressible) { handles_.at(handle).compressible = compressible; }
  [[nodiscard]] bool is_compressible(uint64_t handle) const { return handles_.at(handle).compressible; }

  // Memory of several processes: a file descriptor of the caller's own stands for it. InvalidValue for memory that was
  // not made for that.
  void set_shareable(uint64_t handle, bool shareable) { handles_.at(handle).shareable = shareable; }
  [[nodiscard]] bool is_shareable(uint64_t handle) const { return handles_.at(handle).shareable; }
  Error export_file(int& file, uint64_t handle) const;
  Error import_file(uint64_t& handle, int file);

  // Maps a whole physical allocation at an unmapped address. Access is None until set_access().
  Error map(uint64_t address, uint64_t size, uint64_t handle);
  Error unmap(uint64_t address, uint64_t size);  // whole mappings only
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
  bool find_mappings(uint64_t address, uint64_t size, Mappings::iterator& first, Mappings::iterator& last);
  void update_device();  // registers accessible mappings as allocations

  struct Handle {
    std::shared_ptr<Physical> memory;
    unsigned references = 1;
    bool compressible = false, shareable = false;
  };
  exec::DeviceMemory& device_;
  std::map<uint64_t, uint64_t> ranges_;  // reserved: address -> size
  std::map<uint64_t, Handle> handles_;
  Mappings mappings_;
  std::map<uint64_t, std::pair<uint64_t, MemoryAccess>>
      registered_;  // the device's allocations: address -> size, access
  uint64_t next_handle_ = 1;
};

}  // namespace drywarp::cuda
