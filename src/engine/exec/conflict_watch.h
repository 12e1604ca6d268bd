// Blocks on several workers run as if one after the other if no worker touches what another one writes: each runs its
// own blocks in their order. A watched launch notes which words each worker touches, keeps what it overwrites, and is
// undone if workers met, to be run again in order.
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
    bool kept = false;  // what was there before it is written is kept
    // What others must not have done to the same words.
    [[nodiscard]] bool meets(const Page& other, bool atomics_commute) const;
    void add(const Page& other);
  };

  // One worker's; it alone writes it.
  class Log {
   public:
    explicit Log(ConflictWatch& watch) : watch_(watch) {}
    // Before the access. Addresses need not be valid: what no allocation holds is left to the access itself.
    void note(const uint64_t* addresses, uint32_t mask, uint32_t bytes, Use use);
    // A store of one element: `values` of 32 lanes, by which stores of the same value are told from others.
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

  // `atomics_commute`: nobody can tell the order of the launch's atomics.
  ConflictWatch(const DeviceMemory& memory, unsigned workers, bool atomics_commute);
  Log& log(unsigned worker) { return *logs_[worker]; }

  // When all workers have ended: whether one of them touched what another one wrote.
  [[nodiscard]] bool workers_met() const;
  // Every word that the launch wrote is again what it was.
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
