#include "engine/exec/bulk/tensor_box.h"

#include <algorithm>
#include <array>

namespace drywarp::exec {
namespace {

constexpr uint32_t kChunk = 16;  // that a swizzle moves as a whole

}  // namespace

unsigned element_bytes(TensorType type) {
  constexpr std::array<uint8_t, size_t(TensorType::Count)> kBytes = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return kBytes[size_t(type)];
}

TensorBox::TensorBox(const TensorMap& map, const int32_t* first) : map_(map), element_(element_bytes(map.type)) {
  for (unsigned d = 0; d < kMostTensorRank; ++d) {
    const bool used = d < map.rank;
    first_[d] = used ? first[d] : 0;
    // The elements of a row are always next to each other.
    const uint32_t step = d == 0 || !used ? 1 : std::max<uint32_t>(map.steps[d], 1);
    count_[d] = used ? (map.box[d] + step - 1) / step : 1;
  }
  row_bytes_ = count_[0] * element_;
  bytes_ = row_bytes_;
  // Under a swizzle, a shorter row takes as much of shared memory as the longest.
  pitch_ = std::max<uint32_t>(row_bytes_, map.swizzle_bytes);
  for (unsigned d = 1; d < kMostTensorRank; ++d) bytes_ *= count_[d];
}

uint32_t TensorBox::place(uint32_t start, uint32_t in_box) const {
  const uint32_t at = start + in_box;
  if (map_.swizzle_bytes == 0) return at;
  return at ^ ((at >> 7) & (map_.swizzle_bytes / kChunk - 1)) * kChunk;
}

// Parts that lie in the tensor, and before and behind it.
void TensorBox::add_row(uint32_t in_box, bool outside, uint64_t address, bool stores,
                        std::vector<BoxPiece>& out) const {
  const int64_t end = int64_t{map_.last[0]} + 1;
  const auto inside_from = static_cast<uint32_t>(std::clamp<int64_t>(-first_[0], 0, count_[0])) * element_;
  auto inside_to = static_cast<uint32_t>(std::clamp<int64_t>(end - first_[0], 0, count_[0])) * element_;
  if (stores) inside_to = std::min((inside_to + kChunk - 1) / kChunk * kChunk, row_bytes_);
  const uint32_t step = map_.swizzle_bytes == 0 ? row_bytes_ : kChunk;
  for (uint32_t at = 0; at < row_bytes_;) {
    const bool in = !outside && at >= inside_from && at < inside_to;
    uint32_t until = std::min(row_bytes_, (at / step + 1) * step);
    if (in) until = std::min(until, inside_to);
    if (!in && !outside && at < inside_from) until = std::min(until, inside_from);
    // Unsigned arithmetic wraps around for what begins before the tensor.
    out.push_back({in_box + at, !in, in ? address + at : 0, until - at});
    at = until;
  }
}

std::vector<BoxPiece> TensorBox::pieces(bool stores) const {
  std::vector<BoxPiece> all;
  uint32_t in_box = 0;
  uint32_t at[kMostTensorRank] = {};
  for (;;) {
    bool outside = false;
    uint64_t address = map_.address + static_cast<uint64_t>(first_[0]) * element_;
    for (unsigned d = 1; d < map_.rank; ++d) {
      const int64_t element = first_[d] + int64_t{at[d]} * std::max<uint32_t>(map_.steps[d], 1);
      outside |= element < 0 || element > int64_t{map_.last[d]};
      address += static_cast<uint64_t>(element) * map_.strides[d - 1];
    }
    add_row(in_box, outside, address, stores, all);
    in_box += pitch_;
    unsigned d = 1;
    while (d < kMostTensorRank && ++at[d] == count_[d]) at[d++] = 0;
    if (d == kMostTensorRank) return all;
  }
}

}  // namespace drywarp::exec
