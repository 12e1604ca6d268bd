// The tables of streams and events, what is issued to them, and stream capture. Operations run when they are issued (or
// become nodes of the graph that is being captured); that order is always a legal one. Only behind work that waits for
// the host do they queue.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "cuda/streams/backlog.h"
#include "cuda/streams/stream.h"

namespace drywarp::cuda {

// Handles with a meaning of their own; any other handle is a Stream's address.
inline constexpr uint64_t kDefaultStream = 0, kLegacyStream = 1, kPerThreadStream = 2;

struct CaptureInfo {
  CaptureStatus status = CaptureStatus::None;
  uint64_t id = 0;
  Graph* graph = nullptr;
  const std::vector<Node*>* frontier = nullptr;
};

class Streams {
 public:
  // The session's, which knows kernels and keeps time.
  struct Doer {
    std::function<Error(Stream&, const Operation&)> run;  // in the calling thread
    std::function<bool(const Operation&)> may_wait;       // for the host
    std::function<std::string()> range;                   // NVTX ranges open in the calling thread
  };
  Streams(Doer doer, Backlog& backlog, Memory& memory);

  // null: no such stream
  Stream* find(uint64_t handle);
  Stream* create(unsigned flags, int priority);
  Error destroy(uint64_t handle);

  // Runs the operation, queues it, or appends it to the graph the stream is captured into.
  Error issue(Stream& stream, Operation operation);
  // For calls that wait for a stream or a whole device: not allowed on captured streams.
  Error synchronize(Stream& stream);
  Error synchronize_all();
  Error query(Stream& stream);  // NotReady while anything issued to it is not done
  // The same without a word on captures: for calls that wait on the way to something else.
  Error finish(Stream& stream);
  void finish_all();
  // For calls such as cudaMalloc that a capture in global mode forbids.
  Error allow_unsafe_call();

  Event* create_event(unsigned flags);
  Event* find_event(const void* handle) const;
  Error destroy_event(Event* event);
  Error record(Event& event, Stream& stream);
  Error wait(Stream& stream, Event& event);
  Error query(Event& event);
  Error synchronize(Event& event);
  // Milliseconds between two records: the time that this machine took for the work between them, always above zero for
  // a later record. It is not a prediction of the GPU's time.
  Error elapsed(float& milliseconds, const Event& start, const Event& end) const;
  void stamp(Event& event);

  Error begin_capture(Stream& stream, CaptureMode mode, Graph* into, std::vector<Node*> dependencies);
  // `graph`: what was captured, of use only with Success; null if it went into the program's own graph.
  Error end_capture(Stream& stream, std::shared_ptr<Graph>& graph, Graph*& into);
  [[nodiscard]] CaptureInfo capture_info(const Stream& stream) const;
  Error set_frontier(Stream& stream, std::vector<Node*> nodes, bool replace);
  CaptureMode exchange_mode(CaptureMode mode);

  void reset();

 private:
  [[nodiscard]] std::vector<std::shared_ptr<Capture>> active_captures() const;
  [[nodiscard]] bool ordered(const Stream& earlier, const Stream& later) const;
  [[nodiscard]] std::vector<Ticket> before(const Stream& stream) const;
  Error queue(Stream& stream, Operation operation, std::vector<Ticket> behind);
  Doer doer_;
  Backlog& backlog_;
  Memory& memory_;
  Stream default_;
  std::map<std::thread::id, std::unique_ptr<Stream>> per_thread_;
  std::map<uint64_t, std::unique_ptr<Stream>> streams_;
  std::map<const void*, std::unique_ptr<Event>> events_;
  std::map<std::thread::id, CaptureMode> thread_modes_;
  // Destroyed by the program while work of theirs was not done.
  std::vector<std::unique_ptr<Stream>> retired_streams_;
  std::vector<std::unique_ptr<Event>> retired_events_;
  uint32_t next_number_ = 1;
  uint64_t next_capture_ = 1;
  uint64_t last_stamp_ = 0;
};

}  // namespace drywarp::cuda
