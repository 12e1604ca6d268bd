// What stores write: whether it is what was there, and whether lanes of one instruction agree.
#include <cstring>

#include "engine/check/record_pairs.h"

namespace drywarp::check {
namespace {

// Of a store, the byte that it writes there; of several lanes, the lowest one's.
uint8_t value_at(uint32_t byte, uint64_t line, const RaceRecords::Accessor& by, LaneMask lane) {
  const auto l = static_cast<uint32_t>(std::countr_zero(lane));
  const uint32_t size = by.access.element_bytes;
  const auto at = static_cast<uint32_t>(line * kLineBytes + byte - by.at[l]);
  return by.access.values[(size_t{at / size} * kWarpSize + l) * size + at % size];
}

}  // namespace

LineBytes same_values(const AccessRecord& r, const AccessRecord& now, const LineBytes& bytes, uint64_t line,
                      const RaceRecords::Accessor& by, const LineTable::Values* values) {
  if (!r.valued || !now.valued || !values) return {};
  LaneMask different = 0;
  for_bytes(bytes, [&](uint32_t byte) {
    const LaneMask lanes = now.run.at(byte);
    if ((*values)[byte] != value_at(byte, line, by, lanes)) different |= lanes;
  });
  if (different == 0) return bytes;
  LineBytes same;
  for_bytes(bytes, [&](uint32_t byte) {
    if ((now.run.at(byte) & different) == 0) same = same | LineBytes::range(byte, 1);
  });
  return same;
}

void write_values(const AccessRecord& now, uint64_t line, const RaceRecords::Accessor& by, LineTable::Values& values) {
  const uint32_t size = by.access.element_bytes, count = now.run.bytes.count();
  // Neighbouring lanes' elements, as they lie in memory.
  if (now.run.stride == static_cast<int>(size) && now.run.rows == 1 && size == by.access.bytes &&
      now.run.bytes == LineBytes::range(now.run.first_byte, count)) {
    std::memcpy(&values[now.run.first_byte], by.access.values + size_t{now.run.first_lane} * size, count);
    return;
  }
  for_bytes(now.run.bytes, [&](uint32_t byte) {
    const LaneMask lanes = now.run.at(byte);
    values[byte] = value_at(byte, line, by, 1u << (31 - std::countl_zero(lanes)));  // the last lane wins
  });
}

void lanes_race(const AccessRecord& now, uint64_t line, const RaceRecords::Accessor& by) {
  if (now.run.one_lane_each() || (now.use.strong && !now.use.in_step)) return;
  LineBytes several;
  bool same = now.valued;
  for_bytes(now.run.bytes, [&](uint32_t byte) {
    const LaneMask lanes = now.run.at(byte);
    if (std::has_single_bit(lanes)) return;
    several = several | LineBytes::range(byte, 1);
    for (LaneMask left = lanes; same && left != 0; left &= left - 1)
      same = value_at(byte, line, by, left) == value_at(byte, line, by, lanes);
  });
  AccessRecord first = now, second = now;
  LaneMask &one = now.run.stride == 0 ? first.run.lanes : first.run.rows,
           &others = now.run.stride == 0 ? second.run.lanes : second.run.rows;
  one &= -one;
  others &= ~one;
  by.races.race(first, second, several, line, same);
}

}  // namespace drywarp::check
