#include "cuda/memory/graph_pool.h"

#include <algorithm>

#include "base/support/round_up.h"

namespace drywarp::cuda {

void GraphPool::allocate(uint64_t bytes, uint32_t stream) {
  for (uint64_t* idle : {&stream_idle_[stream], &idle_}) {
    const uint64_t taken = std::min(bytes, *idle);
    *idle -= taken;
    bytes -= taken;
  }
  const uint64_t more = round_up(bytes, kUnit);
  reserved_ += more;
  stream_idle_[stream] += more - bytes;
  reserved_high_ = std::max(reserved_high_, reserved_);
}

void GraphPool::free(uint64_t bytes, uint32_t stream) { stream_idle_[stream] += bytes; }

void GraphPool::host_synchronized() {
  for (const auto& [stream, bytes] : stream_idle_) idle_ += bytes;
  stream_idle_.clear();
}

void GraphPool::trim() {
  host_synchronized();
  reserved_ -= idle_ / kUnit * kUnit;
  idle_ %= kUnit;
}

}  // namespace drywarp::cuda
