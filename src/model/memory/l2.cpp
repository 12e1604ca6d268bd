#include "model/memory/l2.h"

#include "base/access/access_pattern.h"

namespace drywarp::memory {

L2::L2(const Parameters& parameters, ZeroedArena& arena)
    : p_(parameters), dram_(parameters.dram), slices_(parameters.l2.slices) {
  L2Parameters& l2 = p_.l2;
  if (l2.partitions == 0 || l2.slices % l2.partitions != 0) l2.partitions = 1;
  if (l2.atomic_units == 0 || l2.atomic_units % l2.partitions != 0) l2.atomic_units = l2.slices;
  atomic_units_.resize(l2.atomic_units);
  if (l2.write_bytes_per_cycle == 0) l2.write_bytes_per_cycle = l2.bytes_per_cycle;
  for (uint32_t i = 0; i < l2.partitions; ++i) caches_.emplace_back(l2.bytes / l2.partitions, l2.ways, arena);
  uint64_t lines = 0;
  for (const Cache& cache : caches_) lines += cache.lines();
  if (l2.dirty_bytes != 0) lines = std::min(lines, l2.dirty_bytes / kLineBytes);
  max_dirty_lines_ = static_cast<uint64_t>(static_cast<double>(lines) * l2.part_of_grid);
  max_partial_lines_ = l2.partial_bytes / kLineBytes;
  fabric_.resize(size_t{l2.partitions} * l2.partitions);
  answered_.resize(size_t{p_.sms} * l2.slices);
  pending_.resize(size_t{l2.coalescers} * kPending);
  if (l2.partitions > 1) fabric_latency_ = std::max(0.0, l2.latency_far - l2.latency_near);
  if (l2.partitions > 1) unsettled_.resize(kUnsettled), blocked_.resize(l2.slices);
  // The SMs of two consecutive coalescers share a partition, the next two have another.
  const bool interleaved = l2.coalescers >= 2 * l2.partitions;
  for (uint32_t sm = 0; sm < p_.sms; ++sm)
    near_.push_back(interleaved ? group_of(sm) / 2 % l2.partitions
                                : static_cast<uint32_t>(uint64_t{sm} * l2.partitions / p_.sms));
  // The distances between SMs and slices are unknown: they are drawn uniformly by a hash.
  constexpr uint32_t kSteps = 1024;
  for (uint64_t pair = 0; pair < uint64_t{p_.sms} * l2.slices && l2.latency_spread > 0; ++pair)
    distance_.push_back(static_cast<float>(l2.latency_spread * ((pick(hash_line(pair), kSteps) + 0.5) / kSteps - 0.5)));
  // The measured DRAM latency is a mean over near and far home partitions, and over waits for refreshes.
  const double elsewhere = 1 - 1.0 / l2.partitions;
  miss_latency_ =
      std::max(0.0, p_.dram.latency - dram_.mean_refresh_wait() - l2.latency_near - elsewhere * fabric_latency_);
}

Cycles L2::cross(uint32_t from, uint32_t to, double bytes, Cycles now) {
  const Cycles arrives = now + fabric_latency_ / 2;
  if (from == to || p_.l2.fabric_bytes_per_cycle <= 0) return arrives;
  const Cycles cost = bytes / p_.l2.fabric_bytes_per_cycle;
  return std::max(arrives, fabric_[size_t{from} * p_.l2.partitions + to].take(now, cost) + cost);
}

uint32_t L2::home_of(uint64_t line) const {
  // Each group of consecutive blocks has one of every partition; the order changes between groups.
  const uint64_t block = line / kBlockLines, partitions = p_.l2.partitions;
  constexpr uint64_t kOrdered = 16;  // blocks whose order was measured
  return static_cast<uint32_t>((block + block / partitions + pick(hash_line(block / kOrdered), partitions)) %
                               partitions);
}

uint32_t L2::slot_of(uint64_t line, uint32_t count) const {
  // Each kilobyte is in two slices, alternating by pairs of lines, as the rate of atomics on an H200 shows. As many
  // consecutive pieces of a partition as it has slices fill each slice once, from an offset given by a hash.
  constexpr uint64_t kPieces = kBlockLines / 4;
  const uint64_t group = line / kBlockLines / p_.l2.partitions, within = line % kBlockLines;
  const uint64_t piece = group * kPieces + within / 8 * 2 + (within / 2 & 1), rounds = piece / count;
  const uint64_t slot = piece - rounds * count + pick(hash_line(rounds), count);
  return static_cast<uint32_t>(slot < count ? slot : slot - count);
}

L2::Place L2::place(uint32_t sm, uint64_t line) const {
  const uint32_t each = p_.l2.slices / p_.l2.partitions, within = slot_of(line, each);
  const uint32_t home = home_of(line), near = near_[sm];
  return {home, near, home * each + within, near * each + within};
}

void L2::warm(std::span<const uint64_t> lines) {
  constexpr uint32_t kWhole = 15;
  for (Cache& cache : caches_)
    for (const uint64_t line : lines) {
      cache.access(line, kWhole, 0);
      cache.fill(kWhole, 0);
    }
  if (caches_.size() > 1) left_.insert(lines.begin(), lines.end());
}

Cycles L2::access_dram(uint64_t line, uint32_t sectors, bool write, Cycles now) {
  const DramPlace place = place_in_dram(p_.dram, line);
  const uint32_t bytes = count(sectors) * kSectorBytes;
  return write ? dram_.write(place.channel, place.bank, place.row, bytes, now)
               : dram_.read(place.channel, place.bank, place.row, bytes, now);
}

void L2::write_back(const Cache::Found& found, Cycles now) {
  if (found.dirty_out == 0) return;
  --dirty_lines_;
  if (found.partial_out != 0) access_dram(found.victim, found.partial_out, false, now);
  access_dram(found.victim, found.dirty_out, true, now);
}

void L2::make_dirty(uint32_t home, uint64_t line, bool was_dirty, Cycles now) {
  if (was_dirty || !caches_[home].dirty()) return;
  ++dirty_lines_;
  const bool is_part = p_.l2.part_of_grid < 1;
  if (p_.l2.dirty_bytes == 0 && !is_part) return;
  dirty_.push_back({line, home});
  while (dirty_lines_ > max_dirty_lines_ && !dirty_.empty()) {
    const Dirty first = dirty_.front();
    dirty_.pop_front();
    write_back(caches_[first.home].clean(first.line, is_part), now);
  }
}

void L2::begin_part(uint32_t home, uint64_t line, Cycles now) {
  if (max_partial_lines_ == 0) return;
  partial_.push_back({line, home});
  if (partial_.size() <= max_partial_lines_) return;
  const Dirty first = partial_.front();
  partial_.pop_front();
  // Most are complete by now.
  if (caches_[first.home].partial(first.line)) write_back(caches_[first.home].clean(first.line, false), now);
}

Cycles L2::fill(uint64_t line, uint32_t missing, Cycles now) {
  const Cycles transfer = count(missing) * kSectorBytes / p_.dram.bytes_per_cycle;
  return access_dram(line, missing, false, now + miss_latency_ / 2) - transfer + miss_latency_ / 2;
}

Cycles L2::take_read_port(uint32_t slice, uint32_t sectors, Cycles now) {
  const double line = p_.l2.lines_per_cycle > 0 ? 1 / p_.l2.lines_per_cycle : 0;
  return slices_[slice].reads.take(now, std::max(count(sectors) * kSectorBytes / p_.l2.bytes_per_cycle, line));
}

Cycles L2::read_at_home(const Place& place, uint64_t line, uint32_t sectors, Cycles requested, Cycles later,
                        uint32_t* hits) {
  const Cycles start = std::max(take_read_port(place.home_slice, sectors, requested), requested + later);
  Cache& cache = caches_[place.home];
  const Cache::Found found = cache.access(line, sectors, start);
  write_back(found, start);
  *hits = found.hits;
  const uint32_t missing = sectors & ~found.hits;
  if (missing == 0) return std::max(start, found.ready);
  const uint32_t wanted = fill_sectors(missing);
  if (fetched_by_others(line)) {
    *hits = sectors;
    cache.fill(wanted, start);
    return std::max(start, found.ready);
  }
  const Cycles filled = fill(line, wanted, start);
  cache.fill(wanted, filled);
  return std::max({start, found.ready, filled});
}

uint32_t L2::fill_sectors(uint32_t missing) const {
  if (p_.l2.fill_bytes < 2 * kSectorBytes) return missing;
  return missing | (missing & 5) << 1 | (missing & 10) >> 1;  // with the other sector of each pair
}

bool L2::fetched_by_others(uint64_t line) const {
  if (p_.l2.always_hits) return true;
  constexpr uint32_t kSteps = 1 << 16;
  return p_.l2.first_fetch_share < 1 && pick(hash_line(~line), kSteps) >= p_.l2.first_fetch_share * kSteps;
}

uint32_t L2::group_of(uint32_t sm) const { return static_cast<uint32_t>(uint64_t{sm} * p_.l2.coalescers / p_.sms); }

size_t L2::pending_of(uint32_t sm, uint64_t line) const {
  return size_t{group_of(sm)} * kPending + pick(hash_line(line), kPending);
}

Cycles L2::wait_in_line(const Place& place, uint64_t line, Cycles arrives) {
  if (p_.l2.polled_read_cycles <= 0 || !polled_.contains(line)) return 0;
  const uint32_t units = p_.l2.atomic_units / p_.l2.partitions;
  AtomicUnit& unit = atomic_units_[size_t{place.home} * units + slot_of(line, units)];
  unit.read = line;
  return unit.server.take(arrives, p_.l2.polled_read_cycles) - arrives;
}

Cycles L2::read(uint32_t sm, uint64_t line, uint32_t sectors, Cycles now) {
  if (polled_.contains(line)) {
    const Cycles wait = wait_in_line(place(sm, line), line, now + p_.l2.latency_near / 2);
    const Cycles ready = read_slices(sm, line, sectors, now) + wait;
    done_at_ += wait;
    return ready;
  }
  if (p_.l2.coalescers == 0) return read_slices(sm, line, sectors, now);
  Pending& entry = pending_[pending_of(sm, line)];
  if (entry.line != line) entry = {}, entry.line = line;
  // A limited number of requests can join a read until its data comes to the coalescer.
  const bool full = p_.l2.coalesced != 0 && entry.requests >= p_.l2.coalesced;
  Cycles ready = 0;
  uint32_t alone = 0;
  for (unsigned s = 0; s < 4; ++s) {
    if ((sectors >> s & 1) == 0) continue;
    if (!full && Cycles{entry.ready[s]} - p_.l2.coalescer_latency > now)
      ready = std::max(ready, Cycles{entry.ready[s]});
    else
      alone |= 1u << s;
  }
  ++entry.requests;
  if (alone == 0) return ready;
  if (alone == sectors) entry.requests = 1;
  const Cycles own = read_slices(sm, line, alone, now);
  for (unsigned s = 0; s < 4; ++s)
    if ((alone >> s & 1) != 0) entry.ready[s] = static_cast<float>(own);
  return std::max(ready, own);
}

Cycles L2::in_turn(uint32_t sm, uint32_t slice, Cycles at) {
  Cycles& last = answered_[size_t{sm} * p_.l2.slices + slice];
  return last = std::max(last, at);
}

void L2::unsettle(uint64_t line, uint32_t sectors, uint32_t from, Cycles begin) {
  Unsettled& last = unsettled_[pick(hash_line(line), kUnsettled)];
  if (last.line == line && last.until > begin) sectors |= last.sectors;
  last = {line, begin + fabric_latency_, sectors, from};
}

Cycles L2::pass(uint32_t slice, uint64_t line, uint32_t sectors, Cycles now, uint32_t behind) {
  if (unsettled_.empty()) return now;
  const Cycles begin = std::max(now, blocked_[slice]);
  const Unsettled& last = unsettled_[pick(hash_line(line), kUnsettled)];
  if (last.line != line || (last.sectors & sectors) == 0 || last.until <= begin || last.from == behind) return begin;
  return blocked_[slice] = last.until;
}

Cycles L2::read_slices(uint32_t sm, uint64_t line, uint32_t sectors, Cycles now) {
  const Place at = place(sm, line);
  const Cycles one_way = p_.l2.latency_near / 2;
  const Cycles back = one_way + p_.l2.sector_latency * (count(sectors) - 1) + distance(sm, at.near_slice);
  uint32_t hits = 0;
  counts_.read_sectors += count(sectors);
  ++counts_.requests;
  requested_pairs_ += (count(sectors) + 1) / 2;
  if (at.home == at.near) {
    const Cycles passed = pass(at.home_slice, line, sectors, now + one_way, at.near);
    const Cycles ready = done_at_ = read_at_home(at, line, sectors, passed, 0, &hits);
    counts_.read_hits += count(hits);
    return in_turn(sm, at.near_slice, ready) + back;
  }
  const Cycles start =
      take_read_port(at.near_slice, sectors, pass(at.near_slice, line, sectors, now + one_way, at.near));
  Cache& cache = caches_[at.near];
  const Cache::Found found = cache.access(line, sectors, start);
  write_back(found, start);
  uint32_t near_hits = found.hits;
  if (near_hits != sectors && fetched_by_others(line)) {
    cache.fill(15 & ~near_hits, start);
    near_hits = sectors;
  }
  counts_.read_hits += count(near_hits);
  Cycles ready = std::max(start, found.ready);
  done_at_ = ready;
  const uint32_t missing = sectors & ~near_hits;
  if (missing != 0) {
    // Pairs of sectors are fetched, as from DRAM. Sectors that were not requested count as another request.
    const uint32_t came = fill_sectors(missing) & ~near_hits;
    const Cycles found_at_home =
        read_at_home(at, line, came, now + one_way, start - now - one_way + fabric_latency_ / 2, &hits);
    counts_.fabric_read_sectors += count(came);
    counts_.requests += came == missing ? 1 : 2;
    // Like all return paths, the port is reserved at request time.
    const Cycles turn = cross(at.home, at.near, count(came) * kSectorBytes, now + one_way);
    const Cycles filled = std::max(found_at_home + fabric_latency_ / 2, turn);
    counts_.fabric_read_hits += count(hits);
    if (hits == 0) caches_[at.home].make_lru();  // the copy here serves this partition
    cache.fill(came, filled);
    ready = std::max(ready, filled);
    done_at_ = found_at_home;
  }
  return in_turn(sm, at.near_slice, ready) + back;
}

Cycles L2::write(uint32_t sm, const TraceLine& line, Cycles now) {
  const Place at = place(sm, line.number());
  const uint32_t sectors = line.sectors(), parts = line.parts();
  Cycles one_way = p_.l2.latency_near / 2;
  counts_.write_sectors += count(sectors);
  counts_.requests += at.home != at.near ? 2 : 1;
  const double bytes = count(sectors) * kSectorBytes + (parts != 0 ? p_.l1.store_mask_bytes : 0);
  written_bytes_ += bytes;
  const Cycles passed = pass(at.near_slice, line.number(), sectors, now + one_way, at.near);
  Cycles start = slices_[at.home_slice].writes.take(passed, bytes / p_.l2.write_bytes_per_cycle);
  Cycles invalidated = 0;
  for (uint32_t other = 0; other < p_.l2.partitions; ++other) {
    const uint32_t copies = other == at.home ? 0 : caches_[other].present(line.number(), sectors);
    if (copies == 0) continue;
    if (other != at.near) caches_[other].invalidate(line.number(), copies);
    if (left_.erase(line.number()) != 0) continue;
    unsettle(line.number(), copies, at.near, start);
    invalidated = fabric_latency_;
  }
  if (at.home != at.near) {
    counts_.fabric_write_sectors += count(sectors);
    start =
        std::max(start + fabric_latency_ / 2, cross(at.near, at.home, count(sectors) * kSectorBytes, now + one_way));
    one_way += fabric_latency_ / 2;
  }
  waited_ = start - now - one_way;
  start += wait_in_line(at, line.number(), start);
  Cache& cache = caches_[at.home];
  const Cache::Found found = cache.access(line.number(), sectors, start);
  write_back(found, now + one_way);
  // Writes always hit, even if the rest of the sector is missing.
  counts_.write_hits += count(sectors);
  const bool was_dirty = cache.dirty(), was_partial = cache.partial();
  cache.fill(sectors & ~found.hits & ~parts, start);
  cache.make_dirty(sectors);
  if (parts != 0) cache.write_partial(parts, line.part_bytes(), start);
  if (!was_partial && cache.partial()) begin_part(at.home, line.number(), now + one_way);
  make_dirty(at.home, line.number(), was_dirty, now + one_way);
  // Without a cache, a store is done when DRAM has it. DRAM can mask bytes.
  if (cache.lines() == 0) return settled_ = access_dram(line.number(), sectors, true, now + one_way) + one_way;
  settled_ = start + one_way + invalidated;
  done_at_ = start;
  return start + one_way;
}

void L2::write_more(uint32_t sm, const TraceLine& line, Cycles now) {
  const Place at = place(sm, line.number());
  Cache& cache = caches_[at.home];
  write_back(cache.access(line.number(), line.sectors(), now), now);
  const bool was_dirty = cache.dirty();
  cache.write_partial(line.parts(), line.part_bytes(), now);
  make_dirty(at.home, line.number(), was_dirty, now);
}

Cycles L2::atomic(uint32_t sm, uint64_t line, uint32_t sectors, AtomicWork work, double bytes, Cycles now) {
  const Place at = place(sm, line);
  written_bytes_ += bytes;
  const Cycles near_way = atomic_latency(false) / 2, one_way = atomic_latency(at.home != at.near) / 2;
  uint32_t hits = 0;
  Cycles arrives = now + one_way;
  if (at.home != at.near)
    arrives = std::max(arrives, cross(at.near, at.home, count(sectors) * kSectorBytes, arrives - fabric_latency_ / 2));
  const Cycles ready = read_at_home(at, line, sectors, now + one_way, arrives - now - one_way, &hits);
  const bool was_dirty = caches_[at.home].dirty();
  caches_[at.home].make_dirty(sectors);
  make_dirty(at.home, line, was_dirty, ready);
  if (caches_[at.home].lines() == 0) access_dram(line, sectors, true, now + one_way);
  for (uint32_t other = 0; other < p_.l2.partitions; ++other)
    if (other != at.home) caches_[other].invalidate(line, sectors);
  counts_.atomic_sectors += work.rounds;
  counts_.requests += at.home != at.near ? 2 : 1;
  if (at.home != at.near) counts_.fabric_atomic_sectors += work.rounds;
  const uint32_t units = p_.l2.atomic_units / p_.l2.partitions, slot = slot_of(line, units);
  AtomicUnit& unit = atomic_units_[size_t{at.home} * units + slot];
  const auto kind = static_cast<size_t>(work.kind);
  const double round = p_.l2.atomic_round_cycles[kind], share = p_.l2.atomic_unit_share;
  Cycles cost = work.rounds * (work.dense ? round : std::max(round, p_.l2.atomic_word_cycles));
  // Rounds of one sector, of this request and of the one before it, wait for each other.
  const uint32_t each = (work.rounds + count(sectors) - 1) / count(sectors);
  if (unit.line == line || each > 1) cost = std::max(cost, each * p_.l2.atomic_chain_cycles[kind]);
  if (unit.read == line) cost = std::max(cost, p_.l2.after_read_cycles);
  unit.line = line, unit.read = ~uint64_t{0};
  Cycles turn = in_turn(sm, at.near_slice, now + near_way) + one_way - near_way;
  if (at.home != at.near)
    turn = atomic_units_[size_t{at.near} * units + slot].server.take(turn,
                                                                     work.rounds * p_.l2.atomic_forward_cycles / share);
  const Cycles begin = unit.server.take(turn, cost / share);
  done_at_ = std::max(begin, ready) + cost;
  return done_at_ + one_way + distance(sm, at.near_slice);
}

Cycles L2::busiest_slice() const {
  Cycles most = 0;
  for (const Slice& s : slices_) most = std::max({most, s.reads.busy(), s.writes.busy()});
  return most;
}

Cycles L2::mean_slice() const {
  if (slices_.empty()) return 0;
  const L2Peaks& peaks = p_.l2.peaks;
  const auto slices = static_cast<double>(slices_.size());
  if (peaks.requests > 0 && peaks.sectors > 0 && peaks.sectors_out > 0 && peaks.packets_in > 0) {
    const double sectors =
        static_cast<double>(counts_.read_sectors + counts_.write_sectors + counts_.atomic_sectors +
                            counts_.fabric_read_sectors + counts_.fabric_write_sectors + counts_.fabric_atomic_sectors);
    const double packets = written_bytes_ / kSectorBytes + static_cast<double>(requested_pairs_) / 2;
    return std::max({static_cast<double>(counts_.requests) / peaks.requests, sectors / peaks.sectors,
                     static_cast<double>(counts_.read_sectors) / peaks.sectors_out, packets / peaks.packets_in}) /
           slices;
  }
  Cycles reads = 0;
  for (const Slice& s : slices_) reads += s.reads.busy();
  return std::max(reads, written_bytes_ / p_.l2.write_bytes_per_cycle) / slices;
}

}  // namespace drywarp::memory
