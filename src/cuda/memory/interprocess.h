// Device memory and events that several processes use (cudaIpcGetMemHandle ...). A handle names the file of an
// allocation by the process that holds it, which must live while another one opens it. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>

#include "cuda/device/error.h"
#include "engine/exec/memory/device_memory.h"

namespace drywarp::cuda {

enum class SharedKind : uint32_t { Memory = 1, Event = 2 };

// At most CUDA_IPC_HANDLE_SIZE bytes.
struct SharedHandle {
  uint64_t magic = 0;
  SharedKind kind = SharedKind::Memory;
  int32_t process = 0, file = -1;
  uint64_t size = 0;
  uint64_t id = 0;  // of the allocation, whose file's number another one may have later
};

class Interprocess {
 public:
  explicit Interprocess(exec::DeviceMemory& device) : device_(device) {}

  Error handle_of(uint64_t address, SharedHandle& out);  // of the allocation that contains the address
  // DeviceUninitialized for an allocation of this process, as on a GPU. What is open already has the same address.
  // `of_pool`: of a pool's memory, which is closed by being freed.
  Error open(const SharedHandle& handle, uint64_t& address, bool of_pool = false);
  Error close(uint64_t address);
  [[nodiscard]] bool is_of_pool(uint64_t address) const;
  void reset();

  // An event of another process is one that is complete: operations run when they are issued.
  [[nodiscard]] static SharedHandle event_handle();
  [[nodiscard]] static Error check_event(const SharedHandle& handle);

 private:
  struct Opened {
    SharedHandle handle;
    unsigned times = 1;
    bool of_pool = false;
  };
  exec::DeviceMemory& device_;
  std::map<uint64_t, Opened> opened_;  // by address
};

}  // namespace drywarp::cuda
