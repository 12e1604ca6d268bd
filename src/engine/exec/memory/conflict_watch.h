// Detects conflicts between workers. If no worker touches words that another one writes, blocks on several workers give
// the results of one order, for each worker runs its own blocks in order. A watched launch records the words that each
// worker touches and saves what it overwrites; after a conflict it is undone and runs again in order.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/exec/memory/device_memory.h"

namespace drywarp::exec {

class ConflictWatch {
 public:
  enum class Use : uint8_t {
    Load,
    Store,
    Flag,  // a store of one value at one address by a whole warp: others may store the same
    Atomic,
  };

  static constexpr unsigned kUses = 4;
  static constexpr uint64_t kPageBytes = 4096, kWordBytes = 4, kWords = kPageBytes / kWordBytes;

  // The words of a page that a worker touched, a bit each, by Use.
  struct Page {
    uint64_t words[kUses][kWords / 64] = {};
    bool kept = false;  // its old contents are saved
    // Whether accesses of two workers to the same words conflict.
    [[nodiscard]] bool conflicts_with(const Page& other, bool atomics_commute) const;
    void add(const Page& other);
  };

  // The accesses of one worker, which alone writes them.
  class Log {
   public:
    explicit Log(ConflictWatch& watch) : watch_(watch) {}
    // Before the access. Addresses need not be valid: the access itself faults.
    void note(const uint64_t* addresses, uint32_t mask, uint32_t bytes, Use use);
    // A store; `values` of 32 lanes tell stores of one value from others.
    void note_store(const uint64_t* addresses, uint32_t mask, uint32_t bytes, uint32_t elements, const void* values);

   private:
    friend class ConflictWatch;
    struct Flag {
      uint64_t value = 0;
      uint32_t bytes = 0;
    };
    Page& page_of(uint64_t number);

    ConflictWatch& watch_;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
    std::unordered_map<uint64_t, Flag> flags_;  // by address: what was stored there last
    static constexpr unsigned kRecent = 64;
    struct {
      uint64_t number = ~uint64_t{0};
      Page* page = nullptr;
    } recent_[kRecent];
  };

  // `atomics_commute`: the order of the launch's atomics cannot be observed.
  ConflictWatch(const DeviceMemory& memory, unsigned workers, bool atomics_commute);
  Log& log(unsigned worker) { return *logs_[worker]; }

  // When all workers have ended: whether one touched what another one wrote.
  [[nodiscard]] bool has_conflict() const;
  // Restores every word that the launch wrote.
  void undo();

 private:
  bool keep(uint64_t page, uint64_t address);  // false: the address is in no allocation

  const DeviceMemory& memory_;
  const bool atomics_commute_;
  std::vector<std::unique_ptr<Log>> logs_;
  std::mutex mutex_;                                               // of what follows
  std::unordered_map<uint64_t, std::unique_ptr<uint8_t[]>> kept_;  // pages as they were
};

}  // namespace drywarp::exec
