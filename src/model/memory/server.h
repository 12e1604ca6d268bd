// Something that serves requests one after the other at a fixed rate: a bus, a cache's port, a crossbar's output.
#pragma once

#include <algorithm>

namespace drywarp::memory {

using Cycles = double;  // of the SM's clock, from the start of the kernel

class Server {
 public:
  // Takes a request at `now` that occupies it for `cost`: when the request's service begins. Requests are served in the
  // order of the calls. Data comes back at very different times: the way back is therefore taken when it is asked for,
  // and the data is there when both its own way and its turn on that way are over.
  Cycles take(Cycles now, Cycles cost) {
    const Cycles start = std::max(now, free_);
    free_ = start + cost;
    busy_ += cost;
    return start;
  }
  // Serves nobody before that.
  void hold(Cycles until) { free_ = std::max(free_, until); }
  [[nodiscard]] Cycles free_at() const { return free_; }
  [[nodiscard]] Cycles busy() const { return busy_; }  // in all

 private:
  Cycles free_ = 0, busy_ = 0;
};

}  // namespace drywarp::memory
