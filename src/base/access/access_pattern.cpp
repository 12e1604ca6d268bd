#include "base/access/access_pattern.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/access/bank_schedule.h"
#include "base/access/lane_vectors.h"

namespace drywarp {

// Every device since compute capability 5.0.
constexpr unsigned kSharedBanks = 32;
constexpr unsigned kBankBytes = 4;

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

// Distinct keys that differ in their lowest bits only, as the elements of a small table do: a bit for each in `Words`
// words of 64.
template <unsigned Words>
DW_LANES_INLINE unsigned distinct_within(const U64& keys) {
  const U64 bits = U64(1) << (keys & 63);
  if constexpr (Words == 1) return std::popcount(or_reduce(bits));
  unsigned count = 0;
  for (unsigned word = 0; word < Words; ++word) {
    const U64 here = bits & U64(((keys >> 6) & (Words - 1)) == word);
    count += std::popcount(or_reduce(here));
  }
  return count;
}

// Distinct values of addresses >> shift.
DW_LANES_INLINE unsigned distinct(const Loaded& in, unsigned shift) {
  const uint64_t differing = in.differing >> shift;
  if (differing == 0) return 1;
  // Non-decreasing from lane to lane (strides, rows, columns): count the steps.
  const U64 keys = in.addresses >> shift;
  const U64 next = __builtin_shufflevector(keys, keys, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                           19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 31);
  if (mask_of(U64(next < keys)) == 0) return 1 + std::popcount(mask_of(U64(next != keys)));
  if (differing >> 6 == 0) return distinct_within<1>(keys);
  if (differing >> 7 == 0) return distinct_within<2>(keys);
  if (differing >> 8 == 0) return distinct_within<4>(keys);
  if (differing >> 32 == 0) return 32 - std::popcount(repeats(__builtin_convertvector(keys, U32)));
  return 32 - std::popcount(repeats(keys));
}

DW_PER_CPU uint32_t aligned_pieces(const uint64_t* addresses, LaneMask active, unsigned piece_shift) {
  Loaded in;
  load(addresses, active, in);
  return distinct(in, piece_shift);
}

DW_PER_CPU GlobalAccess aligned_global(const uint64_t* addresses, LaneMask active, unsigned size, bool* misaligned) {
  Loaded in;
  load(addresses, active, in);
  GlobalAccess out;
  if ((*misaligned = (in.or_all & (size - 1)) != 0)) return out;
  out.sectors = distinct(in, std::countr_zero(kSectorBytes));
  // As many sectors as lanes: no two lanes share one, and the bytes need no second count.
  const bool apart = out.sectors == static_cast<unsigned>(std::popcount(active));
  out.unique_bytes = (apart ? out.sectors : distinct(in, std::countr_zero(size))) * size;
  return out;
}

// Shared memory works on the unit that a lane reads: a 32-bit word, or an aligned pair or quad of them. A transaction
// serves as many lanes as fill the width of all banks, so there are always 32 pairs of transaction and bank of units.
// Merged transactions share the number of the lower one.
DW_PER_CPU SharedAccess aligned_shared(const uint64_t* addresses, LaneMask active, unsigned size, SharedOp op,
                                       unsigned known_distinct) {
  Loaded in;
  load(addresses, active, in);
  const unsigned unit_bytes = std::clamp(size, 4u, 16u);
  const unsigned unit_shift = std::countr_zero(unit_bytes);
  const unsigned transaction_lanes = kSharedBanks * kBankBytes / unit_bytes;  // also: banks of units
  const unsigned transaction_shift = std::countr_zero(transaction_lanes);

  U32 lane;
  for (unsigned i = 0; i < 32; ++i) lane[i] = i;
  const U32 units = __builtin_convertvector(in.addresses >> unit_shift, U32);

  unsigned merged = 0;  // log2 of the transactions that merge into one
  if (size > kBankBytes && op == SharedOp::Load) {
    // Inactive lanes repeat an active one, so their units match.
    const U32 by1 = __builtin_shufflevector(units, units, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 17, 16,
                                            19, 18, 21, 20, 23, 22, 25, 24, 27, 26, 29, 28, 31, 30);
    const U32 by2 = __builtin_shufflevector(units, units, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 18, 19,
                                            16, 17, 22, 23, 20, 21, 26, 27, 24, 25, 30, 31, 28, 29);
    const uint32_t partner1 = (active & 0xaaaaaaaa) >> 1 | (active & 0x55555555) << 1;
    const uint32_t partner2 = (active & 0xcccccccc) >> 2 | (active & 0x33333333) << 2;
    merged =
        (mask_of(U32(by1 != units)) & active & partner1) == 0 || (mask_of(U32(by2 != units)) & active & partner2) == 0;
  }
  const unsigned group_lanes = transaction_lanes << merged;  // lanes of a merged transaction
  SharedAccess out;
  for (unsigned g = 0; g < kWarpSize; g += group_lanes)
    out.ideal_wavefronts += (active >> g & (~0u >> (kWarpSize - group_lanes))) != 0;

  const U32 transaction = (lane >> (transaction_shift + merged)) << merged;
  const U32 bank = transaction << transaction_shift | (units & (transaction_lanes - 1));
  uint32_t counted = active;  // lanes that need a place of their own in their bank
  const bool shares = op == SharedOp::Load || op == SharedOp::Store;
  const auto banks_of = [&](uint32_t lanes) __attribute__((always_inline)) {
    const auto is_one = __builtin_convertvector(__builtin_bit_cast(Bits, lanes), U32) != 0;
    const U32 bank_bit = is_one ? U32(1) << bank : U32(0);
    return std::popcount(__builtin_reduce_or(bank_bit));
  };
  const unsigned banks = banks_of(active);
  const bool alone = banks == static_cast<unsigned>(std::popcount(active));  // no two lanes share a bank
  if (shares && !alone) {
    const U32 keys = units << (5 - transaction_shift) | transaction;  // distinct (unit, transaction)
    Pairs pairs;
    compare_pairs(keys, pairs);
    counted &= ~repeats(pairs, active);
  }
  const bool units_counted = size == kBankBytes && (alone || shares);
  out.unique_bytes = size * (known_distinct != 0 ? known_distinct
                             : units_counted     ? std::popcount(counted)
                                                 : distinct(in, std::countr_zero(size)));
  if (banks == static_cast<unsigned>(std::popcount(counted))) {  // no bank serves two
    out.wavefronts = out.ideal_wavefronts;
    out.ways = 1;
  } else {
    const auto is_counted8 = __builtin_convertvector(__builtin_bit_cast(Bits, counted), U8) != 0;
    const U8 counted_bank = is_counted8 ? __builtin_convertvector(bank, U8) : U8(255);
    U8 ways;
    population(counted_bank, ways);
    ways = is_counted8 ? ways : U8(0);
    for (unsigned g = 0; g < kWarpSize; g += group_lanes) {
      unsigned most = 0;
      for (unsigned i = g; i < g + group_lanes; ++i) most = std::max<unsigned>(most, ways[i]);
      out.wavefronts += most;
      out.ways = std::max(out.ways, most);
    }
  }
  if (op == SharedOp::Swap) out.wavefronts *= 2, out.ideal_wavefronts *= 2;
  return out;
}

// Distinct (offset / unit, lane / 8): eight lanes' words lie side by side in a sector.
DW_PER_CPU GlobalAccess aligned_local(const uint64_t* offsets, LaneMask active, unsigned size) {
  Loaded in;
  load(offsets, active, in);
  U32 eighth;
  for (unsigned i = 0; i < 32; ++i) eighth[i] = i / 8;
  const unsigned unit_shift = std::countr_zero(std::max(size, 4u));
  const U32 keys = __builtin_convertvector(in.addresses >> unit_shift, U32) << 2 | eighth;
  const auto is_active = __builtin_convertvector(__builtin_bit_cast(Bits, active), U32) != 0;
  const uint32_t places = active & ~repeats(is_active ? keys : U32(~0u));
  const unsigned words = local_requests(size);
  GlobalAccess out;
  out.sectors = std::popcount(places) * words;
  for (unsigned g = 0; g < kWarpSize; g += 8) out.ideal_sectors += (active >> g & 0xff) != 0 ? words : 0;
  out.unique_bytes = std::popcount(active) * size;
  return out;
}

// Addresses more than 4 GiB apart: one distinct address after another.
DW_LANES_INLINE AtomicAccess far_atomic(const Loaded& in, LaneMask active) {
  AtomicAccess out;
  for (uint32_t sectors_left = active; sectors_left != 0;) {
    const uint64_t sector = in.addresses[std::countr_zero(sectors_left)] >> 5;
    const uint32_t here = mask_of(U64((in.addresses >> 5) == U64(sector))) & active;
    uint32_t rounds = 0;
    for (uint32_t rest = here; rest != 0; ++out.addresses) {
      const uint32_t same = mask_of(U64(in.addresses == U64(in.addresses[std::countr_zero(rest)]))) & rest;
      rounds = std::max<uint32_t>(rounds, std::popcount(same));
      rest &= ~same;
    }
    out.sectors += rounds;
    out.max_same = std::max(out.max_same, rounds);
    sectors_left &= ~here;
  }
  return out;
}

DW_PER_CPU AtomicAccess any_atomic(const uint64_t* addresses, LaneMask active, bool sectors) {
  Loaded in;
  load(addresses, active, in);
  const uint32_t lanes = std::popcount(active);
  if (in.differing == 0) return {1, lanes, lanes};
  if (in.differing >> 32 != 0) return far_atomic(in, active);
  const U32 keys = __builtin_convertvector(in.addresses, U32);
  Pairs pairs;
  compare_pairs(keys, pairs);
  const uint32_t repeated = repeats(pairs, active);
  AtomicAccess out{lanes - std::popcount(repeated), 1, 0};
  if (repeated == 0) {
    if (sectors) out.sectors = distinct(in, 5);
    return out;
  }
  U8 round;  // that serves each lane: lanes on one address go one after the other
  earlier(pairs, active, round);
  out.max_same = 1 + __builtin_reduce_max(round);
  if (!sectors) return out;
  // Each sector moves once in every round in which a lane accesses it.
  const U32 sector = keys >> 5;
  Pairs together;
  compare_pairs(sector, together);
  for (unsigned r = 0; r < out.max_same; ++r) {
    const uint32_t here = mask_of(U8(round == U8(r))) & active;
    out.sectors += std::popcount(here);
    if ((here & (here - 1)) != 0) out.sectors -= std::popcount(repeats(together, here));
  }
  return out;
}

}  // namespace lanes

