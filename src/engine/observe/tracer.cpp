#include "engine/observe/tracer.h"

namespace drywarp::observe {

void BlockRecorder::grow(uint64_t more_bytes, uint64_t more_instructions) {
  bytes += more_bytes, instructions += more_instructions;
  if (bytes <= limits->bytes && instructions <= limits->instructions) return;
  abandoned = true;
  for (WarpTrace& warp : trace.warps) warp = {};
}

Tracer::Tracer(const TraceRequest& request, const KernelInfo& kernel, uint64_t blocks_in_grid, uint32_t warps_per_block)
    : request_(request),
      blocks_in_grid_(blocks_in_grid),
      warps_(warps_per_block),
      block_sizes_(drywarp::block_sizes(kernel)),
      loads_(loads_of(kernel)) {}

std::unique_ptr<BlockRecorder> Tracer::begin(uint64_t block) {
  // Once finished blocks have spent the budget, no block behind those already begun is recorded. A block before them
  // still is, even if others overtook it.
  const bool recorded = sampling_ || (block < request_.blocks && !(full() && block >= begun_.load()));
  if (!recorded && !request_.is_sample_block(block, blocks_in_grid_)) return nullptr;
  uint64_t begun = begun_.load();
  while (begun <= block && !begun_.compare_exchange_weak(begun, block + 1)) {
  }
  auto recorder = std::make_unique<BlockRecorder>();
  recorder->trace.block = block;
  recorder->trace.warps.resize(warps_);
  recorder->steps.resize(warps_);
  recorder->limits = &request_;
  recorder->block_sizes = &block_sizes_;
  recorder->sampling = sampling_;
  recorder->only_lines = !recorded;
  recorder->also_samples = also_samples_ && recorded;
  return recorder;
}

void Tracer::end(std::unique_ptr<BlockRecorder> recorder) {
  if (sampling_) {
    const std::lock_guard lock(mutex_);
    merge(recorder->samples);
    return;
  }
  if (!recorder->only_lines) bytes_ += recorder->bytes, instructions_ += recorder->instructions;
  if (recorder->abandoned) return;
  if (const uint64_t block = recorder->trace.block; request_.is_sample_block(block, blocks_in_grid_)) {
    BlockLines lines = lines_of(recorder->trace, loads_);
    const std::lock_guard lock(mutex_);
    sample_blocks_[block] = std::move(lines);
  }
  if (recorder->only_lines) return;
  const std::lock_guard lock(mutex_);
  Done& done = done_[recorder->trace.block];
  done = {{recorder->trace.block, {}}, recorder->bytes, recorder->instructions, std::move(recorder->samples)};
  done.trace.warps.reserve(recorder->trace.warps.size());
  const auto packed = [&](const auto& stream) { return std::decay_t<decltype(stream)>(stream, memory_.get()); };
  for (const WarpTrace& warp : recorder->trace.warps)
    done.trace.warps.push_back({packed(warp.steps), packed(warp.accesses), packed(warp.lines)});
}

void Tracer::merge(const Samples& samples) {
  for (const auto& [key, sample] : samples) {
    const auto [known, is_new] = samples_.try_emplace(key, sample);
    if (!is_new && sample.outranks(known->second)) known->second = sample;
  }
}

std::shared_ptr<const std::vector<AccessSample>> Tracer::take_samples() {
  auto samples = std::make_shared<std::vector<AccessSample>>();
  for (const auto& [key, sample] : samples_) samples->push_back(sample);
  return samples;
}

std::shared_ptr<const LaunchTrace> Tracer::take() {
  auto trace = std::make_shared<LaunchTrace>();
  trace->memory = memory_;
  trace->blocks_in_grid = blocks_in_grid_;
  uint64_t bytes = 0, instructions = 0;
  for (auto& [block, recorded] : done_) {
    if (block != trace->blocks.size()) break;
    bytes += recorded.bytes, instructions += recorded.instructions;
    if (bytes > request_.bytes || instructions > request_.instructions) break;
    trace->blocks.push_back(std::move(recorded.trace));
    merge(recorded.samples);
  }
  trace->loads = loads_;
  for (auto& [block, lines] : sample_blocks_) trace->sample_blocks.push_back(std::move(lines));
  return trace;
}

}  // namespace drywarp::observe
