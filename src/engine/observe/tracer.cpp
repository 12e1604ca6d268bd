#include "engine/observe/tracer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/observe/traced_access.h"

namespace drywarp::observe {

// The trace of a running block.
class Tracer::Recorder : public BlockObserver {
 public:
  Recorder(Tracer& tracer, uint64_t block, bool only_lines) : tracer_(tracer), only_lines_(only_lines) {
    trace.block = block;
    trace.warps.resize(tracer.warps_);
    steps_.resize(tracer.warps_), polls_.resize(tracer.warps_), added_.resize(tracer.warps_);
    if (tracer.sampler_ && !only_lines) samples = tracer.sampler_->sampler_of(block);
  }

  void step(const Step& s) override {
    auto& steps = trace.warps[s.warp].steps;
    const uint64_t executed = s.code_block < tracer_.block_sizes_.size() ? tracer_.block_sizes_[s.code_block] : 0;
    polls_[s.warp].step(trace.warps[s.warp], tracer_.poll_loops_, s, executed, steps_[s.warp], trace.polls);
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
    if (tracer_.poll_loops_.any()) note_access(a);
    grow(append(trace.warps[a.warp], steps_[a.warp] - 1, a, tracer_.banks_), 0);
  }
  void outcome(const Outcome& o) override {
    if (!tracer_.poll_loops_.any() || o.access != atomic_.access) return;
    const WarpTrace& warp = trace.warps[o.warp];
    const bool polls = tracer_.poll_loops_.reads(o.access);
    const LaneMask wrote = polls && atomic_.replaces ? o.replaced : o.wrote;
    if ((wrote & atomic_.lanes) == 0 || tracer_.poll_loops_.changes_nothing(o.access)) return;
    polls_[o.warp].acts();
    const auto last = static_cast<uint32_t>(warp.accesses.size() - 1);
    added_[o.warp] = tracer_.writers_.write({trace.block, o.warp, last}, atomic_.places.data(), wrote & atomic_.lanes,
                                            atomic_.bytes, o.after, {.on_word = atomic_.adds});
    if (!atomic_.adds) added_[o.warp] = 0;
    atomic_.access = ~0u;
  }
  void bulk(const BulkAccess& a) override {
    polls_[a.warp].acts();
    grow(append(trace.warps[a.warp], steps_[a.warp] - 1, a), 0);
  }
  void mbarrier(const Mbarrier& m) override {
    if (m.use == Mbarrier::Use::Wait && !m.passed) return polls_[m.warp].in_vain();
    grow(append(trace.warps[m.warp], steps_[m.warp] - 1, m), 0);
  }
  void arrival(const Arrival& a) override {
    polls_[a.warp].acts();
    grow(append(trace.warps[a.warp], steps_[a.warp] - 1, a), 0);
  }
  void constant_load(const ConstantLoad& l) override { grow(append(trace.warps[l.warp], steps_[l.warp] - 1, l), 0); }
  void rare_cases(const RareCases& r) override { grow(append(trace.warps[r.warp], steps_[r.warp] - 1, r), 0); }
  void value_match(const ValueMatch& m) override { grow(append(trace.warps[m.warp], steps_[m.warp] - 1, m), 0); }

  [[nodiscard]] bool only_lines() const { return only_lines_; }  // that it loads are wanted

  BlockTrace trace;
  uint64_t bytes = 0, instructions = 0;  // that the trace takes; executed
  std::unique_ptr<BlockSampler> samples;

