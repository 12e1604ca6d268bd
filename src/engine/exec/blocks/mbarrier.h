// The layout of barrier objects (mbarrier) in shared memory, which is opaque to programs.
#pragma once

#include <algorithm>
#include <cstdint>

namespace drywarp::exec {

// 64 bits: expected and pending arrivals, pending bytes, phase.
struct Mbarrier {
  uint64_t pending : 20, expected : 20, transactions : 21, phase : 1, negative : 1, valid : 1;

  // Bytes that are to come; less than 0: they came before the program said that it expects them.
  [[nodiscard]] int32_t bytes() const {
    const auto count = static_cast<int32_t>(transactions);
    return negative != 0 ? -count : count;
  }
  void add_bytes(int64_t more) {
    constexpr int64_t kMost = (1 << 21) - 1;  // twice of what the PTX ISA allows
    const int64_t sum = std::clamp(bytes() + more, -kMost, kMost);
    negative = sum < 0;
    transactions = static_cast<uint64_t>(sum < 0 ? -sum : sum);
  }
};
static_assert(sizeof(Mbarrier) == 8);

}  // namespace drywarp::exec
