#include "model/memory/dram.h"

#include <algorithm>
#include <cmath>

#include "base/access/access_pattern.h"
#include "model/memory/cache.h"

namespace drywarp::memory {

DramPlace place_in_dram(const DramParameters& p, uint64_t line) {
  DramPlace place;
  place.channel = pick(hash_line(line / 2 * 2 + 1), p.channels);
  place.row = line / p.channels * kLineBytes / p.row_bytes;
  place.bank = pick(hash_line(place.row * 3 + 1), p.banks);
  return place;
}

Dram::Dram(const DramParameters& parameters)
    : p_(parameters), channels_(parameters.channels), banks_(size_t{parameters.channels} * parameters.banks) {}

Cycles Dram::after_refresh(uint32_t channel, uint32_t bank, Cycles now) const {
  if (p_.refresh_interval <= 0) return now;
  // Channels refresh at different times.
  const double turn = (bank + static_cast<double>(channel) / p_.channels) / p_.banks;
  const double interval = now / p_.refresh_interval - turn;
  const Cycles since = (interval - std::floor(interval)) * p_.refresh_interval;
  return since < p_.refresh ? now + (p_.refresh - since) : now;
}

Cycles Dram::mean_refresh_wait() const {
  return p_.refresh_interval > 0 ? p_.refresh * p_.refresh / 2 / p_.refresh_interval : 0;
}

Cycles Dram::transfer(uint32_t bytes) const {
  const double bursts = (bytes + p_.burst_bytes - 1) / p_.burst_bytes;
  return bursts * p_.burst_bytes / p_.bytes_per_cycle / (1 - p_.refresh_share);
}

Cycles Dram::read(uint32_t channel, uint32_t bank, uint64_t row, uint32_t bytes, Cycles now) {
  counts_.read_bytes += bytes;
  channels_[channel].reads = true;
  return access(channel, {bank, bytes, row}, false, now);
}

Cycles Dram::write(uint32_t channel, uint32_t bank, uint64_t row, uint32_t bytes, Cycles now) {
  counts_.write_bytes += bytes;
  Channel& c = channels_[channel];
  c.collected.push_back({bank, bytes, row});
  c.collected_transfer += transfer(bytes);
  const Cycles end = std::max(now, c.bus.free_at()) + c.collected_transfer;
  if (c.collected_transfer < p_.write_batch) return end;
  const Cycles turn = c.reads ? p_.turnaround : 0;
  c.bus.take(now, turn);
  for (const Request& write : c.collected) access(channel, write, true, now);
  c.bus.take(now, turn);
  c.reads = false;
  c.collected.clear();
  c.collected_transfer = 0;
  return end;
}

Cycles Dram::access(uint32_t channel, const Request& request, bool write, Cycles now) {
  const auto [bank_number, bytes, row] = request;
  Channel& c = channels_[channel];
  Bank& bank = banks_[size_t{channel} * p_.banks + bank_number];
  const Cycles transfer = this->transfer(bytes);
  unsigned known = 0;
  while (known < kRemembered && bank.rows[known] != row) ++known;
  const bool open = known == 0 || (known < kRemembered && now - bank.served[known] < p_.reorder_window);
  const Cycles arrives = after_refresh(channel, bank_number, now);
  Cycles ready = arrives, opened = 0;
  if (open) {
    ++counts_.row_hits;
    ready = std::max(arrives, known == 0 ? bank.open_at : arrives);
    bank.served[known] = std::max(arrives, bank.served[known]);
  } else {
    ++counts_.row_misses;
    const Cycles begin = std::max(arrives, bank.activated + p_.row_cycle - p_.precharge);
    opened = begin;
    bank.activated = begin + p_.precharge;
    bank.open_at = bank.activated + p_.activate;
    ready = bank.open_at;
    for (unsigned k = kRemembered - 1; k > 0; --k) bank.rows[k] = bank.rows[k - 1], bank.served[k] = bank.served[k - 1];
    bank.rows[0] = row;
    bank.served[0] = ready;
  }
  // While this bank opens its row the bus serves other banks: only the transfer occupies it.
  const Cycles start = std::max(c.bus.take(now, transfer), ready);
  if (log_ && log_->bound.takes(log_->accesses.size(), now))
    log_->accesses.push_back(
        {now, open ? start : opened, start, start + transfer, channel, bank_number, row, write, open});
  return start + transfer;
}

Cycles Dram::busiest_channel() const {
  Cycles most = 0;
  for (uint32_t c = 0; c < channels_.size(); ++c) most = std::max(most, channel_busy(c));
  return most;
}

Cycles Dram::mean_channel() const {
  Cycles sum = 0;
  for (uint32_t c = 0; c < channels_.size(); ++c) sum += channel_busy(c);
  return channels_.empty() ? 0 : sum / static_cast<double>(channels_.size());
}

}  // namespace drywarp::memory
