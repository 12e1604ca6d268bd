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
  if (b.kind == Kind::Wait || b.kind == Kind::Mark || a.kind == Kind::Mark) return 0;
  if (a.in_graph && b.in_graph) return numbers_.graph_gap_ns;
  const bool kernels = a.kind == Kind::Kernel && b.kind == Kind::Kernel;
  return kernels && a.stream == b.stream ? numbers_.kernel_gap_ns : numbers_.dependency_gap_ns;
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
  const bool works = operation.kind != Kind::Mark && operation.kind != Kind::Wait;
  state.ready = host.now + (works ? numbers_.submit_ns : 0);
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
    ending->running = kNone, ending->last = name;
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
  engine.running = name;
  engine.free_at = now + states_[name].operation.duration_ns;
  Span& span = spans_[name];
  span.start = now;
  if (span.cause == Cause::Engine) span.because = engine.last;
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
