// Zeroed device memory in which the blocks of a cooperative launch synchronize.
#pragma once

#include <cstdint>
#include <mutex>

#include "engine/exec/memory/device_memory.h"

namespace drywarp::exec {

// Keeps one for the next launch.
class Workspaces {
 public:
  // Where the word of the grid's barrier is: include/drywarp/groups/grid.h, and NVIDIA's headers.
  static constexpr uint64_t kGridBarrier = 4;
  explicit Workspaces(DeviceMemory& memory) : memory_(memory) {}

  class Lease {
   public:
    // Without `wanted`, and if memory is used up, the address is 0.
    Lease(Workspaces& workspaces, bool wanted);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    [[nodiscard]] uint64_t address() const { return address_; }

   private:
    Workspaces& workspaces_;
    uint64_t address_ = 0;
  };

 private:
  DeviceMemory& memory_;
  std::mutex mutex_;
  uint64_t idle_ = 0;  // address; 0: none
};

}  // namespace drywarp::exec
