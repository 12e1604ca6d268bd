// The pieces of memory that a copy of a tensor's box moves.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/exec/bulk/tensor_map.h"

namespace drywarp::exec {

// Bytes that follow each other on both sides, of at most 16 if the box is swizzled.
struct BoxPiece {
  uint32_t in_box = 0;   // offset in shared memory from the box's first byte, before the swizzle
  bool outside = false;  // of the tensor
  uint64_t address = 0;  // global; not if it is outside
  uint32_t bytes = 0;
};

class TensorBox {
 public:
  // `first`: the coordinates of the box's first element.
  TensorBox(const TensorMap& map, const int32_t* first);
  // That are copied: what a barrier object hears of.
  [[nodiscard]] uint32_t bytes() const { return bytes_; }
  // `stores`: to the tensor. Measured on an H100: then the last 16 bytes of a row are written as a whole, even if the
  // tensor's row ends within them.
  [[nodiscard]] std::vector<BoxPiece> pieces(bool stores) const;
  // Where a byte of the box is, whose first is at `start`: addresses in shared memory.
  [[nodiscard]] uint32_t place(uint32_t start, uint32_t in_box) const;

 private:
  void add_row(uint32_t in_box, bool outside, uint64_t address, bool stores, std::vector<BoxPiece>& out) const;

  const TensorMap& map_;
  int64_t first_[kMostTensorRank];
  uint32_t count_[kMostTensorRank];  // elements that are copied, by dimension
  uint32_t element_, row_bytes_, pitch_, bytes_;
};

}  // namespace drywarp::exec
