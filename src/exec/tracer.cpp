#include "exec/tracer.h"

namespace drywarp::exec {
namespace {

uint64_t size_of(const BlockTrace& block) {
  uint64_t bytes = 0;
  for (const WarpTrace& warp : block.warps) bytes += warp.bytes();
  return bytes;
}

}  // namespace

std::unique_ptr<BlockRecorder> Tracer::begin(uint64_t block) {
  // Once the blocks before this one are known to spend the budget, no thread needs to know which of them did.
  if (!sampling_ && (block >= request_.blocks || bytes_.load() > request_.bytes)) return nullptr;
  auto recorder = std::make_unique<BlockRecorder>();
  recorder->trace.block = block;
  recorder->trace.warps.resize(warps_);
  recorder->steps.resize(warps_);
  recorder->sampling = sampling_;
  return recorder;
}

void Tracer::end(std::unique_ptr<BlockRecorder> recorder) {
  if (sampling_) {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, sample] : recorder->samples) {
      const auto [known, is_new] = samples_.try_emplace(key, sample);
      if (!is_new && sample.outranks(known->second)) known->second = sample;
    }
    return;
  }
  bytes_ += size_of(recorder->trace);
  std::lock_guard lock(mutex_);
  const uint64_t block = recorder->trace.block;
  done_[block] = std::move(recorder->trace);
}

std::shared_ptr<const std::vector<AccessSample>> Tracer::take_samples() {
  auto samples = std::make_shared<std::vector<AccessSample>>();
  for (const auto& [key, sample] : samples_) samples->push_back(sample);
  return samples;
}

std::shared_ptr<const LaunchTrace> Tracer::take() {
  auto trace = std::make_shared<LaunchTrace>();
  trace->blocks_in_grid = blocks_in_grid_;
  uint64_t spent = 0;
  for (auto& [block, recorded] : done_) {
    if (block != trace->blocks.size()) break;
    spent += size_of(recorded);
    if (spent > request_.bytes && block != 0) break;
    trace->blocks.push_back(std::move(recorded));
  }
  return trace;
}

}  // namespace drywarp::exec