namespace {

// Any alignment: the union of the lanes' byte ranges. Hardware faults on these; only synthetic patterns have them.
GlobalAccess misaligned_pieces(const uint64_t* addresses, LaneMask active, unsigned size, unsigned piece_bytes) {
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
    const uint64_t first = i == 0 ? begin / piece_bytes : std::max(begin / piece_bytes, next_sector);
    const uint64_t past = (end - 1) / piece_bytes + 1;
    if (past > first) out.sectors += past - first;
    bytes_end = end, next_sector = past;
  }
  return out;
}

// Every lane fills one half of a sector.
SharedAccess copied_past_l1(const uint64_t* addresses, LaneMask active) {
  std::array<uint64_t, kWarpSize> sectors{};
  std::array<uint8_t, kWarpSize> halves{};  // of the sector: 1 the lower, 2 the upper
  unsigned found = 0;
  SharedAccess out;
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const uint64_t address = addresses[std::countr_zero(left)], sector = address / kSectorBytes;
    unsigned s = 0;
    while (s < found && sectors[s] != sector) ++s;
    if (s == found) sectors[found++] = sector;
    halves[s] |= (address / 16 & 1) != 0 ? 2 : 1;
  }
  for (unsigned s = 0; s < found; ++s) {
    out.unique_bytes += 16 * std::popcount(halves[s]);
    bool first = true;  // sector of its line with these halves
    for (unsigned before = 0; before < s; ++before)
      first = first && (sectors[before] / 4 != sectors[s] / 4 || halves[before] != halves[s]);
    out.wavefronts += first;
  }
  out.ideal_wavefronts = (std::popcount(active) * 16 + kLineBytes - 1) / kLineBytes;
  out.ways = 1;
  return out;
}

