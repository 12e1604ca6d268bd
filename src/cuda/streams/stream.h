// Streams and events. A stream has no queue: most operations run when they are issued, and pending ones are in the
// session's Backlog.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "cuda/graphs/graph.h"
#include "engine/check/operation_order.h"

namespace drywarp::cuda {

enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };  // cudaStreamCaptureMode's numbers
enum class CaptureStatus : int { None = 0, Active = 1, Invalidated = 2 };   // cudaStreamCaptureStatus's numbers

struct Stream;
struct Work;

// One cudaStreamBeginCapture ... cudaStreamEndCapture. Streams join it by waiting for an event recorded in it.
struct Capture {
  uint64_t id = 0;
  std::shared_ptr<Graph> graph;
  Graph* into = nullptr;  // cudaStreamBeginCaptureToGraph: the program's own graph; else null
  Stream* origin = nullptr;
  CaptureMode mode = CaptureMode::Global;
  std::thread::id thread;
  bool invalidated = false;
  [[nodiscard]] Graph& target() { return into ? *into : *graph; }
};

struct Stream {
  uint32_t number = 0;  // as reports show it; 0: the default stream
  unsigned flags = 0;
  int priority = 0;
  std::map<int, std::vector<uint8_t>> attributes;  // cudaStreamSetAttribute: values as given, by number
  std::shared_ptr<Capture> capture;                // null: not captured
  std::vector<Node*> frontier;                     // while captured: dependencies of the next operation
  std::vector<uint32_t> tail;                      // OperationLog's: what the next operation is after
  uint32_t line = 0;                               // OperationChecks'
  bool has_workspace = false;                      // a cooperative launch has run, no node of a graph
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  uint64_t nanoseconds = 0;          // time of the record, on this machine's clock
  std::optional<uint32_t> mark;      // the record in the OperationLog
  std::shared_ptr<Work> pending;     // the record, if it was queued; else null
  std::shared_ptr<Capture> capture;  // of the last record, if its stream was captured
  std::vector<Node*> frontier;
  check::OperationClock order;  // what is before the last record, with OperationChecks
  static constexpr unsigned kBlockingSync = 1, kDisableTiming = 2, kInterprocess = 4;
  [[nodiscard]] bool timed() const { return !(flags & kDisableTiming); }
};

}  // namespace drywarp::cuda