 private:
  // Of a kernel whose loops poll: what a poll has seen, and what is written.
  void note_access(const Access& a) {
    const bool atomic = a.kind == AccessKind::Atomic || a.kind == AccessKind::Swap;
    if (a.kind == AccessKind::Store || a.memory != Memory::Global) polls_[a.warp].acts();
    if (a.memory != Memory::Global) return;
    const auto number = static_cast<uint32_t>(trace.warps[a.warp].accesses.size());
    if (tracer_.poll_loops_.reads(a.access) && polls_[a.warp].polling()) note_poll(a, number);
    if (atomic) {  // its outcome says what it has written
      atomic_ = {a.access, a.lanes, a.bytes, a.replaces, a.kind == AccessKind::Atomic && !a.replaces, {}};
      for (LaneMask left = a.lanes; left != 0; left &= left - 1)
        atomic_.places[static_cast<size_t>(std::countr_zero(left))] = a.places[std::countr_zero(left)];
    } else if (a.kind == AccessKind::Store) {
      uint64_t values[kWarpSize] = {};
      // Of vectors, and of what is no flag, values matter little.
      const bool known = a.values && a.order != MemoryOrder::Weak && a.bytes == a.element_bytes && a.bytes <= 8;
      for (LaneMask left = known ? a.lanes : 0; left != 0; left &= left - 1)
        std::memcpy(&values[std::countr_zero(left)],
                    a.values + static_cast<size_t>(std::countr_zero(left)) * a.element_bytes, a.element_bytes);
      tracer_.writers_.write({trace.block, a.warp, number}, a.places, a.lanes, a.bytes, known ? values : nullptr,
                             {.on_write = added_[a.warp]});
    }
  }
  void note_poll(const Access& a, uint32_t number) {
    std::optional<WriteId> seen[kWarpSize];
    tracer_.writers_.find({trace.block, a.warp, number}, a.places, a.lanes, a.tested, seen);
    std::vector<AwaitedWrite>& awaited = trace.warps[a.warp].awaited;
    const size_t first = awaited.size();
    for (LaneMask left = a.lanes; left != 0; left &= left - 1) {
      const auto& write = seen[std::countr_zero(left)];
      if (!write) continue;
      const auto begin = awaited.begin() + static_cast<ptrdiff_t>(first);
      const auto known = std::find_if(begin, awaited.end(), [&](const AwaitedWrite& w) { return w.write == *write; });
      if (known == awaited.end())
        awaited.push_back({number, left & -left, *write});
      else
        known->lanes |= left & -left;
    }
  }
  void grow(uint64_t more_bytes, uint64_t more_instructions) {
    bytes += more_bytes, instructions += more_instructions;
    if (bytes > tracer_.request_.bytes || instructions > tracer_.request_.instructions) return give_up();
    if (bytes < next_report_) return;
    next_report_ = bytes + kReportEvery;
    if (!only_lines_ && tracer_.is_cut_off(trace.block, bytes)) give_up();
  }
  // The trace will not be used.
  void give_up() {
    leave();
    for (WarpTrace& warp : trace.warps) warp = {};
  }

  static constexpr uint64_t kReportEvery = 1 << 20;  // bytes

