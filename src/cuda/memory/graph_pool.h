// Accounts for the memory that graphs allocate (cudaDeviceGetGraphMemAttribute), in bytes. Memory that a graph frees
// stays reserved for later graphs: in the same stream at once, in other streams after the host has synchronized.
#pragma once

#include <cstdint>
#include <map>

namespace drywarp::cuda {

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

}  // namespace drywarp::cuda