// By the rules of older devices. The guide says nothing of their atomics, which are loops in software: every lane is
// taken to need its bank for itself.
SharedAccess scheduled_shared(const uint64_t* addresses, LaneMask active, unsigned size, SharedOp op,
                              const SharedBanks& banks) {
  const BankSchedule schedule = schedule_banks(banks, addresses, active, size, op);
  SharedAccess out;
  out.ideal_wavefronts = schedule.transaction_count;
  for (const BankSchedule::Transaction& transaction : schedule.all_transactions()) {
    out.wavefronts += transaction.passes;
    out.ways = std::max(out.ways, transaction.passes);
  }
  if (op == SharedOp::Swap) out.wavefronts *= 2, out.ideal_wavefronts *= 2;
  std::array<uint64_t, kWarpSize> places{};
  unsigned count = 0;
  for (LaneMask left = active; left != 0; left &= left - 1) places[count++] = addresses[std::countr_zero(left)];
  std::sort(places.begin(), places.begin() + count);
  out.unique_bytes = static_cast<uint32_t>(std::unique(places.begin(), places.begin() + count) - places.begin()) * size;
  return out;
}

}  // namespace

GlobalAccess analyze_global(const uint64_t* addresses, LaneMask active, unsigned size) {
  if (active == 0) return {};
  bool misaligned = false;
  GlobalAccess out = lanes::aligned_global(addresses, active, size, &misaligned);
  if (misaligned) out = misaligned_pieces(addresses, active, size, kSectorBytes);
  out.ideal_sectors = (std::popcount(active) * size + kSectorBytes - 1) / kSectorBytes;
  return out;
}

