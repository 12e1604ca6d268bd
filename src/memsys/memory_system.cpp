#include "memsys/memory_system.h"

#include <bit>

namespace drywarp::memsys {
namespace {

uint32_t count(uint32_t sectors) { return static_cast<uint32_t>(std::popcount(sectors)); }

constexpr double kRequestBytes = 32;  // of a read request on its way to L2, header included

}  // namespace

MemorySystem::MemorySystem(const Parameters& parameters) : p_(parameters), l2_(parameters) {
  sms_.reserve(p_.sms);
  for (uint32_t sm = 0; sm < p_.sms; ++sm) sms_.emplace_back(p_.l1);
}

Response MemorySystem::load(uint32_t sm, std::span<const TraceLine> lines, bool past_l1, Cycles now) {
  Sm& s = sms_[sm];
  Response response;
  response.hit = true;
  uint32_t sectors = 0;
  const Cycles looked_up = s.tags.take(now, static_cast<double>(lines.size()) / p_.l1.lines_per_cycle);
  Cycles ready = looked_up + p_.l1.hit_latency;
  for (size_t i = 0; i < lines.size(); ++i) {
    const uint64_t line = lines[i].address() / kLineBytes;
    const uint32_t wanted = lines[i].sectors();
    const Cycles at = looked_up + static_cast<double>(i) / p_.l1.lines_per_cycle;
    sectors += count(wanted);
    l1_counts_.load_sectors += count(wanted);
    uint32_t missing = wanted;
    if (!past_l1 && p_.l1.caches_global) {
      const Cache::Found found = s.cache.access(line, wanted);
      l1_counts_.load_hits += count(found.hits);
      missing &= ~found.hits;
      if (found.hits != 0) ready = std::max(ready, std::max(found.ready, at + p_.l1.hit_latency));
    }
    if (missing == 0) continue;
    response.hit = false;
    const double bytes = count(missing) * kSectorBytes;
    const Cycles sent = s.out.take(at, kRequestBytes / std::max(p_.l1.store_bytes_per_cycle, 1e-9) / 4);
    const Cycles arrived = l2_.read(sm, line, missing, sent);
    const Cycles transfer = bytes / p_.l1.fill_bytes_per_cycle;
    const Cycles filled = std::max(arrived, s.fill.take(sent, transfer) + transfer + p_.l2.latency_near);
    if (!past_l1 && p_.l1.caches_global) s.cache.fill(missing, filled);
    ready = std::max(ready, filled);
  }
  const Cycles out = sectors * kSectorBytes / p_.l1.bytes_per_cycle;
  response.ready = std::max(ready, s.data.take(looked_up, out) + p_.l1.hit_latency);
  response.accepted = s.tags.free_at();
  return response;
}

Response MemorySystem::store(uint32_t sm, std::span<const TraceLine> lines, Cycles now) {
  Sm& s = sms_[sm];
  Response response;
  const Cycles looked_up = s.tags.take(now, static_cast<double>(lines.size()) / p_.l1.lines_per_cycle);
  for (size_t i = 0; i < lines.size(); ++i) {
    const uint64_t line = lines[i].address() / kLineBytes;
    const uint32_t sectors = lines[i].sectors();
    const Cycles at = looked_up + static_cast<double>(i) / p_.l1.lines_per_cycle;
    l1_counts_.store_sectors += count(sectors);
    if (p_.l1.allocates_stores) {
      const Cache::Found found = s.cache.access(line, sectors);
      l1_counts_.store_hits += count(found.hits);
      s.cache.fill(sectors & ~found.hits, at + p_.l1.hit_latency);
    }
    const Cycles transfer = count(sectors) * kSectorBytes / p_.l1.store_bytes_per_cycle;
    const Cycles sent = s.out.take(at, transfer) + transfer;
    response.ready = std::max(response.ready, l2_.write(sm, line, sectors, sent));
  }
  // The store's data waits in the load-store unit until the crossbar has taken it.
  response.accepted = std::max(s.tags.free_at(), s.out.free_at() - 64);
  return response;
}

Response MemorySystem::atomic(uint32_t sm, std::span<const TraceLine> lines, uint32_t lanes, uint32_t same,
                              Cycles now) {
  Sm& s = sms_[sm];
  Response response;
  const Cycles looked_up = s.tags.take(now, static_cast<double>(lines.size()) / p_.l1.lines_per_cycle);
  uint32_t left = lanes;
  for (size_t i = 0; i < lines.size(); ++i) {
    const uint64_t line = lines[i].address() / kLineBytes;
    const uint32_t sectors = lines[i].sectors();
    l1_counts_.atomic_sectors += count(sectors);
    const auto share = static_cast<uint32_t>(left / (lines.size() - i));
    left -= share;
    const Cycles transfer = count(sectors) * kSectorBytes / p_.l1.store_bytes_per_cycle;
    const Cycles sent = s.out.take(looked_up + static_cast<double>(i) / p_.l1.lines_per_cycle, transfer) + transfer;
    response.ready = std::max(response.ready, l2_.atomic(sm, line, sectors, share, std::min(same, share), sent));
  }
  response.accepted = std::max(s.tags.free_at(), s.out.free_at() - 64);
  return response;
}

Cycles MemorySystem::l1_busy() const {
  Cycles sum = 0;
  for (const Sm& s : sms_) sum += std::max(s.tags.busy(), s.data.busy());
  return sum;
}

}  // namespace drywarp::memsys
