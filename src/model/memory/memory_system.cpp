#include "model/memory/memory_system.h"

#include <utility>

namespace drywarp::memory {
namespace {

bool is_local(uint64_t line) { return line >= kLocalBase / kLineBytes; }

// The smallest aligned segment that contains these sectors.
uint32_t segment(uint32_t sectors) { return (sectors & 3) != 0 && (sectors & 12) != 0 ? 15 : sectors; }

}  // namespace

MemorySystem::MemorySystem(const Parameters& parameters) : p_(parameters), l2_(parameters, arena_) {
  sms_.reserve(p_.sms);
  for (uint32_t sm = 0; sm < p_.sms; ++sm) sms_.emplace_back(p_.l1, arena_);
}

Cycles MemorySystem::data_cycles(uint32_t sectors, uint32_t wavefronts) const {
  const double moved = p_.l1.bank_conflicts ? std::max(1u, wavefronts) * kLineBytes : sectors * kSectorBytes;
  return moved / p_.l1.bytes_per_cycle;
}

Response MemorySystem::load(uint32_t sm, std::span<const TraceLine> lines, uint32_t wavefronts, bool past_l1,
                            Cycles now) {
  Sm& s = sms_[sm];
  Response response;
  response.hit = true;
  uint32_t sectors = 0, filled_in = 0;
  Cycles all_requested = 0;
  const Cycles looked_up = s.tags.take(now, static_cast<double>(lines.size()) / p_.l1.lines_per_cycle);
  Cycles ready = looked_up + p_.l1.hit_latency;
  for (size_t i = 0; i < lines.size(); ++i) {
    const uint64_t line = lines[i].number();
    const uint32_t wanted = p_.l1.loads_segments ? segment(lines[i].sectors()) : lines[i].sectors();
    const Cycles at = looked_up + static_cast<double>(i) / p_.l1.lines_per_cycle;
    sectors += count(wanted);
    l1_counts_.load_sectors += count(wanted);
    uint32_t missing = wanted;
    if (p_.l1.always_hits) {
      l1_counts_.load_hits += count(wanted);
      missing = 0;
    } else if (!past_l1 && p_.l1.caches_global) {
      const Cache::Found found = s.cache.access(line, wanted, at);
      l1_counts_.load_hits += count(found.hits);
      missing &= ~found.hits;
      if (p_.l1.fills_lines && missing != 0) missing = 15 & ~found.hits;
      if (found.hits != 0) {
        response.late |= found.ready > at + p_.l1.hit_latency;
        ready = std::max(ready, std::max(found.ready, at + p_.l1.hit_latency));
      }
    }
    if (missing == 0) continue;
    response.hit = false;
    const double line_cycles = p_.l1.fill_lines_per_cycle > 0 ? 1 / p_.l1.fill_lines_per_cycle : 0;
    const Cycles transfer = std::max(count(missing) * kSectorBytes / p_.l1.fill_bytes_per_cycle, line_cycles);
    all_requested = s.requests.take(at, line_cycles) + line_cycles;
    const Cycles arrived = l2_.read(sm, line, missing, at);
    response.done_at = std::max(response.done_at, l2_.done_at());
    const Cycles path_latency = std::min(p_.l2.latency_near, arrived - at);  // shorter if the read joined another one
    const Cycles filled = std::max(arrived, s.fill.take(at, transfer) + transfer + path_latency);
    if (!past_l1 && p_.l1.caches_global) {
      s.cache.fill(missing, filled);
      if (keeps_lines_ && !is_local(line)) s.loaded.push_back(line);
    }
    filled_in += count(missing);
    ready = std::max(ready, filled);
  }
  // Fills from L2 are written into the array through the same pipe.
  const Cycles out = data_cycles(sectors, wavefronts), in = filled_in * kSectorBytes / p_.l1.bytes_per_cycle;
  const Cycles moves = s.data.take(looked_up, out + in);
  s.filled += in;
  response.late |= !response.hit;
  response.moves = out;
  response.ready =
      std::max(ready, moves + p_.l1.hit_latency) + std::max(0.0, out - 1) * (response.late ? 1 : p_.l1.conflict_cycles);
  // A miss leaves the load-store unit once all its lines are requested, a hit once its data is moved.
  response.accepted = std::max(s.tags.free_at(), response.hit ? moves + out : all_requested);
  return response;
}

void MemorySystem::invalidate_l1(uint32_t sm) {
  constexpr uint32_t kAllSectors = (1u << kLineBytes / kSectorBytes) - 1;
  for (const uint64_t line : sms_[sm].loaded) sms_[sm].cache.invalidate(line, kAllSectors);
  sms_[sm].loaded.clear();
}

Cycles MemorySystem::merges_for(size_t lines) const {
  return std::max(p_.l1.store_merge_cycles, p_.l1.store_merge_line_cycles * static_cast<double>(lines));
}

uint32_t MemorySystem::merge(uint32_t sm, const TraceLine& line, size_t lines, uint64_t beside, Cycles now,
                             Response& response) {
  Sm& s = sms_[sm];
  if (s.queued_stores.empty()) return 0;
  const uint32_t place = pick(hash_line(line.number()), Sm::kQueuedStores);
  if (s.queued_lines[place] != line.number()) return 0;
  Sm::QueuedStore& other = s.queued_stores[place];
  const uint32_t merged = line.sectors() & other.sectors;
  const bool own = beside != 0 && other.store == beside;
  if (merged == 0 || (!own && std::max(other.leaves, other.until) <= now)) return 0;
  const bool near =
      s.stores - other.store <= p_.l1.store_merge_window && s.stored_lines - other.number < p_.l1.store_merge_lines;
  if (!near && !own) return 0;
  if (own) other.store = s.stores;
  other.until = std::max(other.until, now + merges_for(lines));
  response.ready = std::max(response.ready, other.ready);
  response.sent = std::max(response.sent, other.goes);
  if ((merged & line.parts()) != 0)
    l2_.write_more(sm, TraceLine::of(line.address(), merged, merged & line.parts(), line.part_bytes()), other.goes);
  return merged;
}

uint32_t MemorySystem::recently_stored(const Sm& s, uint64_t line) const {
  if (s.queued_stores.empty()) return 0;
  const uint32_t place = pick(hash_line(line), Sm::kQueuedStores);
  const Sm::QueuedStore& last = s.queued_stores[place];
  const bool recent = s.queued_lines[place] == line && s.stored_lines - last.number <= p_.l1.store_merge_lines;
  return recent ? last.sectors : 0;
}

void MemorySystem::allocate(Sm& s, const TraceLine& line, uint32_t recent, Cycles looks, Cycles ready) {
  l1_counts_.store_hits += count((recent & line.sectors()) |
                                 s.cache.write_through(line.sectors(), line.parts(), line.part_bytes(), looks, ready));
  if (keeps_lines_) s.loaded.push_back(line.number());
}

Response MemorySystem::store(uint32_t sm, std::span<const TraceLine> lines, uint32_t wavefronts, Cycles now,
                             uint32_t warp, Cycles issued) {
  Sm& s = sms_[sm];
  Response response;
  const Cycles looked_up = s.tags.take(now, static_cast<double>(lines.size()) / p_.l1.lines_per_cycle);
  uint32_t all = 0;
  const Sm::LastStore last = std::exchange(s.last_stores[warp % Sm::kWarps], {++s.stores, issued});
  // Stores of a warp side by side merge though others' come between the two while they wait for the port; to eight
  // lines and more they did not on an H200.
  constexpr size_t kFewLines = 4;
  // Where the port is busy, a store looks up its lines so long before it leaves.
  constexpr Cycles kLooksBefore = 300;
  const bool soon = issued - last.issued < merges_for(lines.size()) && lines.size() <= kFewLines;
  const uint64_t beside = soon ? last.store : 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const uint64_t line = lines[i].number();
    const uint32_t sectors = lines[i].sectors(), whole = sectors & ~lines[i].parts();
    const Cycles at = looked_up + static_cast<double>(i) / p_.l1.lines_per_cycle;
    all += count(sectors);
    l1_counts_.store_sectors += count(sectors);
    const bool allocates = !is_local(line) && p_.l1.allocates_stores;
    if (is_local(line) && p_.l1.allocates_local_stores) {
      const Cache::Found found = s.cache.access(line, sectors, at);
      l1_counts_.store_hits += count(found.hits);
      s.cache.fill(whole & ~found.hits, at + p_.l1.hit_latency);
    } else if (allocates) {
      s.cache.access(line, sectors, at);
    } else {
      l1_counts_.store_hits += count(s.cache.present(line, sectors));  // written through
    }
    const uint32_t recent = allocates ? recently_stored(s, line) : 0;
    const uint32_t leave = sectors & ~merge(sm, lines[i], lines.size(), beside, at, response);
    if (leave == 0) {  // takes no further place in the queue
      const Cycles there = s.queued_stores[pick(hash_line(line), Sm::kQueuedStores)].sent;
      if (allocates) allocate(s, lines[i], recent, std::max(issued, at - kLooksBefore), there);
      continue;
    }
    ++s.stored_lines;
    const double bytes = count(leave) * kSectorBytes + ((whole & leave) != leave ? p_.l1.store_mask_bytes : 0);
    const Cycles transfer = bytes / p_.l1.store_bytes_per_cycle;
    const Cycles leaves = s.out.take(at, transfer), sent = leaves + transfer;
    const Cycles ready =
        l2_.write(sm, TraceLine::of(lines[i].address(), leave, lines[i].parts() & leave, lines[i].part_bytes()), sent);
    const Cycles goes = p_.l2.queue_cycles > 0 ? std::max(sent, sent + l2_.waited() - p_.l2.queue_cycles) : sent;
    if (!s.queued_stores.empty()) {
      const uint32_t place = pick(hash_line(line), Sm::kQueuedStores);
      Sm::QueuedStore& other = s.queued_stores[place];
      const bool waits = s.queued_lines[place] == line && std::max(other.leaves, other.until) > at;
      s.queued_lines[place] = line;
      const uint32_t queued = leave | (waits ? other.sectors : 0);
      other = {s.stores, s.stored_lines, queued, leaves, sent, goes, ready, at + merges_for(lines.size())};
    }
    if (allocates) allocate(s, lines[i], recent, std::max(issued, at - kLooksBefore), sent);
    response.ready = std::max(response.ready, ready);
    response.settled = std::max(response.settled, l2_.settled());
    response.done_at = std::max(response.done_at, l2_.done_at());
    response.sent = std::max(response.sent, goes);
    // Without an L2, stores leave the SM only as the memory controller takes them.
    if (p_.l2.bytes == 0) response.sent = std::max(sent, response.ready - p_.l2.latency_near);
  }
  s.data.take(looked_up, data_cycles(all, wavefronts));
  response.settled = std::max(response.settled, response.ready);
  // The store's data waits in the load-store unit until the crossbar has taken it.
  response.accepted = std::max(s.tags.free_at(), s.out.free_at() - p_.l1.store_queue_cycles);
  return response;
}

