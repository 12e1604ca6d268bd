// Parts of allocations that the program's own allocators hand out, and what kernels may do there: drywarp/annotate.h
// and NVTX's memory extension. Of a closed heap only the regions may be accessed. A region elsewhere closes nothing; it
// has a name and permissions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/exec/memory/allocation.h"

namespace drywarp::exec {

// Not thread-safe: DeviceMemory holds its lock.
class MemoryRegions {
 public:
  // What reports call it, or, of a heap, its regions; may be null.
  using Label = std::shared_ptr<const std::string>;

  // False: it overlaps another heap.
  bool add_heap(uint64_t base, uint64_t size, bool closed, Label label);
  // Its regions are none any more, and its memory may be accessed as its allocation's. False: it is no heap.
  bool remove_heap(uint64_t base);
  [[nodiscard]] bool is_heap(uint64_t base) const { return heaps_.contains(base); }
  [[nodiscard]] bool in_heap(uint64_t address) const { return heap_at(address) != nullptr; }
  [[nodiscard]] bool in_closed_heap(uint64_t address) const;

  // The new region, with number `id`; null: it overlaps a live one, or leaves its heap. Regions that were taken back
  // make room.
  const Allocation* add(uint64_t base, uint64_t size, uint64_t id);
  // The live region that begins there; null: none.
  [[nodiscard]] Allocation* find(uint64_t base);
  // False: there is no room. `end`: of the allocation.
  bool resize(Allocation& region, uint64_t size, uint64_t end);
  // Live regions: of a heap, and all.
  void for_each_in(uint64_t heap, const std::function<void(Allocation&)>& visit);
  void for_each(const std::function<void(Allocation&)>& visit);
  // Of an allocation that is freed.
  void forget(const Allocation& whole);

  // What a kernel may access at an address of the allocation: a region, or what is in no closed heap, up to the next
  // closed heap or region that restricts accesses.
  [[nodiscard]] std::optional<Allocation> accessible(const Allocation& whole, uint64_t address) const;
  // The region, live or taken back, that holds the address, or the nearest one of the same heap, or the allocation.
  [[nodiscard]] Allocation nearest(const Allocation& whole, uint64_t address) const;

 private:
  struct Heap {
    uint64_t base = 0, size = 0;
    bool closed = true;
    Label label;
  };
  [[nodiscard]] const Heap* heap_at(uint64_t address) const;
  [[nodiscard]] const Allocation* region_before(uint64_t address) const;  // or at it
  [[nodiscard]] static bool restricts(const Allocation& region);

  std::map<uint64_t, Heap> heaps_;
  std::map<uint64_t, Allocation> regions_;  // live and taken back, none overlaps another one
};

}  // namespace drywarp::exec
