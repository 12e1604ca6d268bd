#include "memsys/l2.h"

#include <bit>

#include "events/access_pattern.h"

namespace drywarp::memsys {
namespace {

uint32_t count(uint32_t sectors) { return static_cast<uint32_t>(std::popcount(sectors)); }

}  // namespace

L2::L2(const Parameters& parameters)
    : p_(parameters),
      cache_(parameters.l2.bytes, parameters.l2.ways),
      dram_(parameters.dram),
      slices_(parameters.l2.slices) {}

double L2::latency(uint32_t sm, uint32_t slice) const {
  if (p_.l2.partitions < 2) return p_.l2.latency_near;
  const uint32_t home = static_cast<uint32_t>(uint64_t{sm} * p_.l2.partitions / p_.sms);
  return slice % p_.l2.partitions == home ? p_.l2.latency_near : p_.l2.latency_far;
}

Cycles L2::access_dram(uint64_t line, uint32_t sectors, bool write, Cycles now) {
  const DramPlace place = place_in_dram(p_.dram, line);
  return dram_.access(place.channel, place.bank, place.row, count(sectors) * kSectorBytes, write, now);
}

Cycles L2::fill(uint64_t line, uint32_t missing, Cycles now) {
  // DRAM's part of the way: what a miss takes longer than a near hit.
  const Cycles way = std::max(0.0, p_.dram.latency - p_.l2.latency_near);
  const Cycles transfer = count(missing) * kSectorBytes / p_.dram.bytes_per_cycle;
  return access_dram(line, missing, false, now + way / 2) - transfer + way / 2;
}

Cycles L2::lookup(uint64_t line, uint32_t slice, uint32_t sectors, bool store, Cycles at, uint32_t* hits) {
  Slice& s = slices_[slice];
  const Cycles start = s.port.take(at, count(sectors) * kSectorBytes / p_.l2.bytes_per_cycle);
  const Cache::Found found = cache_.access(line, sectors);
  if (found.dirty_out != 0) access_dram(found.victim, found.dirty_out, true, start);
  *hits = found.hits;
  const uint32_t missing = sectors & ~found.hits;
  Cycles ready = std::max(start, found.ready);
  if (missing != 0) {
    if (store) {
      cache_.fill(missing, start);
    } else {
      uint32_t wanted = missing;
      if (p_.l2.fill_bytes >= 2 * kSectorBytes) wanted |= (missing & 5) << 1 | (missing & 10) >> 1;
      const Cycles filled = fill(line, wanted, start);
      cache_.fill(wanted, filled);
      ready = std::max(ready, filled);
    }
  }
  if (store) cache_.make_dirty(sectors);
  return ready;
}

Cycles L2::read(uint32_t sm, uint64_t line, uint32_t sectors, Cycles now) {
  const uint32_t slice = pick(hash_line(line), p_.l2.slices);
  const double way = latency(sm, slice);
  uint32_t hits = 0;
  const Cycles ready = lookup(line, slice, sectors, false, now + way / 2, &hits);
  counts_.read_sectors += count(sectors), counts_.read_hits += count(hits);
  return ready + way / 2;
}

Cycles L2::write(uint32_t sm, uint64_t line, uint32_t sectors, Cycles now) {
  const uint32_t slice = pick(hash_line(line), p_.l2.slices);
  const double way = latency(sm, slice);
  uint32_t hits = 0;
  const Cycles ready = lookup(line, slice, sectors, true, now + way / 2, &hits);
  counts_.write_sectors += count(sectors), counts_.write_hits += count(hits);
  return ready + way / 2;
}

Cycles L2::atomic(uint32_t sm, uint64_t line, uint32_t sectors, uint32_t lanes, uint32_t same, Cycles now) {
  const uint32_t slice = pick(hash_line(line), p_.l2.slices);
  const double way = p_.l2.atomic_latency != 0 ? p_.l2.atomic_latency : latency(sm, slice);
  uint32_t hits = 0;
  const Cycles ready = lookup(line, slice, sectors, false, now + way / 2, &hits);
  cache_.make_dirty(sectors);
  counts_.atomic_sectors += count(sectors);
  // One address after the other, each address in turn: the longer of the two.
  const Cycles work = std::max(lanes / std::max(p_.l2.atomic_lanes_per_cycle, 1e-9), same * p_.l2.atomic_cycles_same);
  return slices_[slice].atomics.take(ready, work) + work + way / 2;
}

Cycles L2::busiest_slice() const {
  Cycles most = 0;
  for (const Slice& s : slices_) most = std::max(most, s.port.busy());
  return most;
}

Cycles L2::mean_slice() const {
  Cycles sum = 0;
  for (const Slice& s : slices_) sum += s.port.busy();
  return slices_.empty() ? 0 : sum / static_cast<double>(slices_.size());
}

}  // namespace drywarp::memsys
