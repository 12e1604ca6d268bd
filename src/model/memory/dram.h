// DRAM: channels with banks, each with one open row. A request to an open row needs only its burst on the channel's
// bus. Another row first needs a precharge and an activation of the bank, which bursts of other banks can hide.
//
// Controllers collect requests and serve those to one row together. The model has a window for this: a row that a bank
// served within `reorder_window` still counts as open.
//
// Nobody waits for a write. So a controller collects writes and drains them together, which costs two turnarounds of
// its bus for all of them, or none if there were no reads in between; reads that come meanwhile wait until it is
// through.
//
// Banks are refreshed one after the other while the others of their channel work. So refreshes cost little bandwidth,
// but nearly every block has a warp that waits for one: on an H200 14 % of all reads take up to 270 ns more, uniformly.
// Sources: JEDEC JESD235/238 (HBM2, HBM3) for the meaning of the timings; Rixner et al., Memory Access Scheduling, ISCA
// 2000.
#pragma once

#include <vector>

#include "model/memory/counts.h"
#include "model/memory/dram_access.h"
#include "model/memory/parameters.h"
#include "model/memory/server.h"

namespace drywarp::memory {

// The location of a 128-byte line: a hash spreads lines over channels, and rows over banks. `line`: its number.
struct DramPlace {
  uint32_t channel = 0, bank = 0;
  uint64_t row = 0;  // of its channel
};
[[nodiscard]] DramPlace place_in_dram(const DramParameters& parameters, uint64_t line);

class Dram {
 public:
  explicit Dram(const DramParameters& parameters);

  // A read of `bytes` in a row that reaches the controller at `now`. Returns when its data has passed the pins.
  Cycles read(uint32_t channel, uint32_t bank, uint64_t row, uint32_t bytes, Cycles now);
  // A write. Returns when its data would have passed the pins if the controller drained it at once.
  Cycles write(uint32_t channel, uint32_t bank, uint64_t row, uint32_t bytes, Cycles now);

  // Records further accesses; null: no more.
  void record_to(DramLog* log) { log_ = log; }

  // The mean time that a request waits for refreshes.
  [[nodiscard]] Cycles mean_refresh_wait() const;

  [[nodiscard]] const DramCounts& counts() const { return counts_; }
  [[nodiscard]] Cycles busiest_channel() const;  // cycles that its bus was busy, or will be with the writes collected
  [[nodiscard]] Cycles mean_channel() const;
  [[nodiscard]] Cycles channel_busy(uint32_t channel) const {
    return channels_[channel].bus.busy() + channels_[channel].collected_transfer;
  }

 private:
  static constexpr unsigned kRemembered = 4;  // rows with waiting requests: a bound of this model, not of a GPU
  struct Bank {
    uint64_t rows[kRemembered] = {~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}};  // newest first
    Cycles served[kRemembered] = {};
    Cycles open_at = 0, activated = -1e9;
  };
  struct Request {
    uint32_t bank = 0, bytes = 0;
    uint64_t row = 0;
  };
  struct Channel {
    Server bus;
    std::vector<Request> collected;
    Cycles collected_transfer = 0;  // what they will occupy the bus for
    bool reads = false;             // since the last writes were drained
  };
  [[nodiscard]] Cycles transfer(uint32_t bytes) const;
  Cycles access(uint32_t channel, const Request& request, bool write, Cycles now);
  // The earliest time, `now` or later, at which the bank is not being refreshed.
  [[nodiscard]] Cycles after_refresh(uint32_t channel, uint32_t bank, Cycles now) const;

  DramParameters p_;
  std::vector<Channel> channels_;
  std::vector<Bank> banks_;
  DramCounts counts_;
  DramLog* log_ = nullptr;
};

}  // namespace drywarp::memory
