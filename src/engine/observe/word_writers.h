// Which store or atomic of a launch has written a word of global memory last, and what words were polled for: which
// write has made a test of it come out as it does. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/access/access_pattern.h"
#include "base/events/value_test.h"
#include "base/events/warp_trace.h"

namespace drywarp::observe {

class WordWriters {
 public:
  // Lanes write `bytes` each, at `places`. `values`: what the word has then, by lane; null: not known.
  void write(const WriteId& id, const uint64_t* places, LaneMask lanes, uint32_t bytes, const uint64_t* values);
  // The write of each lane's word that it has seen: the last one, or of a value that is only tested the first one since
  // which the test has come out the same. Nothing: nobody has written there.
  void find(const uint64_t* places, LaneMask lanes, const TestedLanes* tested, std::optional<WriteId>* found) const;

 private:
  static constexpr uint32_t kWordBytes = 4, kWords = kLineBytes / kWordBytes;
  using Line = std::array<uint32_t, kWords>;  // by word: index into `writes_` and 1; 0: not written
  struct Value {
    uint32_t write = 0;  // as in Line
    uint64_t value = 0;
  };
  [[nodiscard]] uint32_t first_with_answer(uint64_t word, const TestedLanes& tested, uint32_t lane) const;

  mutable std::mutex mutex_;
  std::vector<WriteId> writes_;
  std::unordered_map<uint64_t, Line> lines_;
  std::unordered_map<uint64_t, std::vector<Value>> values_;  // by word: those that it has had, as far as they are known
};

}  // namespace drywarp::observe
