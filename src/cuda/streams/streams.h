// Streams, events and stream capture. Operations run when they are issued, which is always a legal order, or become
// nodes of the captured graph. They queue only behind work that waits for the host.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "cuda/launch/operation_checks.h"
#include "cuda/launch/operation_log.h"
#include "cuda/streams/backlog.h"
#include "cuda/streams/stream.h"

namespace drywarp::cuda {

// Special handles; any other handle is a Stream's address.
inline constexpr uint64_t kDefaultStream = 0, kLegacyStream = 1, kPerThreadStream = 2;

struct CaptureInfo {
  CaptureStatus status = CaptureStatus::None;
  uint64_t id = 0;
  Graph* graph = nullptr;
  const std::vector<Node*>* frontier = nullptr;
};

class Streams {
 public:
  // Callbacks to the session, which can run operations.
  struct Callbacks {
    // In the calling thread. The moment is null without checks.
    std::function<Error(Stream&, const Operation&, const check::OperationMoment*)> run;
    std::function<bool(const Operation&)> may_wait;  // for the host
    std::function<std::string()> range;              // NVTX ranges open in the calling thread
  };
  Streams(Callbacks callbacks, Backlog& backlog, Memory& memory, OperationLog& log);

  // null if there is no such stream
  Stream* find(uint64_t handle);
  Stream* create(unsigned flags, int priority);
  Error destroy(uint64_t handle);

  // Runs the operation, queues it, or appends it to the graph the stream is captured into.
  Error issue(Stream& stream, Operation operation);
  // Wait for a stream or the device; not allowed for captured streams.
  Error synchronize(Stream& stream);
  Error synchronize_all();
  Error query(Stream& stream);  // NotReady while work of the stream is pending
  // The same without the check for captures: for calls that wait internally.
  Error finish(Stream& stream);
  void finish_all();
  // Checks calls such as cudaMalloc, which a capture in global mode forbids.
  Error check_unsafe_call();

  Event* create_event(unsigned flags);
  Event* find_event(const void* handle) const;
  Error destroy_event(Event* event);
  Error record(Event& event, Stream& stream);
  Error wait(Stream& stream, Event& event);
  Error query(Event& event);
  Error synchronize(Event& event);
  // Milliseconds between two records: on this machine, or on the modelled clock. Greater than zero if `end` was
  // recorded later on this machine; never zero for two events.
  Error elapsed(float& milliseconds, const Event& start, const Event& end);
  void stamp(Event& event);  // on this machine's clock

  // Events answer with times of OperationLog.
  void use_model_clock() { model_clock_ = true; }
  // Tells checks of the order of operations; null: none. Set before the first stream.
  void tell(OperationChecks* checks) { checks_ = checks; }
  // The next operation of a stream that is no Operation: with checks, its moment.
  [[nodiscard]] std::optional<check::OperationMoment> next_moment(const Stream& stream);
  // Logs an operation behind the stream's others, and those that the default stream orders.
  void log(Stream& stream, timeline::Operation operation);
  // Logs the record of an event, or that later operations of a stream are after it.
  void log_record(Event& event, Stream& stream, const timeline::Operation& at);
  void log_wait(Stream& stream, const Event& event);
  [[nodiscard]] std::vector<uint32_t> tail_of(const Stream& stream) const;

  Error begin_capture(Stream& stream, CaptureMode mode, Graph* into, std::vector<Node*> dependencies);
  // `graph`: the captured graph, valid only with Success; null if the capture went into the program's graph `into`.
  Error end_capture(Stream& stream, std::shared_ptr<Graph>& graph, Graph*& into);
  [[nodiscard]] CaptureInfo capture_info(const Stream& stream) const;
  Error set_frontier(Stream& stream, std::vector<Node*> nodes, bool replace);
  CaptureMode exchange_mode(CaptureMode mode);

  void reset();

 private:
  [[nodiscard]] std::vector<std::shared_ptr<Capture>> active_captures() const;
  [[nodiscard]] bool ordered(const Stream& earlier, const Stream& later) const;
  [[nodiscard]] bool is_synchronous(const Operation& operation) const;
  [[nodiscard]] std::vector<Ticket> pending_before(const Stream& stream) const;
  Error queue(Stream& stream, Operation operation, std::vector<Ticket> dependencies,
              std::optional<check::OperationMoment> moment = std::nullopt);
  void host_waits(const Event& event);
  Callbacks callbacks_;
  Backlog& backlog_;
  Memory& memory_;
  OperationLog& log_;
  OperationChecks* checks_ = nullptr;
  Stream default_;
  std::map<std::thread::id, std::unique_ptr<Stream>> per_thread_;
  std::map<uint64_t, std::unique_ptr<Stream>> streams_;
  std::map<const void*, std::unique_ptr<Event>> events_;
  std::map<std::thread::id, CaptureMode> thread_modes_;
  // Whether the streams that were destroyed had memory for barriers of the grid, but for those whose place later
  // streams have taken: a GPU gives a new stream what the last one had.
  std::vector<bool> freed_workspaces_;
  // Destroyed by the program while they had pending work.
  std::vector<std::unique_ptr<Stream>> retired_streams_;
  std::vector<std::unique_ptr<Event>> retired_events_;
  uint32_t next_number_ = 1;
  uint64_t next_capture_ = 1;
  uint64_t last_stamp_ = 0;
  bool model_clock_ = false;
};

}  // namespace drywarp::cuda
