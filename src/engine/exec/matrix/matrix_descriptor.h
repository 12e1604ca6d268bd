// Where a matrix in shared memory is, as a descriptor of wgmma says (PTX ISA 9.0, 9.7.15.5.1): in chunks of 16 bytes.
// Measured on an H100, byte by byte, for every swizzle, both directions and bases.
#pragma once

#include <cstdint>

namespace drywarp::exec {

inline constexpr uint32_t kChunkBytes = 16;

class MatrixDescriptor {
 public:
  explicit MatrixDescriptor(uint64_t bits)
      : start_(field(bits, 0)), leading_(field(bits, 16)), stride_(field(bits, 32)), base_(bits >> 49 & 7) {
    constexpr uint32_t kSpans[] = {kChunkBytes, 128, 64, 32};  // none, and by the swizzle
    span_ = kSpans[bits >> 62];
  }

  // Offsets in shared memory. Of a matrix whose lines have k elements each: chunk `part` of a line.
  [[nodiscard]] uint32_t chunk(uint32_t line, uint32_t part) const {
    const uint32_t along = span_ == kChunkBytes ? leading_ : kChunkBytes;
    return swizzled(line % 8 * span_ + line / 8 * stride_ + part * along);
  }
  // Of one whose lines are along m or n: chunk `part` of the line of element `k`.
  [[nodiscard]] uint32_t chunk_transposed(uint32_t k, uint32_t part) const {
    if (span_ == kChunkBytes) return start_ + k % 8 * span_ + k / 8 * leading_ + part * stride_;
    const uint32_t parts = span_ / kChunkBytes;
    return swizzled(part % parts * kChunkBytes + part / parts * leading_ + k % 8 * span_ + k / 8 * stride_);
  }

 private:
  static uint32_t field(uint64_t bits, unsigned first) { return static_cast<uint32_t>(bits >> first & 0x3fff) << 4; }
  [[nodiscard]] uint32_t swizzled(uint32_t offset) const {
    const uint32_t at = start_ + offset, mask = span_ / kChunkBytes - 1;
    return at ^ (((at >> 7) - base_) & mask) << 4;
  }

  uint32_t start_, leading_, stride_, base_, span_;
};

}  // namespace drywarp::exec
