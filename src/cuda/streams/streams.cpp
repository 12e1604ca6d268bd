#include "cuda/streams/streams.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cuda/streams/copies.h"

namespace drywarp::cuda {
namespace {

constexpr unsigned kNonBlocking = 1;
// The resolution of CUDA's event timer. Two records never have the same time.
constexpr uint64_t kTimerStep = 500;

uint64_t now_nanoseconds() {
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

void append(std::vector<uint32_t>& to, const std::vector<uint32_t>& from) {
  for (const uint32_t operation : from)
    if (std::ranges::find(to, operation) == to.end()) to.push_back(operation);
}

}  // namespace

Streams::Streams(Callbacks callbacks, Backlog& backlog, Memory& memory, OperationLog& log)
    : callbacks_(std::move(callbacks)), backlog_(backlog), memory_(memory), log_(log) {}

Stream* Streams::find(uint64_t handle) {
  if (handle == kDefaultStream || handle == kLegacyStream) return &default_;
  if (handle == kPerThreadStream) {
    auto& stream = per_thread_[std::this_thread::get_id()];
    if (!stream) {
      stream = std::make_unique<Stream>();
      stream->number = next_number_++;
      if (checks_) stream->line = checks_->add_stream(true);
    }
    return stream.get();
  }
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second.get();
}

Stream* Streams::create(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->number = next_number_++;
  stream->flags = flags;
  stream->priority = priority;
  if (!freed_workspaces_.empty()) {
    stream->has_workspace = freed_workspaces_.back();
    freed_workspaces_.pop_back();
  }
  if (checks_) stream->line = checks_->add_stream(!(flags & kNonBlocking));
  Stream* out = stream.get();
  memory_.objects().created("a stream", out);
  streams_[reinterpret_cast<uint64_t>(out)] = std::move(stream);
  return out;
}

Error Streams::destroy(uint64_t handle) {
  const auto found = streams_.find(handle);
  if (found == streams_.end()) return Error::InvalidResourceHandle;
  if (found->second->capture && found->second->capture->origin == found->second.get())
    found->second->capture->invalidated = true;
  if (ordered(*found->second, default_)) append(default_.tail, found->second->tail);
  if (checks_) checks_->remove_stream(found->second->line);
  freed_workspaces_.push_back(found->second->has_workspace);
  if (backlog_.empty()) retired_streams_.clear();
  retired_streams_.push_back(std::move(found->second));
  streams_.erase(found);
  memory_.objects().destroyed(handle);
  return Error::Success;
}

std::vector<std::shared_ptr<Capture>> Streams::active_captures() const {
  std::vector<std::shared_ptr<Capture>> out;
  const auto take = [&](const Stream& stream) {
    if (stream.capture && stream.capture->origin == &stream) out.push_back(stream.capture);
  };
  for (const auto& [handle, stream] : streams_) take(*stream);
  for (const auto& [thread, stream] : per_thread_) take(*stream);
  return out;
}

Error Streams::issue(Stream& stream, Operation operation) {
  if (stream.capture) {
    if (stream.capture->invalidated) return Error::StreamCaptureInvalidated;
    Node* node = stream.capture->target().add(std::move(operation), stream.frontier);
    if (checks_) node->made = checks_->place();
    stream.frontier = {node};
    return Error::Success;
  }
  if (&stream == &default_)
    for (const auto& capture : active_captures())
      if (!(capture->origin->flags & kNonBlocking)) {
        capture->invalidated = true;
        return Error::StreamCaptureImplicit;
      }
  backlog_.note_issue();
  std::optional<check::OperationMoment> moment;
  if (checks_) moment = checks_->issue(stream.line, stream.number, &operation);
  std::vector<Ticket> dependencies = pending_before(stream);
  if (dependencies.empty() && !callbacks_.may_wait(operation)) {
    const Error error = callbacks_.run(stream, operation, moment ? &*moment : nullptr);
    if (checks_ && is_synchronous(operation)) checks_->host_waits_for(stream.line);
    return error;
  }
  // Copy the graph: the program may change it before it has run.
  if (auto* child = std::get_if<ChildOperation>(&operation)) child->graph = std::make_shared<Graph>(*child->graph);
  auto* copy = dependencies.empty() ? nullptr : std::get_if<CopyOperation>(&operation);
  if (!copy) return queue(stream, std::move(operation), std::move(dependencies), std::move(moment));
  // The program may reuse pageable memory as soon as the call returns.
  const auto pageable = [&](const Box& box) { return memory_.describe(box.address).kind == PointerKind::Unregistered; };
  const bool to_pageable = pageable(copy->to);
  if (pageable(copy->from)) stage(*copy);
  if (const Error error = queue(stream, std::move(operation), std::move(dependencies), std::move(moment));
      error != Error::Success)
    return error;
  return to_pageable ? finish(stream) : Error::Success;
}

// A copy to pageable memory is done when its call returns, and so is one inside the host.
bool Streams::is_synchronous(const Operation& operation) const {
  const auto* copy = std::get_if<CopyOperation>(&operation);
  if (!copy) return false;
  return copy->kind == record::TransferKind::HostToHost ||
         memory_.describe(copy->to.address).kind == PointerKind::Unregistered;
}

// The legacy default stream is ordered with every blocking stream.
bool Streams::ordered(const Stream& earlier, const Stream& later) const {
  if (&earlier == &later) return true;
  if (&earlier == &default_) return !(later.flags & kNonBlocking);
  return &later == &default_ && !(earlier.flags & kNonBlocking);
}

std::vector<Ticket> Streams::pending_before(const Stream& stream) const {
  return backlog_.select([&](const Work& work) { return ordered(*work.stream, stream); });
}

std::optional<check::OperationMoment> Streams::next_moment(const Stream& stream) {
  if (!checks_) return std::nullopt;
  return checks_->issue(stream.line, stream.number, nullptr);
}

Error Streams::queue(Stream& stream, Operation operation, std::vector<Ticket> dependencies,
                     std::optional<check::OperationMoment> moment) {
  auto work = std::make_shared<Work>();
  work->stream = &stream;
  work->operation = std::move(operation);
  work->range = callbacks_.range();
  work->issuer = log_.thread();
  work->dependencies = std::move(dependencies);
  work->moment = std::move(moment);
  if (const auto* record = std::get_if<RecordOperation>(&work->operation)) record->event->pending = work;
  if (work->moment && has_host_function(work->operation)) work->late = checks_->expect_host_functions(*work->moment);
  return backlog_.add(std::move(work));
}

Error Streams::finish(Stream& stream) {
  if (!backlog_.empty()) backlog_.wait(pending_before(stream));
  log_.wait(tail_of(stream));
  if (checks_) checks_->host_waits_for(stream.line);
  return backlog_.take_late_error();
}

void Streams::finish_all() {
  if (!backlog_.empty()) backlog_.wait(backlog_.select([](const Work&) { return true; }));
  std::vector<uint32_t> all = default_.tail;
  for (const auto& [handle, stream] : streams_) append(all, stream->tail);
  for (const auto& [thread, stream] : per_thread_) append(all, stream->tail);
  log_.wait(std::move(all));
  if (checks_) checks_->host_waits_for_all();
}

std::vector<uint32_t> Streams::tail_of(const Stream& stream) const {
  std::vector<uint32_t> out = stream.tail;
  const auto follow = [&](const Stream& other) {
    if (&other != &stream && ordered(other, stream)) append(out, other.tail);
  };
  follow(default_);
  if (&stream != &default_) return out;
  for (const auto& [handle, other] : streams_) follow(*other);
  for (const auto& [thread, other] : per_thread_) follow(*other);
  return out;
}

void Streams::log(Stream& stream, timeline::Operation operation) {
  operation.stream = stream.number;
  operation.priority = stream.priority;
  operation.after = tail_of(stream);
  if (const uint32_t place = log_.add(std::move(operation)); place != timeline::kNone) stream.tail = {place};
}

void Streams::log_record(Event& event, Stream& stream, const timeline::Operation& at) {
  timeline::Operation mark = at;
  mark.kind = timeline::Kind::Mark;
  mark.stream = stream.number;
  const uint32_t place = log_.add(std::move(mark));
  if (place != timeline::kNone) event.mark = place;
}

void Streams::log_wait(Stream& stream, const Event& event) {
  if (event.recorded && event.mark) append(stream.tail, {*event.mark});
}

Error Streams::synchronize(Stream& stream) {
  if (!stream.capture) {
    const Error error = finish(stream);
    memory_.trim_pools();
    return error;
  }
  stream.capture->invalidated = true;
  return Error::StreamCaptureUnsupported;
}

Error Streams::synchronize_all() {
  if (const Error error = check_unsafe_call(); error != Error::Success) return error;
  finish_all();
  memory_.trim_pools();
  return backlog_.take_late_error();
}

Error Streams::query(Stream& stream) {
  if (stream.capture) return synchronize(stream);
  const std::vector<Ticket> pending = pending_before(stream);
  if (pending.empty()) return synchronize(stream);
  for (const Ticket& work : pending) backlog_.want(work);
  return Error::NotReady;
}

Error Streams::check_unsafe_call() {
  const auto mode = thread_modes_.find(std::this_thread::get_id());
  if (mode != thread_modes_.end() && mode->second == CaptureMode::Relaxed) return Error::Success;
  for (const auto& capture : active_captures()) {
    const bool mine = capture->thread == std::this_thread::get_id();
    if (capture->mode == CaptureMode::Global || (capture->mode == CaptureMode::ThreadLocal && mine)) {
      capture->invalidated = true;
      return Error::StreamCaptureUnsupported;
    }
  }
  return Error::Success;
}

Event* Streams::create_event(unsigned flags) {
  auto event = std::make_unique<Event>();
  event->flags = flags;
  Event* out = event.get();
  events_[out] = std::move(event);
  memory_.objects().created("an event", out);
  return out;
}

Event* Streams::find_event(const void* handle) const {
  const auto found = events_.find(handle);
  return found == events_.end() ? nullptr : found->second.get();
}

Error Streams::destroy_event(Event* event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return Error::InvalidResourceHandle;
  if (backlog_.empty()) retired_events_.clear();
  retired_events_.push_back(std::move(found->second));
  events_.erase(found);
  memory_.objects().destroyed(event);
  return Error::Success;
}

void Streams::stamp(Event& event) {
  event.recorded = true;
  event.capture.reset();
  event.nanoseconds = last_stamp_ = std::max(now_nanoseconds(), last_stamp_ + kTimerStep);
}

Error Streams::record(Event& event, Stream& stream) {
  if (!stream.capture) {
    event.capture.reset();
    if (checks_) event.order = checks_->now(stream.line);
    std::vector<Ticket> dependencies = pending_before(stream);
    if (!dependencies.empty()) return queue(stream, RecordOperation{&event}, std::move(dependencies));
    event.pending.reset();
    timeline::Operation mark;
    mark.thread = log_.thread();
    mark.after = tail_of(stream);
    log_record(event, stream, mark);
    stamp(event);
    return Error::Success;
  }
  if (stream.capture->invalidated) return Error::StreamCaptureInvalidated;
  event.capture = stream.capture;
  event.frontier = stream.frontier;
  return Error::Success;
}

Error Streams::wait(Stream& stream, Event& event) {
  if (!event.capture) {
    if (checks_ && !stream.capture) checks_->wait(stream.line, event.order);
    // A captured stream must not depend on work outside the graph.
    if (!stream.capture && event.pending && !event.pending->done) {
      std::vector<Ticket> dependencies = pending_before(stream);
      dependencies.push_back(event.pending);
      return queue(stream, WaitOperation{&event}, std::move(dependencies));
    }
    if (!stream.capture) log_wait(stream, event);
    if (!stream.capture || (!event.recorded && !event.pending)) return Error::Success;
    stream.capture->invalidated = true;
    return Error::StreamCaptureIsolation;
  }
  if (event.capture->invalidated) return Error::StreamCaptureInvalidated;
  if (&stream == &default_) return Error::StreamCaptureImplicit;
  if (stream.capture && stream.capture != event.capture) {
    stream.capture->invalidated = event.capture->invalidated = true;
    return Error::StreamCaptureMerge;
  }
  stream.capture = event.capture;
  for (Node* node : event.frontier)
    if (std::ranges::find(stream.frontier, node) == stream.frontier.end()) stream.frontier.push_back(node);
  return Error::Success;
}

Error Streams::query(Event& event) {
  if (!event.capture) {
    if (event.pending && !event.pending->done) {
      backlog_.want(event.pending);
      return Error::NotReady;
    }
    host_waits(event);
    return Error::Success;
  }
  event.capture->invalidated = true;
  return Error::CapturedEvent;
}

Error Streams::synchronize(Event& event) {
  if (const Error error = query(event); error != Error::NotReady) return error;
  backlog_.wait({event.pending});
  host_waits(event);
  memory_.trim_pools();
  return backlog_.take_late_error();
}

void Streams::host_waits(const Event& event) {
  if (event.recorded && event.mark) log_.wait({*event.mark});
  if (checks_) checks_->host_waits(event.order);
}

Error Streams::elapsed(float& milliseconds, const Event& start, const Event& end) {
  const auto known = [](const Event& event) { return event.timed() && (event.recorded || event.pending); };
  if (!known(start) || !known(end)) return Error::InvalidResourceHandle;
  for (const Event* event : {&start, &end})
    if (event->pending && !event->pending->done) return Error::NotReady;
  for (const Event* event : {&start, &end}) host_waits(*event);
  auto nanoseconds = int64_t(end.nanoseconds - start.nanoseconds);
  if (model_clock_ && start.mark && end.mark)
    nanoseconds = std::llround(log_.end_ns(*end.mark) - log_.end_ns(*start.mark));
  // The modelled clock stands still between two records without work: programs divide by what they get.
  if (nanoseconds == 0 && &start != &end) nanoseconds = kTimerStep;
  milliseconds = static_cast<float>(double(nanoseconds) * 1e-6);
  return Error::Success;
}

Error Streams::begin_capture(Stream& stream, CaptureMode mode, Graph* into, std::vector<Node*> dependencies) {
  if (&stream == &default_) return Error::StreamCaptureUnsupported;
  if (stream.capture) return Error::IllegalState;
  auto capture = std::make_shared<Capture>();
  capture->id = next_capture_++;
  capture->graph = std::make_shared<Graph>(memory_);
  capture->into = into;
  capture->origin = &stream;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  stream.capture = std::move(capture);
  stream.frontier = std::move(dependencies);
  return Error::Success;
}

Error Streams::end_capture(Stream& stream, std::shared_ptr<Graph>& graph, Graph*& into) {
  graph.reset();
  into = nullptr;
  const std::shared_ptr<Capture> capture = stream.capture;
  if (!capture) return Error::IllegalState;
  if (capture->origin != &stream) return Error::StreamCaptureUnmatched;
  if (capture->mode != CaptureMode::Relaxed && capture->thread != std::this_thread::get_id())
    return Error::StreamCaptureWrongThread;

  // Streams that joined the capture must join back: every node must be a dependency of the origin's frontier.
  std::vector<const Node*> needed(stream.frontier.begin(), stream.frontier.end());
  for (size_t i = 0; i < needed.size(); ++i)
    for (const Node* before : needed[i]->dependencies)
      if (std::ranges::find(needed, before) == needed.end()) needed.push_back(before);
  bool unjoined = false;
  const auto leave = [&](Stream& member) {
    if (member.capture != capture) return;
    if (&member != &stream)
      for (const Node* node : member.frontier) unjoined |= std::ranges::find(needed, node) == needed.end();
    member.capture.reset();
    member.frontier.clear();
  };
  for (const auto& [handle, member] : streams_) leave(*member);
  for (const auto& [thread, member] : per_thread_) leave(*member);

  into = capture->into;
  if (!into) graph = capture->graph;
  if (capture->invalidated) return Error::StreamCaptureInvalidated;
  if (unjoined) return Error::StreamCaptureUnjoined;
  return Error::Success;
}

CaptureInfo Streams::capture_info(const Stream& stream) const {
  if (!stream.capture) return {};
  Capture& capture = *stream.capture;
  if (capture.invalidated) return {CaptureStatus::Invalidated, capture.id, nullptr, nullptr};
  return {CaptureStatus::Active, capture.id, &capture.target(), &stream.frontier};
}

Error Streams::set_frontier(Stream& stream, std::vector<Node*> nodes, bool replace) {
  if (!stream.capture) return Error::IllegalState;
  for (const Node* node : nodes)
    if (!stream.capture->target().owns(node)) return Error::InvalidValue;
  if (replace) stream.frontier.clear();
  for (Node* node : nodes)
    if (std::ranges::find(stream.frontier, node) == stream.frontier.end()) stream.frontier.push_back(node);
  return Error::Success;
}

CaptureMode Streams::exchange_mode(CaptureMode mode) {
  CaptureMode& mine = thread_modes_.try_emplace(std::this_thread::get_id(), CaptureMode::Global).first->second;
  return std::exchange(mine, mode);
}

void Streams::reset() {
  if (checks_) {
    checks_->host_waits_for_all();
    for (const auto& [handle, stream] : streams_) checks_->remove_stream(stream->line);
    for (const auto& [thread, stream] : per_thread_) checks_->remove_stream(stream->line);
  }
  streams_.clear();
  events_.clear();
  per_thread_.clear();
  retired_streams_.clear();
  freed_workspaces_.clear();
  retired_events_.clear();
  default_ = Stream{};
}

}  // namespace drywarp::cuda
