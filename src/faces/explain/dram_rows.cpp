#include "faces/explain/dram_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace drywarp::explain {
namespace {

constexpr uint32_t kMostOfEach = 1024;
constexpr size_t kWindow = 16;  // requests that a channel's controller chooses from
constexpr uint64_t kBurstsOfARun = 4096, kRandomRows = 1024;

struct RowBank {
  std::optional<uint64_t> open_row;
  double activated = 0;  // when the open row can be read
  double idle = 0;       // when its last burst has ended
};

// A channel: its banks, its bus, and the requests that it may choose from.
class RowController {
 public:
  RowController(const RowsQuery& query, uint32_t channel) : q_(query), channel_(channel), banks_(query.banks) {}

  [[nodiscard]] bool full() const { return window_.size() >= kWindow; }
  [[nodiscard]] bool empty() const { return window_.empty(); }
  void ask(uint64_t burst) {
    RowAccess access;
    const uint64_t row = burst / q_.channels / q_.row_bursts;
    access.burst = burst, access.channel = channel_;
    access.bank = static_cast<uint32_t>(row % q_.banks), access.row = row / q_.banks;
    access.begin = last_end_;  // until it is served: when it was asked for
    window_.push_back(access);
  }

  RowAccess serve() {
    size_t best = 0;
    RowAccess first = timed(window_[0]);
    for (size_t i = 1; i < window_.size(); ++i) {
      const RowAccess other = timed(window_[i]);
      if (other.data < first.data) first = other, best = i;
    }
    window_.erase(window_.begin() + static_cast<std::ptrdiff_t>(best));
    RowBank& bank = banks_[first.bank];
    if (first.kind != RowAccess::Kind::Hit) bank.open_row = first.row, bank.activated = first.activated;
    bank.idle = last_end_ = first.end;
    return first;
  }

 private:
  // The times of a request if it were the next to be served.
  [[nodiscard]] RowAccess timed(RowAccess access) const {
    const RowBank& bank = banks_[access.bank];
    const bool hit = bank.open_row == access.row;
    access.kind = hit ? RowAccess::Kind::Hit : bank.open_row ? RowAccess::Kind::Conflict : RowAccess::Kind::Closed;
    access.begin = std::max(access.begin, hit ? bank.activated : bank.idle);
    access.precharged = access.begin + (access.kind == RowAccess::Kind::Conflict ? q_.precharge : 0);
    access.activated = access.precharged + (hit ? 0 : q_.activate);
    // Reads of an open row are pipelined: a read waits so that its burst finds the bus free.
    access.data = std::max(access.activated + q_.read, last_end_);
    if (hit) access.begin = access.precharged = access.activated = access.data - q_.read;
    access.end = access.data + q_.transfer;
    return access;
  }

  const RowsQuery& q_;
  uint32_t channel_;
  std::vector<RowBank> banks_;
  std::vector<RowAccess> window_;  // oldest first
  double last_end_ = 0;            // of the bus's last burst
};

}  // namespace

Result<DramRows> explain_rows(const RowsQuery& query) {
  for (const double time : {query.precharge, query.activate, query.read, query.transfer})
    if (!std::isfinite(time) || time <= 0 || time > 1e4 * query.transfer)
      return error(fmt::format("a time of {} with transfers of {}: times must be positive, and at most 10000 transfers",
                               time, query.transfer));
  for (const uint32_t number : {query.banks, query.channels, query.row_bursts})
    if (number == 0 || number > kMostOfEach)
      return error(fmt::format("{} banks, {} channels and {} bursts a row: from 1 to {} of each", query.banks,
                               query.channels, query.row_bursts, kMostOfEach));
  DramRows out;
  out.query = query;
  std::vector<RowController> controllers;
  for (uint32_t c = 0; c < query.channels; ++c) controllers.emplace_back(out.query, c);
  const auto serve = [&](RowController& controller) { out.accesses.push_back(controller.serve()); };
  const uint64_t random_bursts = kRandomRows * query.row_bursts * query.banks * query.channels;
  out.bursts = kBurstsOfARun * query.channels;
  for (uint64_t i = 0; i < out.bursts; ++i) {
    const uint64_t burst = query.pattern.at(i, random_bursts);
    RowController& controller = controllers[burst % query.channels];
    if (controller.full()) serve(controller);
    controller.ask(burst);
  }
  for (RowController& controller : controllers)
    while (!controller.empty()) serve(controller);

  double end = 0;
  for (const RowAccess& access : out.accesses) {
    end = std::max(end, access.end);
    out.hits += access.kind == RowAccess::Kind::Hit;
    out.closed += access.kind == RowAccess::Kind::Closed;
    out.conflicts += access.kind == RowAccess::Kind::Conflict;
  }
  out.utilization = static_cast<double>(out.bursts) * query.transfer / (end * query.channels);
  std::ranges::sort(out.accesses, {}, [](const RowAccess& a) { return std::pair(a.data, a.channel); });
  // Three rows' openings show the repetition.
  const double shown = 3 * (query.precharge + query.activate + query.read + query.transfer * query.row_bursts);
  std::erase_if(out.accesses, [shown](const RowAccess& access) { return access.end > shown + 1e-9; });
  return out;
}

}  // namespace drywarp::explain
