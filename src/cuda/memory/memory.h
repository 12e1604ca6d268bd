// The CUDA runtime's memory: device, managed, pinned and registered host memory, arrays and pools, on top of the
// engine's DeviceMemory. Sizes are in bytes. Not thread-safe: callers hold the session's lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "cuda/device/error.h"
#include "cuda/memory/live_objects.h"
#include "engine/exec/memory/device_memory.h"

namespace drywarp::cuda {

struct Extent3 {
  size_t width = 0, height = 0, depth = 0;
};

struct ChannelFormat {
  int x = 0, y = 0, z = 0, w = 0;  // bits
  int kind = 0;                    // cudaChannelFormatKind's number
};

// A CUDA array: rows of elements in ordinary device memory. Extents as given to cudaMalloc3DArray (0: no such
// dimension).
struct Array {
  ChannelFormat format;
  Extent3 extent;  // in elements
  unsigned flags = 0;
  size_t element = 0;  // bytes an element
  uint64_t address = 0;
  [[nodiscard]] size_t pitch() const { return extent.width * element; }
  [[nodiscard]] size_t rows() const { return extent.height ? extent.height : 1; }
  [[nodiscard]] size_t slices() const { return extent.depth ? extent.depth : 1; }
};

// A chain of arrays, each level half the size of the one before it.
struct MipmappedArray {
  std::vector<Array*> levels;
};

enum class PointerKind : int { Unregistered = 0, Host = 1, Device = 2, Managed = 3 };  // cudaMemoryType's numbers

struct Pool;

struct PointerInfo {
  PointerKind kind = PointerKind::Unregistered;
  uint64_t base = 0, size = 0;
  unsigned host_flags = 0;     // of pinned and registered memory
  const Pool* pool = nullptr;  // that it was allocated from; null: none
};

// cudaMemPool_t. The memory itself comes from DeviceMemory; the pool only does the accounting. Freed memory counts as
// reserved until the pool is trimmed, or, above the threshold, until the host synchronizes.
struct Pool {
  uint64_t release_threshold = 0;
  uint64_t used = 0, used_high = 0;
  uint64_t idle = 0;  // reserved, not used
  uint64_t reserved_high = 0;
  [[nodiscard]] uint64_t reserved() const { return used + idle; }
  void trim_to(uint64_t bytes) { idle = std::min(idle, bytes > used ? bytes - used : 0); }
  uint64_t max_size = 0;  // 0: no limit
  int handle_types = 0;   // cudaMemAllocationHandleType's bits
  bool imported = false;  // of another process, from which nothing can be allocated here
  int follow_event_dependencies = 1, allow_opportunistic = 1, allow_internal_dependencies = 1;
};

// Accounts for the memory that graphs allocate (cudaDeviceGetGraphMemAttribute), in bytes. Memory that a graph frees
// stays reserved for later graphs: in the same stream at once, in other streams after the host has synchronized.
class GraphPool {
 public:
  // The pool grows and shrinks by this much, as on an H200 with driver 580: a graph that allocates one byte reserves 32
  // MiB.
  static constexpr uint64_t kUnit = uint64_t{32} << 20;

  void allocate(uint64_t bytes, uint32_t stream);
  void free(uint64_t bytes, uint32_t stream);
  void host_synchronized();  // for a stream or for the device
  void trim();               // releases all idle memory
  [[nodiscard]] uint64_t reserved() const { return reserved_; }
  [[nodiscard]] uint64_t reserved_high() const { return reserved_high_; }
  void reset_reserved_high() { reserved_high_ = reserved_; }

 private:
  uint64_t reserved_ = 0, reserved_high_ = 0;  // in use or idle
  uint64_t idle_ = 0;                          // usable by every stream
  std::map<uint32_t, uint64_t> stream_idle_;   // usable by one stream, by its number
};

class Memory {
 public:
  explicit Memory(exec::DeviceMemory& device);
  ~Memory();

  // Linear memory
  Error allocate(uint64_t& address, size_t size);
  Error allocate_pitched(uint64_t& address, size_t& pitch, size_t width, size_t rows);
  Error allocate_managed(uint64_t& address, size_t size);
  Error free(uint64_t address, uint32_t stream = 0);  // device or managed; 0 is allowed. `stream` frees it

