#include "engine/exec/blocks/unknown_bytes.h"

#include <algorithm>

namespace drywarp::exec {
namespace {

constexpr unsigned kValueBytes = UnknownValues::kBytes;

}  // namespace

LaneMask any_of(const UnknownSet& bytes) {
  LaneMask all = 0;
  for (const LaneMask lanes : bytes) all |= lanes;
  return all;
}

UnknownSet either(const UnknownSet& a, const UnknownSet& b) {
  UnknownSet out;
  for (unsigned k = 0; k < kValueBytes; ++k) out[k] = a[k] | b[k];
  return out;
}

UnknownSet whole(LaneMask lanes) {
  UnknownSet out;
  out.fill(lanes);
  return out;
}

UnknownSet carried(const UnknownSet& bytes) {
  UnknownSet out;
  LaneMask below = 0;
  for (unsigned k = 0; k < kValueBytes; ++k) out[k] = below |= bytes[k];
  return out;
}

UnknownSet shifted_left(const UnknownSet& value, uint64_t by, unsigned bytes) {
  UnknownSet out{};
  if (by >= uint64_t{8} * bytes) return out;
  const auto whole_bytes = static_cast<unsigned>(by / 8);
  for (unsigned k = whole_bytes; k < bytes; ++k) {
    out[k] = value[k - whole_bytes];
    if (by % 8 != 0 && k > whole_bytes) out[k] |= value[k - whole_bytes - 1];
  }
  return out;
}

UnknownSet shifted_right(const UnknownSet& value, uint64_t by, unsigned bytes, bool is_signed) {
  const auto at = [&](uint64_t k) { return k < bytes ? value[k] : is_signed ? value[bytes - 1] : 0; };
  UnknownSet out{};
  by = std::min(by, uint64_t{8} * bytes);
  for (unsigned k = 0; k < bytes; ++k) {
    out[k] = at(k + by / 8);
    if (by % 8 != 0) out[k] |= at(k + by / 8 + 1);
  }
  return out;
}

UnknownSet extended(UnknownSet value, unsigned from, bool is_signed) {
  for (unsigned k = from; k < kValueBytes; ++k) value[k] = is_signed && from != 0 ? value[from - 1] : 0;
  return value;
}

UnknownSet without_decided(UnknownSet value, uint64_t constant, uint8_t decides) {
  for (unsigned k = 0; k < kValueBytes; ++k)
    if (static_cast<uint8_t>(constant >> 8 * k) == decides) value[k] = 0;
  return value;
}

LaneMask unknown_and(LaneMask unknown_a, LaneMask a, LaneMask unknown_b, LaneMask b) {
  return (unknown_a & (unknown_b | b)) | (unknown_b & a);
}

LaneMask unknown_or(LaneMask unknown_a, LaneMask a, LaneMask unknown_b, LaneMask b) {
  return (unknown_a & (unknown_b | ~b)) | (unknown_b & ~a);
}

uint32_t shuffle_source(ir::Mode mode, uint32_t lane, uint32_t offset, uint32_t control) {
  // PTX ISA, shfl.sync: the control has the segment's mask and the clamp.
  const uint32_t clamp = control & 31, segment = control >> 8 & 31;
  const uint32_t last = (lane & segment) | (clamp & ~segment), by = offset & 31;
  uint32_t from = lane;
  bool inside = true;
  switch (mode) {
    case ir::Mode::ShflUp:
      from = lane - by, inside = static_cast<int32_t>(from) >= static_cast<int32_t>(last);
      break;
    case ir::Mode::ShflDown:
      from = lane + by, inside = from <= last;
      break;
    case ir::Mode::ShflBfly:
      from = lane ^ by, inside = from <= last;
      break;
    default:
      from = (lane & segment) | (by & ~segment), inside = from <= last;
  }
  return inside ? from & 31 : lane;
}

}  // namespace drywarp::exec
