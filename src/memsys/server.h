// Something that serves requests one after the other at a fixed rate: a bus, a cache's port, a crossbar's output.
#pragma once

#include <algorithm>

namespace drywarp::memsys {

using Cycles = double;  // of the SM's clock, from the start of the kernel

class Server {
 public:
  // Takes a request at `now` that occupies it for `cost`: when the request's service begins. Requests are served in the
  // order of the calls; a caller whose data comes back at very different times therefore takes the way back when it
  // asks, and adds the delay() to the answer's time.
  Cycles take(Cycles now, Cycles cost) {
    const Cycles start = std::max(now, free_);
    free_ = start + cost;
    busy_ += cost;
    return start;
  }
  Cycles delay(Cycles now, Cycles cost) { return take(now, cost) - now; }
  [[nodiscard]] Cycles free_at() const { return free_; }
  [[nodiscard]] Cycles busy() const { return busy_; }  // in all

 private:
  Cycles free_ = 0, busy_ = 0;
};

}  // namespace drywarp::memsys
