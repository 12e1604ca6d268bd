// DRAM: channels with banks, rows and one open row a bank. A request to an open row needs its burst on the channel's
// bus; another row first needs a precharge and an activation of its bank, which others' bursts can hide.
//
// Controllers collect requests and serve those to one row together. That is modelled by a window: a row that a bank
// served not longer ago than `reorder_window` still counts as open.
//
// Banks are refreshed one after the other while the others of their channel go on. So it costs little bandwidth, but of
// the warps of a block one waits for it nearly always: on an H200 14 % of all reads take up to 270 ns more, uniformly.
// Sources: JEDEC JESD235/238 (HBM2, HBM3) for the meaning of the timings; Rixner et al., Memory Access Scheduling, ISCA
// 2000.
#pragma once

#include <vector>

#include "model/memory/counts.h"
#include "model/memory/parameters.h"
#include "model/memory/server.h"

namespace drywarp::memory {

// Where a 128-byte line lies: lines are spread over channels, and rows over banks, by a hash. `line`: its number.
struct DramPlace {
  uint32_t channel = 0, bank = 0;
  uint64_t row = 0;  // of its channel
};
[[nodiscard]] DramPlace place_in_dram(const DramParameters& parameters, uint64_t line);

class Dram {
 public:
  explicit Dram(const DramParameters& parameters);

  // A read or write of `bytes` at channel-local place `row` of `bank`: when its data has passed the pins.
  // `now`: when it reaches the controller.
  Cycles access(uint32_t channel, uint32_t bank, uint64_t row, uint32_t bytes, bool write, Cycles now);

  // What a request that comes at any time waits for refreshes, in the mean.
  [[nodiscard]] Cycles mean_refresh_wait() const;

  [[nodiscard]] const DramCounts& counts() const { return counts_; }
  [[nodiscard]] Cycles busiest_channel() const;  // cycles that its bus was in use
  [[nodiscard]] Cycles mean_channel() const;
  [[nodiscard]] Cycles channel_busy(uint32_t channel) const { return channels_[channel].bus.busy(); }

 private:
  static constexpr unsigned kRemembered = 4;
  struct Bank {
    uint64_t rows[kRemembered] = {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}};  // newest first
    Cycles served[kRemembered] = {};
    Cycles open_at = 0, activated = -1e9;
  };
  struct Channel {
    Server bus;
  };
  // The first time from `now` on at which the bank is not being refreshed.
  [[nodiscard]] Cycles after_refresh(uint32_t channel, uint32_t bank, Cycles now) const;

  DramParameters p_;
  std::vector<Channel> channels_;
  std::vector<Bank> banks_;
  DramCounts counts_;
};

}  // namespace drywarp::memory
