#include "events/access_pattern.h"

#include <algorithm>
#include <array>
#include <bit>

#include "events/lane_vectors.h"

namespace drywarp {

// Not in an anonymous namespace: functions with a copy per instruction set are resolved by the loader.
namespace lanes {

struct Loaded {
  U64 addresses;               // inactive lanes repeat the first active one, so that they add nothing distinct
  uint64_t first;              // address of the first active lane
  uint64_t or_all, differing;  // all addresses or'ed; the bits in which any differs from the first
};

DW_LANES_INLINE uint64_t or_reduce(const U64& v) { return __builtin_reduce_or(v); }

DW_LANES_INLINE void load(const uint64_t* addresses, LaneMask active, Loaded& out) {
  U64 raw;
  __builtin_memcpy(&raw, addresses, sizeof raw);
  out.first = addresses[std::countr_zero(active)];
  if (active != ~0u) {
    const Bits keep = __builtin_bit_cast(Bits, active);
    const auto wide = __builtin_convertvector(keep, U64) != 0;
    raw = wide ? raw : U64(out.first);
  }
  out.addresses = raw;
  out.or_all = or_reduce(raw);
  out.differing = or_reduce(raw ^ U64(out.first));
}

// Distinct values of addresses >> shift.
DW_LANES_INLINE unsigned distinct(const Loaded& in, unsigned shift) {
  const uint64_t differing = in.differing >> shift;
  if (differing == 0) return 1;
  // Rising (or level) from lane to lane: strides, rows, columns. The distinct values are the steps.
  const U64 keys = in.addresses >> shift;
  const U64 next = __builtin_shufflevector(keys, keys, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                           19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 31);
  if (mask_of(U64(next < keys)) == 0) return 1 + std::popcount(mask_of(U64(next != keys)));
  if (differing >> 32 == 0) return 32 - std::popcount(repeats(__builtin_convertvector(keys, U32)));
  return 32 - std::popcount(repeats(keys));
}

DW_PER_CPU GlobalAccess aligned_global(const uint64_t* addresses, LaneMask active, unsigned size, bool* misaligned) {
  Loaded in;
  load(addresses, active, in);
  GlobalAccess out;
  if ((*misaligned = (in.or_all & (size - 1)) != 0)) return out;
  out.sectors = distinct(in, std::countr_zero(kSectorBytes));
  // As many sectors as lanes: nobody shares, and the bytes need no second count.
  const bool apart = out.sectors == static_cast<unsigned>(std::popcount(active));
  out.unique_bytes = (apart ? out.sectors : distinct(in, std::countr_zero(size))) * size;
  return out;
}

// Shared memory works on the unit that a lane reads: a 32-bit word, an aligned pair or an aligned quad of them. A pass
// serves as many lanes as together fill the banks' width, so there are always 32 (group of lanes, bank of units) pairs.
DW_PER_CPU SharedAccess aligned_shared(const uint64_t* addresses, LaneMask active, unsigned size) {
  Loaded in;
  load(addresses, active, in);
  const unsigned unit_bytes = std::clamp(size, 4u, 16u);
  const unsigned unit_shift = std::countr_zero(unit_bytes);
  const unsigned group_lanes = kSharedBanks * kBankBytes / unit_bytes;  // lanes a pass; also banks of units
  const unsigned group_shift = std::countr_zero(group_lanes);
  SharedAccess out;
  for (unsigned g = 0; g < kWarpSize; g += group_lanes)
    out.ideal_wavefronts += (active >> g & (~0u >> (kWarpSize - group_lanes))) != 0;

  U32 lane;
  for (unsigned i = 0; i < 32; ++i) lane[i] = i;
  const U32 units = __builtin_convertvector(in.addresses >> unit_shift, U32);
  const U32 group = lane >> group_shift;
  const U32 keys = units << (5 - group_shift) | group;  // distinct (unit, group)
  const uint32_t counted =
      active &
      ~repeats(active == ~0u
                   ? keys
                   : U32(__builtin_convertvector(__builtin_bit_cast(Bits, active), U32) != 0 ? keys : U32(~0u)));
  out.unique_bytes = size * (size == kBankBytes ? std::popcount(counted) : distinct(in, std::countr_zero(size)));
  const U32 bank = group << group_shift | (units & (group_lanes - 1));
  U32 bank_bit = U32(1) << bank;
  bank_bit = __builtin_convertvector(__builtin_bit_cast(Bits, counted), U32) != 0 ? bank_bit : U32(0);
  const uint32_t banks = __builtin_reduce_or(bank_bit);
  if (std::popcount(banks) == std::popcount(counted)) {  // no bank has two
    out.wavefronts = out.ideal_wavefronts;
    out.ways = 1;
    return out;
  }
  U8 counted_bank = __builtin_convertvector(bank, U8);
  const U8 is_counted = __builtin_convertvector(__builtin_bit_cast(Bits, counted), U8);
  counted_bank = is_counted != 0 ? counted_bank : U8(255);
  U8 ways;
  population(counted_bank, ways);
  ways = is_counted != 0 ? ways : U8(0);
  for (unsigned g = 0; g < kWarpSize; g += group_lanes) {
    unsigned most = 0;
    for (unsigned i = g; i < g + group_lanes; ++i) most = std::max<unsigned>(most, ways[i]);
    out.wavefronts += most;
    out.ways = std::max(out.ways, most);
  }
  return out;
}

DW_PER_CPU AtomicAccess any_atomic(const uint64_t* addresses, LaneMask active) {
  Loaded in;
  load(addresses, active, in);
  if (in.differing == 0) return {1, uint32_t(std::popcount(active))};
  if (in.differing >> 32 != 0) {
    AtomicAccess out;
    for (uint32_t rest = active; rest != 0; ++out.addresses) {
      const uint32_t same = mask_of(in.addresses == U64(addresses[std::countr_zero(rest)])) & rest;
      out.max_same = std::max<uint32_t>(out.max_same, std::popcount(same));
      rest &= ~same;
    }
    return out;
  }
  const U32 keys = __builtin_convertvector(in.addresses, U32);
  const uint32_t repeated = repeats(keys);
  AtomicAccess out{32 - uint32_t(std::popcount(repeated)), 1};
  if (repeated == 0) return out;
  // Inactive lanes stand on the first active lane's address: take them off its count.
  const U32 at_first = U32(keys == U32(uint32_t(in.first))) & U32(32 - std::popcount(active));
  U32 same;
  population(keys, same);
  out.max_same = __builtin_reduce_max(same - at_first);
  return out;
}

}  // namespace lanes

namespace {

// Any alignment: the union of the lanes' byte ranges. Hardware faults on these; only synthetic patterns come here.
GlobalAccess misaligned_global(const uint64_t* addresses, LaneMask active, unsigned size) {
  std::array<uint64_t, kWarpSize> starts{};
  unsigned lanes = 0;
  for (unsigned i = 0; i < kWarpSize; ++i)
    if (active >> i & 1) starts[lanes++] = addresses[i];
  std::sort(starts.begin(), starts.begin() + lanes);
  GlobalAccess out;
  uint64_t bytes_end = 0, next_sector = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    const uint64_t begin = starts[i], end = begin + size;
    out.unique_bytes += end - (i == 0 ? begin : std::max(begin, std::min(bytes_end, end)));
    const uint64_t first = i == 0 ? begin / kSectorBytes : std::max(begin / kSectorBytes, next_sector);
    const uint64_t past = (end - 1) / kSectorBytes + 1;
    if (past > first) out.sectors += past - first;
    bytes_end = end, next_sector = past;
  }
  return out;
}

}  // namespace

GlobalAccess analyze_global(const uint64_t* addresses, LaneMask active, unsigned size) {
  if (active == 0) return {};
  bool misaligned = false;
  GlobalAccess out = lanes::aligned_global(addresses, active, size, &misaligned);
  if (misaligned) out = misaligned_global(addresses, active, size);
  out.ideal_sectors = (std::popcount(active) * size + kSectorBytes - 1) / kSectorBytes;
  return out;
}

SharedAccess analyze_shared(const uint64_t* addresses, LaneMask active, unsigned size) {
  if (active == 0) return {};
  return lanes::aligned_shared(addresses, active, size);
}

AtomicAccess analyze_atomic(const uint64_t* addresses, LaneMask active) {
  if (active == 0) return {};
  return lanes::any_atomic(addresses, active);
}

}  // namespace drywarp
