// The blocks of a grid that some of a device's SMs get. In each round all SMs get a block, in turn: of each row of
// blocks, as many as there are SMs, the first `width` go to the first `width` SMs.
#pragma once

#include <algorithm>
#include <cstdint>

namespace drywarp {

struct BlockRows {
  uint64_t row = 1, width = 1;  // blocks; equal: all

  [[nodiscard]] bool all() const { return width >= row; }
  [[nodiscard]] bool hold(uint64_t block) const { return block % row < width; }
  // The first held block from `block` on, and the end of its run.
  [[nodiscard]] uint64_t next(uint64_t block) const { return hold(block) ? block : (block / row + 1) * row; }
  [[nodiscard]] uint64_t end(uint64_t held) const { return all() ? ~uint64_t{0} : held / row * row + width; }
  // How many there are before `block`: the number of a held block among them.
  [[nodiscard]] uint64_t count(uint64_t block) const { return block / row * width + std::min(block % row, width); }

  bool operator==(const BlockRows&) const = default;
};

}  // namespace drywarp
