#include "cuda/memory/graph_pool.h"

#include <algorithm>

#include "base/support/round_up.h"

namespace drywarp::cuda {

void GraphPool::take(uint64_t bytes, uint32_t stream) {
  for (uint64_t* idle : {&idle_of_[stream], &idle_}) {
    const uint64_t taken = std::min(bytes, *idle);
    *idle -= taken;
    bytes -= taken;
  }
  const uint64_t more = round_up(bytes, kUnit);
  held_ += more;
  idle_of_[stream] += more - bytes;
  high_ = std::max(high_, held_);
}

void GraphPool::give(uint64_t bytes, uint32_t stream) { idle_of_[stream] += bytes; }

void GraphPool::host_waited() {
  for (const auto& [stream, bytes] : idle_of_) idle_ += bytes;
  idle_of_.clear();
}

void GraphPool::trim() {
  host_waited();
  held_ -= idle_ / kUnit * kUnit;
  idle_ %= kUnit;
}

}  // namespace drywarp::cuda