uint32_t touched_pieces(const uint64_t* addresses, LaneMask active, unsigned size, unsigned piece_bytes) {
  if (active == 0) return 0;
  uint64_t bits = 0;
  for (unsigned i = 0; i < kWarpSize; ++i)
    if (active >> i & 1) bits |= addresses[i];
  if ((bits & (size - 1)) != 0) return misaligned_pieces(addresses, active, size, piece_bytes).sectors;
  return lanes::aligned_pieces(addresses, active, std::countr_zero(piece_bytes));
}

SharedAccess analyze_shared(const uint64_t* addresses, LaneMask active, unsigned size, SharedOp op,
                            const SharedBanks& banks, unsigned distinct) {
  if (active == 0) return {};
  if (op == SharedOp::CopyPastL1) return copied_past_l1(addresses, active);
  if (banks.rule != BankRule::Maxwell) return scheduled_shared(addresses, active, size, op, banks);
  if (op == SharedOp::Copy) op = SharedOp::Atomic;
  if (op == SharedOp::GenericLoad) op = size == 16 ? SharedOp::Store : SharedOp::Load;
  return lanes::aligned_shared(addresses, active, size, op, distinct);
}

GlobalAccess analyze_local(const uint64_t* offsets, LaneMask active, unsigned size) {
  if (active == 0) return {};
  return lanes::aligned_local(offsets, active, size);
}

AtomicAccess analyze_atomic(const uint64_t* addresses, LaneMask active, bool sectors) {
  if (active == 0) return {};
  return lanes::any_atomic(addresses, active, sectors);
}

namespace lanes {

DW_PER_CPU void measure(const uint64_t* addresses, LaneMask active, uint64_t base, uint64_t room, uint64_t misaligned,
                        LaneDistances* out) {
  U64 at;
  __builtin_memcpy(&at, addresses, sizeof at);
  const uint64_t first = addresses[std::countr_zero(active)];
  if (active != ~0u) {
    const auto is_active = __builtin_convertvector(__builtin_bit_cast(Bits, active), U64) != 0;
    at = is_active ? at : U64(first);
  }
  const U64 bad = U64(U64(at - U64(base)) > U64(room)) | (at & U64(misaligned));
  const U32 distances = __builtin_convertvector(at - U64(first), U32);
  __builtin_memcpy(out->from_first, &distances, sizeof distances);
  out->first = first;
  out->inside = __builtin_reduce_or(bad) == 0;
}

}  // namespace lanes

void measure_lanes(const uint64_t* addresses, LaneMask active, uint64_t base, uint64_t room, uint64_t misaligned,
                   LaneDistances* out) {
  lanes::measure(addresses, active, base, room, misaligned, out);
}

}  // namespace drywarp
