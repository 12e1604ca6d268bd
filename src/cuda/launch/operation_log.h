// What the program asks of the GPU, operation by operation: recorded in the profile, and timed as it goes if the
// program's events are to have modelled times.
#pragma once

#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "cuda/launch/recorder.h"
#include "model/timeline/simulator.h"

namespace drywarp::cuda {

// Call with the session's lock held.
class OperationLog {
 public:
  OperationLog(const device::DeviceSpec& device, Recorder& recorder, bool model_clock);
  OperationLog(const OperationLog&) = delete;
  OperationLog& operator=(const OperationLog&) = delete;

  // Its place, which later operations name in `after`; kNone: nobody wants to know. Sets the time of the call and the
  // thread, unless it has one.
  uint32_t add(timeline::Operation operation);
  // The host waits for operations. Again for the same ones takes no time.
  void wait(std::vector<uint32_t> after);
  // When the operation has ended, in nanoseconds; only with the model's clock.
  [[nodiscard]] double end_ns(uint32_t operation) { return simulator_ ? simulator_->end(operation).end : 0; }
  [[nodiscard]] const device::DeviceSpec& device() const { return device_; }
  // The calling thread's number.
  [[nodiscard]] uint32_t thread();

 private:
  [[nodiscard]] double call_ns(const timeline::Operation& operation) const;
  const device::DeviceSpec& device_;
  Recorder& recorder_;
  std::optional<timeline::Simulator> simulator_;
  uint32_t next_ = 0;
  std::map<std::thread::id, uint32_t> threads_;
  std::map<uint32_t, std::vector<uint32_t>> waited_;  // by thread: for what it waited last
};

}  // namespace drywarp::cuda
