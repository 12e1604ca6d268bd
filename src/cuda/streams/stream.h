// Streams and events. Nearly everything runs when it is issued, so a stream has no queue of its own (what is not done
// stands in the session's Backlog): it knows its number, and, while it is captured, which graph its operations go to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "cuda/graphs/graph.h"

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
  uint32_t number = 0;  // 0: the default stream; what reports show
  unsigned flags = 0;
  int priority = 0;
  std::map<int, std::vector<uint8_t>> attributes;  // cudaStreamSetAttribute: values as given, by number
  std::shared_ptr<Capture> capture;                // null: not captured
  std::vector<Node*> frontier;                     // while captured: what the next operation depends on
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  uint64_t nanoseconds = 0;          // when the work before it was done, on this machine's clock
  std::shared_ptr<Work> pending;     // the record, if it had to wait; else null
  std::shared_ptr<Capture> capture;  // last recorded in a captured stream
  std::vector<Node*> frontier;
  static constexpr unsigned kBlockingSync = 1, kDisableTiming = 2, kInterprocess = 4;
  [[nodiscard]] bool timed() const { return !(flags & kDisableTiming); }
};

}  // namespace drywarp::cuda
