// The books of the memory that graphs allocate (cudaDeviceGetGraphMemAttribute). What a graph frees stays reserved for
// the next graph: of the same stream at once, of any other when the host has waited for the first. In bytes.
#pragma once

#include <cstdint>
#include <map>

namespace drywarp::cuda {

class GraphPool {
 public:
  // What the pool grows and shrinks by, as seen on an H200 with driver 580: a graph that allocates a byte holds 32 MiB.
  static constexpr uint64_t kUnit = uint64_t{32} << 20;

  void take(uint64_t bytes, uint32_t stream);
  void give(uint64_t bytes, uint32_t stream);
  void host_waited();  // for a stream, or for all
  void trim();         // nothing stays reserved but what is in use
  [[nodiscard]] uint64_t held() const { return held_; }
  [[nodiscard]] uint64_t high() const { return high_; }
  void reset_high() { high_ = held_; }

 private:
  uint64_t held_ = 0, high_ = 0;          // held: in use or idle
  uint64_t idle_ = 0;                     // anybody's
  std::map<uint32_t, uint64_t> idle_of_;  // by the number of the stream that last used it
};

}  // namespace drywarp::cuda
