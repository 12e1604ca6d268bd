// What instructions make of unknown bytes, by bytes of a value of up to 64 bits.
#pragma once

#include <optional>

#include "engine/exec/blocks/unknown_values.h"

namespace drywarp::exec {

using UnknownSet = UnknownValues::Bytes;

[[nodiscard]] LaneMask any_of(const UnknownSet& bytes);
[[nodiscard]] UnknownSet either(const UnknownSet& a, const UnknownSet& b);
// All bytes of a result, where some byte of its sources is unknown.
[[nodiscard]] UnknownSet whole(LaneMask lanes);
// A byte of a sum depends on the bytes below.
[[nodiscard]] UnknownSet carried(const UnknownSet& bytes);
// `by` bits to the left, or to the right: bits of the top byte move in if `is_signed`. `bytes`: of the value.
[[nodiscard]] UnknownSet shifted_left(const UnknownSet& value, uint64_t by, unsigned bytes);
[[nodiscard]] UnknownSet shifted_right(const UnknownSet& value, uint64_t by, unsigned bytes, bool is_signed);
// A value of `from` bytes in a register of more.
[[nodiscard]] UnknownSet extended(UnknownSet value, unsigned from, bool is_signed);
// Where a byte of the constant decides alone: 0 of `and`, 0xff of `or`.
[[nodiscard]] UnknownSet without_decided(UnknownSet value, uint64_t constant, uint8_t decides);
// The result of a logical operation on predicates: `a` and `b` are their values.
[[nodiscard]] LaneMask unknown_and(LaneMask unknown_a, LaneMask a, LaneMask unknown_b, LaneMask b);
[[nodiscard]] LaneMask unknown_or(LaneMask unknown_a, LaneMask a, LaneMask unknown_b, LaneMask b);
// The lane that a lane of a shuffle reads.
[[nodiscard]] uint32_t shuffle_source(ir::Mode mode, uint32_t lane, uint32_t offset, uint32_t control);

}  // namespace drywarp::exec
