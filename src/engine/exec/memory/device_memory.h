// The memory of the simulated device: allocations in one reserved range of this process's address space, so that a
// device pointer is a host pointer and every access can be checked.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"
#include "engine/exec/memory/memory_regions.h"

namespace drywarp::exec {

// Is told of allocations, with the memory's lock held.
class AllocationWatch {
 public:
  virtual ~AllocationWatch() = default;
  virtual void allocated(const Allocation& allocation) = 0;
  virtual void freed(const Allocation& allocation) = 0;
};

// How far allocations keep from each other.
enum class Placement : uint8_t {
  Close,
  Apart,  // for checks: an overrun hits nothing, and freed addresses are not used again for long
};

// Thread-safe. Alignment of every allocation is 512 bytes, as cudaMalloc's; fresh memory is zero.
class DeviceMemory {
 public:
  // The driver maps memory in pages of this size.
  static constexpr uint64_t kMappedPage = uint64_t{2} << 20;

  // The capacity is what cudaMemGetInfo reports as total.
  explicit DeviceMemory(uint64_t capacity_bytes, Placement placement = Placement::Close);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // nullopt: the capacity is used up (cudaErrorMemoryAllocation). size 0 gives address 0.
  std::optional<uint64_t> allocate(uint64_t size, MemoryKind kind);
  // false: not the base of a live allocation (cudaErrorInvalidValue).
  bool free(uint64_t base);
  // Of allocate(), commit() and free(), and of adopt() and forget() of the host's memory; null: nobody is told. Set
  // before the first allocation.
  void watch(AllocationWatch* watch) { watch_ = watch; }
  // Reserved addresses, for memory that is allocated and freed at the same place again and again. commit(): allocates
  // there; false if the capacity is used up or memory is there already. free() frees it. release_addresses(): drops the
  // reservation; the addresses are free once no memory is there.
  std::optional<uint64_t> reserve_addresses(uint64_t size, MemoryKind kind);
  bool commit(uint64_t base);
  void release_addresses(uint64_t base);
  // Memory of several processes. share(): moves a live allocation's content to a file that another process can map, and
  // returns the file; the same one if it is shared already. No kernel may run meanwhile. nullopt: not the base of an
  // allocation, or no file. allocate_shared(): an allocation whose content is that of the file.
  std::optional<int> share(uint64_t base);
  std::optional<uint64_t> allocate_shared(int file, uint64_t size);
  // Parts of live allocations: see MemoryRegions. With Placement::Close these do nothing and return true: a GPU knows
  // no parts. hand_out(): the allocation becomes a heap, if no heap holds the part. add_region(): makes none. False:
  // the part is not inside of one allocation or heap, or overlaps another part.
  bool hand_out(uint64_t base, uint64_t size);
  bool add_region(uint64_t base, uint64_t size);
  // False: it is not the start of a live part, or, of resize_part(), has no room.
  bool take_back(uint64_t base);
  bool resize_part(uint64_t base, uint64_t size);
  // What reports call a part or an allocation, and what kernels may do with it (Permission bits). False: neither begins
  // there.
  bool label(uint64_t base, std::string_view called);
  bool permit(uint64_t base, uint8_t may);
  void permit_all();
  // While a launch runs, in place of what all may do; release_permissions() gives that back.
  void bind_permissions(const Permissions& permissions);
  void release_permissions();
  [[nodiscard]] bool begins_at(uint64_t base);  // a live region or allocation
  // A range of one live allocation, which hands out nothing yet; of a closed one only parts may be accessed. `label`:
  // of its parts; empty: none. False: it is no such range, or overlaps another heap.
  bool make_heap(uint64_t base, uint64_t size, bool closed, const std::string& label);
  // Takes all parts back; remove_heap(): its memory is the allocation's again. False: it is no heap.
  bool reset_heap(uint64_t base);
  bool remove_heap(uint64_t base);
  // Makes a host range that the program already has (cudaHostRegister, stack of a mapped buffer) usable on the device.
  void adopt(uint64_t base, uint64_t size, MemoryKind kind);
  bool forget(uint64_t base);
  // Counts memory that lives elsewhere against the capacity. false: it does not fit.
  bool charge(uint64_t bytes);
  void refund(uint64_t bytes);

  // The live allocation that contains address, if any.
  [[nodiscard]] std::optional<Allocation> find(uint64_t address) const;
  // What a kernel may access there: of a heap, the part that contains the address, if it is handed out.
  [[nodiscard]] std::optional<Allocation> accessible(uint64_t address) const;
  // Whether a GPU has mapped all of [address, address + bytes): each page there holds a part of a live allocation, and
  // host memory is mapped in the host's pages.
  [[nodiscard]] bool mapped(uint64_t address, uint64_t bytes) const;
  // A kernel writes mapped memory that is in no allocation: it is cleared when it is allocated.
  void note_stray_write() { stray_writes_.store(true, std::memory_order_relaxed); }
  // The allocation, live or freed, that contains the address, or the nearest one that is not far; nothing: none.
  [[nodiscard]] std::optional<Allocation> nearest(uint64_t address) const;
  // The allocation (live or freed) nearest to an address that is in none: "12 bytes after an allocation of 4096 bytes".
  [[nodiscard]] std::string describe(uint64_t address) const;
  [[nodiscard]] uint64_t capacity() const { return capacity_; }
  [[nodiscard]] uint64_t used() const;
  // The reserved range; only what adopt() added lies outside.
  [[nodiscard]] uint64_t base() const { return reserved_base_; }
  [[nodiscard]] uint64_t reserved() const { return reserved_size_; }
  [[nodiscard]] bool reserves(uint64_t address) const { return address - reserved_base_ < reserved_size_; }
  [[nodiscard]] std::vector<Allocation> live() const;
  // Grows with every allocation and free: while it stays the same, so do the answers of find().
  [[nodiscard]] uint64_t changes() const { return changes_.load(std::memory_order_relaxed); }

 private:
  // With the lock held.
  std::optional<uint64_t> place(uint64_t size, MemoryKind kind);
  void return_addresses(const Allocation& gone);
  void retire(const Allocation& gone);
  Allocation* whole_of(uint64_t base, uint64_t size);  // the live allocation that holds all of it; null: none
  Allocation* part_or_whole(uint64_t base);            // what is live and begins there; null: nothing
  void take_part_back(Allocation& part);
  void unshare(const Allocation& gone);
  [[nodiscard]] uint64_t room(uint64_t size) const;  // with the gap behind it

  const Placement placement_;
  uint64_t capacity_;
  std::map<uint64_t, uint8_t> released_regions_, released_;  // by base: what all may do, while a launch has its own
  AllocationWatch* watch_ = nullptr;
  uint64_t reserved_base_ = 0, reserved_size_ = 0;
  mutable std::mutex mutex_;
  std::map<uint64_t, Allocation> allocations_;  // by base; live and freed
  MemoryRegions regions_;
  std::map<uint64_t, uint64_t> free_ranges_;  // base -> size, page-granular
  std::map<uint64_t, int> files_;             // of shared allocations, by base
  std::deque<Allocation> quarantine_;         // freed, the oldest first
  uint64_t quarantined_ = 0;                  // bytes of addresses
  uint64_t used_ = 0, next_id_ = 1;
  std::atomic<bool> stray_writes_{false};
  std::atomic<uint64_t> changes_{0};
};

}  // namespace drywarp::exec
