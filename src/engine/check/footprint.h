// What an operation accesses in memory that others can see: for each instruction of a launch, or each end of a copy,
// the exact bytes. The bytes of a launch are complete. The threads that accessed them are kept for the lowest blocks,
// as far as memory for them reaches; of other bytes a finding has no thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/check/byte_set.h"
#include "engine/check/check.h"

namespace drywarp::check {

enum class MemoryUse : uint8_t { Read, Write, Allocate, Free };

// A row of bytes that consecutive lanes accessed, `width` each.
struct Witness {
  uint64_t begin = 0;
  uint32_t width = 0, lanes = 0;
  uint32_t thread = 0;  // of the first: warp * 32 + lane
  uint64_t block = 0;
  [[nodiscard]] uint64_t end() const { return begin + uint64_t{width} * lanes; }
};

struct Footprint {
  struct Part {
    const void* key = nullptr;  // of the same code in the next launch: the same
    MemoryUse use = MemoryUse::Read;
    bool strong = false;     // atomic, volatile or relaxed, for the whole device or more: does not race with its like
    bool with_host = false;  // strong, and for the host, too
    bool atomic = false;
    CodeLine where;
    ByteSet bytes;
    std::vector<Witness> witnesses;  // sorted by begin
    [[nodiscard]] bool writes() const { return use != MemoryUse::Read; }
  };
  std::string kernel;  // empty: not a launch
  std::vector<std::shared_ptr<Part>> parts;
  bool fences = false;  // the launch orders memory for the whole device
  Extent grid{1, 1, 1}, block{1, 1, 1};
  [[nodiscard]] std::optional<ThreadPlace> thread(const Part& part, uint64_t address) const;
};

// Watches a launch.
class FootprintObserver : public observe::Observer {
 public:
  explicit FootprintObserver(const CheckedLaunch& launch);
  [[nodiscard]] RunEvents events() const override { return {.accesses = true, .fences = true, .parts = true}; }
  [[nodiscard]] bool takes_turns() const override { return false; }
  [[nodiscard]] observe::BlockRange next(uint64_t block) const override { return {block}; }
  std::unique_ptr<observe::BlockObserver> begin(uint64_t block) override;
  void end(std::unique_ptr<observe::BlockObserver>) override {}
  // Call once, after the launch.
  [[nodiscard]] Footprint take();

 private:
  friend class BlockFootprint;
  // An instruction's accesses of one kind to global memory; a generic one may have two.
  struct Key {
    uint32_t access;
    bool writes, strong, with_host, atomic;
    auto operator<=>(const Key&) const = default;
  };
  Footprint::Part& part(const Key& key);
  void keep(uint64_t block, std::map<Footprint::Part*, std::vector<Witness>> witnesses);

  static constexpr size_t kMostWitnesses = size_t{1} << 18;

  const CheckedLaunch launch_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Footprint::Part>> parts_;
  std::map<uint64_t, std::map<Footprint::Part*, std::vector<Witness>>> witnesses_;  // by block
  size_t kept_ = 0;
  uint64_t end_ = ~uint64_t{0};  // witnesses of blocks from here on are not kept
  std::atomic<bool> fences_{false};
};

}  // namespace drywarp::check
