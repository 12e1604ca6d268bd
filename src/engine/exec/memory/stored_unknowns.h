// Bytes of the device's memory that kernels have stored without knowing them: copies of what nothing has written. Each
// is known by the number of what its value came from. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>

namespace drywarp::exec {

class StoredUnknowns {
 public:
  // `bytes`: a bit for each, from `address` on.
  void keep(uint64_t address, uint32_t bytes, uint16_t source);
  void forget(uint64_t address, uint64_t bytes);
  // Bytes that are none forget what was there.
  void copy(uint64_t to, uint64_t from, uint64_t bytes);
  [[nodiscard]] std::optional<uint16_t> source(uint64_t address) const;

 private:
  static constexpr uint64_t kLineBytes = 64, kWordBytes = 4;
  struct Line {
    uint64_t bytes = 0;
    std::array<uint16_t, kLineBytes / kWordBytes> sources{};
  };
  mutable std::shared_mutex mutex_;
  std::atomic<bool> any_{false};
  std::map<uint64_t, Line> lines_;  // by address over kLineBytes
};

}  // namespace drywarp::exec