  // Memory of graphs. An allocation node has its address for life; memory is allocated there from the node's run to a
  // free.
  Error reserve_for_graph(uint64_t& address, size_t size);
  Error allocate_graph_memory(uint64_t address, uint32_t stream);
  [[nodiscard]] bool is_graph_memory(uint64_t address) const { return graph_memory_.contains(address); }
  [[nodiscard]] bool is_allocated(uint64_t address) const { return linear_.contains(address); }
  [[nodiscard]] bool is_unallocated_graph_memory(uint64_t address) const;  // in graph memory that is not allocated now
  void unreserve_graph_memory(uint64_t address);                           // allocated memory stays until freed
  [[nodiscard]] GraphPool& graph_pool() { return graph_pool_; }

  // Host memory that kernels may use
  Error allocate_host(uint64_t& address, size_t size, unsigned flags);
  Error free_host(uint64_t address);
  Error register_host(uint64_t address, size_t size, unsigned flags);
  Error unregister_host(uint64_t address);

  // Arrays
  Error create_array(Array*& out, const ChannelFormat& format, const Extent3& extent, unsigned flags);
  Error destroy(Array* array);
  Error create_mipmapped(MipmappedArray*& out, const ChannelFormat& format, const Extent3& extent, unsigned levels,
                         unsigned flags);
  Error destroy(MipmappedArray* array);
  [[nodiscard]] bool is_live(const Array* array) const { return arrays_.contains(const_cast<Array*>(array)); }
  [[nodiscard]] bool is_live(const MipmappedArray* a) const {
    return mipmapped_.contains(const_cast<MipmappedArray*>(a));
  }

  // Pools
  [[nodiscard]] Pool& default_pool() { return *default_pool_; }
  [[nodiscard]] Pool& current_pool() { return *current_pool_; }
  Error set_current_pool(Pool* pool);
  Pool* create_pool();
  Error destroy(Pool* pool);
  [[nodiscard]] bool is_live(Pool* pool) const { return pools_.contains(pool); }
  Error allocate_from(Pool& pool, uint64_t& address, size_t size);
  void trim_pools();  // to the thresholds, after the host has synchronized

  [[nodiscard]] LiveObjects& objects() { return objects_; }

  // The allocation that contains an address.
  [[nodiscard]] PointerInfo describe(uint64_t address) const;
  // The same for operations that run later, as a graph's nodes: includes graph memory that is not allocated yet.
  [[nodiscard]] PointerInfo describe_with_reserved(uint64_t address) const;
  [[nodiscard]] exec::DeviceMemory& device() { return device_; }
  [[nodiscard]] const exec::DeviceMemory& device_memory() const { return device_; }
  // Whether [address, address + size) lies in one allocation, now or later; also true for memory that the runtime does
  // not know.
  [[nodiscard]] bool in_bounds(uint64_t address, size_t size) const;

  // Device and managed memory that the program has allocated and not freed, and kernels' malloc()s.
  [[nodiscard]] std::vector<exec::Allocation> unfreed() const;
  void reset();  // cudaDeviceReset: everything the program allocated is freed

 private:
  struct HostRange {
    size_t size;
    unsigned flags;
    bool owned;  // from allocate_host
  };
  exec::DeviceMemory& device_;
  std::map<uint64_t, HostRange> host_;
  LiveObjects objects_;
  std::map<uint64_t, Pool*> pool_of_;        // of allocations from a pool
  std::set<uint64_t> linear_;                // allocations that free() accepts
  std::map<uint64_t, size_t> graph_memory_;  // address -> size, allocated or not
  GraphPool graph_pool_;
  std::set<Array*> arrays_;
  std::set<MipmappedArray*> mipmapped_;
  std::set<Pool*> pools_;
  Pool* default_pool_;
  Pool* current_pool_;
};

// Row alignment of cudaMallocPitch, and the largest pitch (cudaDevAttrMaxPitch).
inline constexpr size_t kPitchAlignment = 512;
inline constexpr size_t kMaxPitch = 0x7fffffff;

}  // namespace drywarp::cuda
