#include "model/timeline/simulator.h"

#include <algorithm>
#include <limits>

namespace drywarp::timeline {
namespace {

// Fills are work of the engine that copies inside the device.
Kind engine_of(Kind kind) { return kind == Kind::Fill ? Kind::Inside : kind; }

}  // namespace

double Simulator::gap(const State& from, const State& to) const {
  const Operation &a = from.operation, &b = to.operation;
  if (b.kind == Kind::Wait || a.kind == Kind::Mark) return 0;
  if (b.kind == Kind::Mark) return b.in_graph ? 0 : numbers_.mark_ns;
  if (a.kind == Kind::Kernel && b.kind == Kind::Kernel)
    return a.in_graph && b.in_graph ? numbers_.graph_gap_ns : numbers_.kernel_gap_ns;
  return engine_of(a.kind) == engine_of(b.kind) ? numbers_.copy_gap_ns : numbers_.dependency_gap_ns;
}

// `on` has ended.
void Simulator::depend(uint32_t name, uint32_t on) {
  State& state = states_[name];
  const double ready = spans_[on].end + gap(states_[on], state);
  if (ready < state.ready) return;
  state.ready = ready;
  spans_[name].cause = Cause::Dependency, spans_[name].because = on;
}

uint32_t Simulator::add(const Operation& operation) {
  const auto name = static_cast<uint32_t>(states_.size());
  Host& host = hosts_[operation.thread];
  host.now += operation.host_ns;
  State& state = states_.emplace_back();
  state.operation = operation;
  spans_.push_back({0, 0, Cause::Host, host.waited_for});
  state.ready = host.now + (operation.kind == Kind::Wait ? 0 : numbers_.submit_ns);
  for (const uint32_t on : operation.after) {
    if (on >= name) continue;
    if (states_[on].ended) {
      depend(name, on);
    } else {
      ++state.missing;
      states_[on].dependents.push_back(name);
    }
  }
  if (state.missing == 0) arrivals_.push({std::max(state.ready, now_), name});
  if (operation.kind == Kind::Wait || operation.synchronous) {
    const Span& span = end(name);
    const double waited = span.end + numbers_.wake_ns;
    Host& waiting = hosts_[operation.thread];
    if (span.end > waiting.now) {
      waiting.waited_for = operation.kind == Kind::Wait ? span.because : name;
      waiting.now = waited;
    }
  }
  return name;
}

const Span& Simulator::end(uint32_t operation) {
  while (!states_[operation].ended && step()) {
  }
  return spans_[operation];
}

void Simulator::finish() {
  while (step()) {
  }
}

bool Simulator::step() {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const double arrival = arrivals_.empty() ? kNever : arrivals_.top().first;
  double next = std::min(arrival, multiprocessors_.next());
  Engine* ending = nullptr;
  for (Engine& engine : engines_)
    if (engine.running != kNone && engine.free_at <= next) next = engine.free_at, ending = &engine;
  if (next == kNever) return false;
  now_ = std::max(now_, next);
  if (ending) {
    const uint32_t name = ending->running;
    ending->running = kNone, ending->last = name, ending->last_end = now_;
    share_link(now_);
    ends(name, now_);
    serve(*ending, now_);
  } else if (arrival <= next) {
    const uint32_t name = arrivals_.top().second;
    arrivals_.pop();
    arrive(name, now_);
  } else {
    multiprocessors_.advance(next);
  }
  take_kernels();
  return true;
}

void Simulator::arrive(uint32_t name, double now) {
  State& state = states_[name];
  const Operation& operation = state.operation;
  Span& span = spans_[name];
  if (operation.kind == Kind::Mark || operation.kind == Kind::Wait) {
    span.start = now;
    ends(name, now);
  } else if (operation.kind == Kind::Kernel) {
    // Its first block may start behind the overhead. It arrives twice: now, and then.
    if (!std::exchange(state.launched, true) && operation.shape.overhead_ns > 0) {
      arrivals_.push({now + std::min(operation.shape.overhead_ns, operation.duration_ns), name});
    } else {
      multiprocessors_.arrive(name, operation, now);
    }
  } else {
    Engine& engine = engines_[unsigned(engine_of(operation.kind))];
    if (engine.running != kNone) span.cause = Cause::Engine;
    engine.waiting.push({now, name});
    serve(engine, now);
  }
}

void Simulator::serve(Engine& engine, double now) {
  if (engine.running != kNone || engine.waiting.empty()) return;
  const uint32_t name = engine.waiting.top().second;
  engine.waiting.pop();
  Span& span = spans_[name];
  const double start = engine.last == kNone ? now : std::max(now, engine.last_end + numbers_.copy_gap_ns);
  if (start > now) span.cause = Cause::Engine;
  if (span.cause == Cause::Engine) span.because = engine.last;
  span.start = start;
  engine.running = name;
  engine.left_ns = states_[name].operation.duration_ns;
  engine.since = engine.free_at = start;
  share_link(now);
}

// Copies in both directions slow each other.
void Simulator::share_link(double now) {
  Engine &in = engines_[unsigned(Kind::ToDevice)], &out = engines_[unsigned(Kind::ToHost)];
  const bool both = in.running != kNone && out.running != kNone;
  const double share = both ? numbers_.both_ways_share : 1;
  for (Engine& engine : engines_) {
    if (engine.running == kNone) continue;
    const bool on_link = &engine == &in || &engine == &out;
    const double own = on_link ? share : 1;
    if (now > engine.since && own != engine.share) {
      engine.left_ns = std::max(engine.left_ns - (now - engine.since) * engine.share, 0.0);
      engine.since = now;
    }
    engine.share = own;
    engine.free_at = engine.since + engine.left_ns / own;
  }
}

void Simulator::take_kernels() {
  for (const auto& event : multiprocessors_.take_started()) {
    const Operation& operation = states_[event.name].operation;
    spans_[event.name].start = event.time - std::min(operation.shape.overhead_ns, operation.duration_ns);
    if (event.holder != kNone) spans_[event.name].cause = Cause::Engine, spans_[event.name].because = event.holder;
  }
  for (const auto& event : multiprocessors_.take_ended()) ends(event.name, event.time);
}

void Simulator::ends(uint32_t name, double now) {
  spans_[name].end = now;
  State& state = states_[name];
  state.ended = true;
  for (const uint32_t dependent : std::exchange(state.dependents, {})) {
    depend(dependent, name);
    if (--states_[dependent].missing == 0) arrivals_.push({std::max(states_[dependent].ready, now_), dependent});
  }
}

std::vector<Span> time_line(const std::vector<Operation>& operations, const Numbers& numbers) {
  Simulator simulator(numbers);
  for (const Operation& operation : operations) (void)simulator.add(operation);
  simulator.finish();
  return simulator.spans();
}

}  // namespace drywarp::timeline
