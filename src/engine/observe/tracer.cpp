#include "engine/observe/tracer.h"

#include "engine/observe/polls.h"
#include "engine/observe/traced_access.h"

namespace drywarp::observe {

// The trace of a running block.
class Tracer::Recorder : public BlockObserver {
 public:
  Recorder(const Tracer& tracer, uint64_t block, bool only_lines) : tracer_(tracer), only_lines_(only_lines) {
    trace.block = block;
    trace.warps.resize(tracer.warps_);
    steps_.resize(tracer.warps_), polls_.resize(tracer.warps_);
    if (tracer.sampler_ && !only_lines) samples = tracer.sampler_->sampler_of(block);
  }

  void step(const Step& s) override {
    auto& steps = trace.warps[s.warp].steps;
    const uint64_t executed = s.code_block < tracer_.block_sizes_.size() ? tracer_.block_sizes_[s.code_block] : 0;
    polls_[s.warp].step(trace.warps[s.warp], s, executed, steps_[s.warp], trace.polls);
    ++steps_[s.warp];
    if (!steps.empty() && steps.back().block == s.code_block && steps.back().lanes == s.lanes) {
      ++steps.back().repeats;
      grow(0, executed);
    } else {
      steps.push_back({s.code_block, s.lanes, 1});
      grow(sizeof(WarpStep), executed);
    }
  }
  void access(const Access& a) override {
    if (samples) samples->access(a);
    grow(append(trace.warps[a.warp], steps_[a.warp] - 1, a, tracer_.banks_), 0);
  }
  void bulk(const BulkAccess& a) override { grow(append(trace.warps[a.warp], steps_[a.warp] - 1, a), 0); }
  void mbarrier(const Mbarrier& m) override {
    if (m.use == Mbarrier::Use::Wait && !m.passed) return polls_[m.warp].in_vain();
    grow(append(trace.warps[m.warp], steps_[m.warp] - 1, m), 0);
  }
  void arrival(const Arrival& a) override { grow(append(trace.warps[a.warp], steps_[a.warp] - 1, a), 0); }
  void constant_load(const ConstantLoad& l) override { grow(append(trace.warps[l.warp], steps_[l.warp] - 1, l), 0); }
  void rare_cases(const RareCases& r) override { grow(append(trace.warps[r.warp], steps_[r.warp] - 1, r), 0); }

  [[nodiscard]] bool only_lines() const { return only_lines_; }  // that it loads are wanted

  BlockTrace trace;
  uint64_t bytes = 0, instructions = 0;  // that the trace takes; executed
  std::unique_ptr<BlockSampler> samples;

 private:
  void grow(uint64_t more_bytes, uint64_t more_instructions) {
    bytes += more_bytes, instructions += more_instructions;
    if (bytes <= tracer_.request_.bytes && instructions <= tracer_.request_.instructions) return;
    leave();  // the block alone exceeds the budget
    for (WarpTrace& warp : trace.warps) warp = {};
  }

  const Tracer& tracer_;
  const bool only_lines_;
  std::vector<uint32_t> steps_;  // executed so far, by warp
  std::vector<Polls> polls_;     // by warp
};

Tracer::Tracer(const TraceRequest& request, const TracedLaunch& launch, Sampler* sampler)
    : request_(request),
      blocks_in_grid_(launch.blocks),
      warps_(launch.warps),
      banks_(launch.banks),
      sampler_(sampler),
      block_sizes_(drywarp::block_sizes(launch.kernel)),
      loads_(loads_of(launch.kernel)) {}

BlockRange Tracer::next(uint64_t block) const {
  if (block < request_.blocks && !full()) return {block, request_.blocks};
  for (uint32_t i = 0; i < request_.sample_blocks; ++i)
    if (const uint64_t sample = request_.sample_block(i, blocks_in_grid_); sample >= block) return {sample, sample + 1};
  return {};
}

std::unique_ptr<BlockObserver> Tracer::begin(uint64_t block) {
  // A block before those that have begun is recorded even if others have overtaken it and spent the budget.
  const bool recorded = block < request_.blocks && !(full() && block >= begun_);
  if (!recorded && !request_.is_sample_block(block, blocks_in_grid_)) return nullptr;
  uint64_t begun = begun_;
  while (begun <= block && !begun_.compare_exchange_weak(begun, block + 1)) {
  }
  return std::make_unique<Recorder>(*this, block, !recorded);
}

void Tracer::end(std::unique_ptr<BlockObserver> block) {
  auto& recorder = static_cast<Recorder&>(*block);
  if (!recorder.only_lines()) bytes_ += recorder.bytes, instructions_ += recorder.instructions;
  if (recorder.has_left()) return;
  const uint64_t number = recorder.trace.block;
  if (request_.is_sample_block(number, blocks_in_grid_)) {
    BlockLines lines = lines_of(recorder.trace, loads_);
    const std::lock_guard hold(mutex_);
    sample_blocks_[number] = std::move(lines);
  }
  if (recorder.only_lines()) return;
  const std::lock_guard hold(mutex_);
  Done& done = done_[number];
  done = {{number, {}, recorder.trace.polls}, recorder.bytes, recorder.instructions, std::move(recorder.samples)};
  done.trace.warps.reserve(recorder.trace.warps.size());
  const auto packed = [&](const auto& stream) { return std::decay_t<decltype(stream)>(stream, memory_.get()); };
  for (const WarpTrace& warp : recorder.trace.warps)
    done.trace.warps.push_back({packed(warp.steps), packed(warp.accesses), packed(warp.lines), packed(warp.objects)});
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
    if (recorded.samples) sampler_->add(*recorded.samples);
  }
  trace->loads = loads_;
  for (auto& [block, lines] : sample_blocks_) trace->sample_blocks.push_back(std::move(lines));
  return trace;
}

}  // namespace drywarp::observe