Response MemorySystem::atomic(uint32_t sm, std::span<const TraceLine> lines, uint32_t lanes, AtomicKind kind,
                              Cycles now) {
  Sm& s = sms_[sm];
  Response response;
  const Cycles looked_up = s.tags.take(now, static_cast<double>(lines.size()) / p_.l1.lines_per_cycle);
  constexpr uint32_t kDenseWords = 8;  // a round of 1 to 7 words takes as long as one of a single word
  constexpr uint32_t kAllSectors = (1u << kLineBytes / kSectorBytes) - 1;
  uint32_t all_rounds = 0;
  for (const TraceLine& line : lines) all_rounds += std::max(line.rounds(), count(line.sectors()));
  const bool dense = lanes >= kDenseWords * all_rounds;
  for (size_t i = 0; i < lines.size(); ++i) {
    const uint32_t sectors = lines[i].sectors();
    l1_counts_.atomic_sectors += count(sectors);
    s.cache.invalidate(lines[i].number(), kAllSectors);  // measured on an H100: the whole line, whatever its words
    // One lane's operand fits into the request's header. Several are sent as sectors with a mask.
    const bool alone = lanes <= lines.size();
    const double bytes = alone ? kSectorBytes : count(sectors) * kSectorBytes + p_.l1.store_mask_bytes;
    const Cycles transfer = bytes / p_.l1.store_bytes_per_cycle;
    const Cycles sent = s.out.take(looked_up + static_cast<double>(i) / p_.l1.lines_per_cycle, transfer) + transfer;
    const uint32_t rounds = lanes == 1 ? 1 : std::max(lines[i].rounds(), count(sectors));
    response.ready =
        std::max(response.ready, l2_.atomic(sm, lines[i].number(), sectors, {kind, rounds, dense}, bytes, sent));
    response.sent = sent;
    response.done_at = std::max(response.done_at, l2_.done_at());
  }
  response.settled = response.ready;
  response.accepted = std::max(s.tags.free_at(), s.out.free_at() - p_.l1.store_queue_cycles);
  return response;
}