  Tracer& tracer_;
  const bool only_lines_;
  uint64_t next_report_ = kReportEvery;
  std::vector<uint32_t> steps_;  // executed so far, by warp
  std::vector<Polls> polls_;     // by warp
  std::vector<uint32_t> added_;  // by warp: its last addition to a word, in WordWriters: what it does next may follow
  struct {                       // the last atomic in global memory, until its outcome
    uint32_t access = ~0u;
    LaneMask lanes = 0;
    uint32_t bytes = 0;
    bool replaces = false, adds = false;
    std::array<uint64_t, kWarpSize> places{};
  } atomic_;
};

Tracer::Tracer(const TraceRequest& request, const TracedLaunch& launch, Sampler* sampler)
    : request_(request),
      blocks_in_grid_(launch.blocks),
      warps_(launch.warps),
      banks_(launch.banks),
      sampler_(sampler),
      poll_loops_(launch.polls),
      // In turn: rows of one block. So are blocks recorded that wait for others.
      widths_(poll_loops_.any() || request.widths.empty() ? std::vector<TraceWidth>{{1, request.instructions}}
                                                          : request.widths),
      block_sizes_(drywarp::block_sizes(launch.kernel)),
      loads_(loads_of(launch.kernel)),
      spent_(widths_.size()) {}

BlockRange Tracer::next(uint64_t block) const {
  BlockRange next;
  if (!full_) {
    const BlockRows held = rows();
    const uint64_t first = held.next(block);
    if (first < request_.blocks) next = {first, std::min(held.end(first), request_.blocks)};
  }
  for (uint32_t i = 0; i < request_.sample_blocks; ++i)
    if (const uint64_t sample = request_.sample_block(i, blocks_in_grid_); sample >= block)
      return sample < next.first ? BlockRange{sample, sample + 1} : next;
  return next;
}

std::unique_ptr<BlockObserver> Tracer::begin(uint64_t block) {
  // A block before those that have begun is recorded even if others have overtaken it and spent the budget.
  const bool recorded = block < request_.blocks && rows().hold(block) && !(full_ && block >= begun_);
  if (!recorded && !request_.is_sample_block(block, blocks_in_grid_)) return nullptr;
  uint64_t begun = begun_;
  while (begun <= block && !begun_.compare_exchange_weak(begun, block + 1)) {
  }
  return std::make_unique<Recorder>(*this, block, !recorded);
}

void Tracer::spend(uint64_t block, Spent spent) {
  for (size_t w = 0; w < spent_.size(); ++w) {
    if (!rows_of(w).hold(block)) continue;
    spent_[w].bytes += spent.bytes, spent_[w].instructions += spent.instructions;
  }
  const size_t before = width_;
  while (width_ + 1 < widths_.size() && too_much(spent_[width_])) ++width_;
  if (width_ != before) std::erase_if(done_, [held = rows()](const auto& done) { return !held.hold(done.first); });
  full_ = too_much(spent_[width_]);
}

void Tracer::end(std::unique_ptr<BlockObserver> block) {
  auto& recorder = static_cast<Recorder&>(*block);
  const uint64_t number = recorder.trace.block;
  if (!recorder.only_lines()) {
    const std::lock_guard hold(mutex_);
    spend(number, {recorder.bytes, recorder.instructions});
  }
  if (recorder.has_left()) return;
  if (request_.is_sample_block(number, blocks_in_grid_)) {
    BlockLines lines = lines_of(recorder.trace, loads_);
    const std::lock_guard hold(mutex_);
    sample_blocks_[number] = std::move(lines);
  }
  if (recorder.only_lines()) return;
  const std::lock_guard hold(mutex_);
  if (!rows().hold(number)) return;
  Done& done = done_[number];
  done = {{number, {}, recorder.trace.polls}, recorder.bytes, recorder.instructions, std::move(recorder.samples)};
  done.trace.warps.reserve(recorder.trace.warps.size());
  const auto packed = [&](const auto& stream) { return std::decay_t<decltype(stream)>(stream, memory_.get()); };
  for (const WarpTrace& warp : recorder.trace.warps)
    done.trace.warps.push_back(
        {packed(warp.steps), packed(warp.accesses), packed(warp.lines), packed(warp.objects), warp.awaited});
}

bool Tracer::is_cut_off(uint64_t block, uint64_t bytes) {
  if (side_by_side() == 0) return false;
  const std::lock_guard hold(mutex_);
  recorded_[block] = bytes;
  uint64_t sum = 0;
  for (auto at = recorded_.begin(); at != recorded_.end() && at->first <= block; ++at) sum += at->second;
  return sum > request_.bytes;
}

std::shared_ptr<const LaunchTrace> Tracer::take() {
  auto trace = std::make_shared<LaunchTrace>();
  trace->memory = memory_;
  trace->blocks_in_grid = blocks_in_grid_;
  trace->rows = rows();
  Spent spent;
  for (auto& [block, recorded] : done_) {
    if (trace->rows.count(block) != trace->blocks.size()) break;
    spent.bytes += recorded.bytes, spent.instructions += recorded.instructions;
    if (too_much(spent)) break;
    trace->blocks.push_back(std::move(recorded.trace));
    if (recorded.samples) sampler_->add(*recorded.samples);
  }
  trace->loads = loads_;
  std::vector<WriteId> awaited;
  for (const BlockTrace& block : trace->blocks)
    for (const WarpTrace& warp : block.warps)
      for (const AwaitedWrite& a : warp.awaited) awaited.push_back(a.write);
  if (!awaited.empty()) trace->built = writers_.built(std::move(awaited));
  for (auto& [block, lines] : sample_blocks_) {
    lines.place = trace->rows.hold(block) ? trace->rows.count(block) : BlockLines::kOther;
    trace->sample_blocks.push_back(std::move(lines));
  }
  return trace;
}

}  // namespace drywarp::observe
