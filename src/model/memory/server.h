// A resource that serves requests one after the other: a bus, a cache's port, a crossbar's output.
#pragma once

#include <algorithm>
#include <array>
#include <span>

namespace drywarp::memory {

using Cycles = double;  // of the SM's clock, from the start of the kernel

class Server {
 public:
  // A request at `now` occupies the server for `cost`. Returns when its service begins. Requests are served in the
  // order of the calls. Reserve ports in request order, also on return paths, and add path latency after the port;
  // otherwise early reservations delay earlier requests.
  Cycles take(Cycles now, Cycles cost) {
    const Cycles start = std::max(now, free_);
    free_ = start + cost;
    busy_ += cost;
    return start;
  }
  // Serves no request before `until`.
  void hold(Cycles until) { free_ = std::max(free_, until); }
  [[nodiscard]] Cycles free_at() const { return free_; }
  [[nodiscard]] Cycles busy() const { return busy_; }  // in total

 private:
  Cycles free_ = 0, busy_ = 0;
};

// A server for requests that come long after their calls, some sooner than those of earlier calls: these are served
// while it would wait for a later one. It remembers the last kGaps times of waiting in which such a request has room.
class BackfillServer {
 public:
  Cycles take(Cycles now, Cycles cost) {
    Cycles start = std::max(now, free_);
    Gap* best = nullptr;
    // Most requests come behind all times of waiting.
    const bool fits = now < free_ && now + cost <= last_gap_;
    for (Gap& gap : std::span(gaps_).first(fits ? kGaps : 0)) {
      const Cycles within = std::max(now, gap.begin);
      if (within + cost <= gap.end && within < start) start = within, best = &gap;
    }
    const Gap before{best ? best->begin : free_, start};
    (best ? best->begin : free_) = start + cost;
    remember(before, cost);
    return start;
  }

 private:
  static constexpr unsigned kGaps = 64;
  struct Gap {
    Cycles begin = 0, end = 0;
  };
  void remember(const Gap& gap, Cycles cost) {
    if (gap.end - gap.begin < cost) return;
    Gap& oldest = *std::ranges::min_element(gaps_, {}, &Gap::end);
    if (gap.end > oldest.end) oldest = gap;
    last_gap_ = std::max(last_gap_, gap.end);
  }
  std::array<Gap, kGaps> gaps_{};
  Cycles free_ = 0, last_gap_ = 0;  // the end of the last one
};

}  // namespace drywarp::memory