Response MemorySystem::fetch(uint32_t sm, const TraceLine& line, Cycles now) {
  Sm& s = sms_[sm];
  const double bytes = count(line.sectors()) * kSectorBytes;
  const double line_cycles = p_.l1.fill_lines_per_cycle > 0 ? 1 / p_.l1.fill_lines_per_cycle : 0;
  const Cycles transfer = std::max(bytes / p_.l1.fill_bytes_per_cycle, line_cycles);
  Response response;
  response.accepted = s.requests.take(now, line_cycles) + line_cycles;
  const Cycles arrived = l2_.read(sm, line.number(), line.sectors(), now);
  const Cycles path_latency = std::min(p_.l2.latency_near, arrived - now);
  // A load's latency has its way through the L1, which these bytes do not take.
  response.ready = std::max(arrived, s.fill.take(now, transfer) + transfer + path_latency) - p_.l1.hit_latency;
  const Cycles in = bytes / p_.l1.bytes_per_cycle;
  s.data.take(now, in);
  s.filled += in;
  return response;
}

Response MemorySystem::put(uint32_t sm, const TraceLine& line, Cycles now) {
  Sm& s = sms_[sm];
  const double bytes = count(line.sectors()) * kSectorBytes + (line.parts() != 0 ? p_.l1.store_mask_bytes : 0);
  const Cycles transfer = bytes / p_.l1.store_bytes_per_cycle;
  s.data.take(now, count(line.sectors()) * kSectorBytes / p_.l1.bytes_per_cycle);
  Response response;
  response.accepted = response.sent = s.out.take(now, transfer) + transfer;
  response.ready = l2_.write(sm, line, response.sent);
  return response;
}

Response MemorySystem::add(uint32_t sm, const TraceLine& line, AtomicKind kind, Cycles now) {
  Sm& s = sms_[sm];
  const uint32_t sectors = count(line.sectors());
  const double bytes = sectors * kSectorBytes + p_.l1.store_mask_bytes;
  s.data.take(now, sectors * kSectorBytes / p_.l1.bytes_per_cycle);
  Response response;
  response.accepted = response.sent =
      s.out.take(now, bytes / p_.l1.store_bytes_per_cycle) + bytes / p_.l1.store_bytes_per_cycle;
  response.ready = l2_.atomic(sm, line.number(), line.sectors(), {kind, sectors, true}, bytes, response.sent);
  return response;
}

Cycles MemorySystem::l1_busy() const {
  Cycles sum = 0;
  for (const Sm& s : sms_) sum += std::max(s.tags.busy(), s.data.busy() - s.filled);
  return sum;
}

}  // namespace drywarp::memory
