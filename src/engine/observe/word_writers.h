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
  // On what the value that a write leaves depends, but for its own operands.
  struct Base {
    bool on_word = false;   // on the word's value before: an atomic that is no exchange
    uint32_t on_write = 0;  // on this one: as write() has returned it; 0: on none
  };
  // Lanes write `bytes` each, at `places`. `values`: what the word has then, by lane; null: not known. Returns the
  // write's number.
  uint32_t write(const WriteId& id, const uint64_t* places, LaneMask lanes, uint32_t bytes, const uint64_t* values,
                 const Base& base);
  // The write of each lane's word that a warp has seen: the last one, or of a value that is only tested the first one
  // since which the test has come out the same. If that is its own, the one of another warp that it builds on. Nothing:
  // nobody else has written there.
  void find(const WriteId& reader, const uint64_t* places, LaneMask lanes, const TestedLanes* tested,
            std::optional<WriteId>* found) const;
  // On which writes these build, and what those build on; ascending.
  [[nodiscard]] std::vector<BuiltOn> built(std::vector<WriteId> writes) const;

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
  std::vector<uint32_t> before_;  // by write: on which it builds, as in Line; of a write to several words the first's
  std::unordered_map<uint64_t, Line> lines_;
  std::unordered_map<uint64_t, std::vector<Value>> values_;  // by word: those that it has had, as far as they are known
};

}  // namespace drywarp::observe
