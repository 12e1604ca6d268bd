// Pointers that a kernel loads, and the allocations that they name: an access by one of them belongs to its allocation,
// wherever else it ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/exec/memory/device_memory.h"
#include "language/analysis/passes.h"

namespace drywarp::exec {

class FollowedPointers {
 public:
  // Before the launch. `variables`: addresses of the module's, by SymbolId.
  void start(const analysis::PointerSources& sources, const uint8_t* parameters, uint64_t parameter_bytes,
             const uint64_t* variables, const DeviceMemory& memory);

  // A pointer that an access to memory at [base, end) has left, if that is another allocation than those that the
  // pointers of a source name; allocations without anything between them are one. 0: it has left none, or nobody knows.
  [[nodiscard]] uint64_t left(uint32_t source, uint64_t address, uint64_t base, uint64_t end) const;
  // Whether the pointer leads into an allocation, and the address into another one.
  [[nodiscard]] bool leaves(uint64_t pointer, uint64_t address) const;
  [[nodiscard]] bool names(uint64_t pointer) const;

 private:
  // Memory that has pointers of a source: one, or a table of them.
  struct Place {
    uint64_t address = 0, bytes = 0;  // 0: it is not known, or none
    bool fixed = false;               // nobody can write it
    // What they were before the launch.
    std::vector<uint64_t> pointers;
  };
  // Adds those that are there now, one for each allocation. False: some lead to nothing, or to what is no allocation of
  // the program's own.
  bool collect(uint64_t address, uint64_t bytes, std::vector<uint64_t>& pointers) const;

  const DeviceMemory* memory_ = nullptr;
  std::vector<Place> places_;  // by source
};

}  // namespace drywarp::exec
