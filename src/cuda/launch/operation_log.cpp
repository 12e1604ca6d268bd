#include "cuda/launch/operation_log.h"

#include <algorithm>

#include "profile/record/operations.h"

namespace drywarp::cuda {

OperationLog::OperationLog(const device::DeviceSpec& device, Recorder& recorder, bool model_clock)
    : device_(device), recorder_(recorder) {
  if (model_clock) simulator_.emplace(record::timeline_numbers(device));
  recorder_.operation_numbers(record::timeline_numbers(device));
}

uint32_t OperationLog::thread() {
  return threads_.try_emplace(std::this_thread::get_id(), uint32_t(threads_.size())).first->second;
}

double OperationLog::call_ns(const timeline::Operation& operation) const {
  const device::CallNumbers& calls = device_.timing.calls;
  if (operation.kind == timeline::Kind::Kernel) return calls.launch_ns.value_or(0);
  if (is_copy(operation.kind)) return calls.copy_ns.value_or(0);
  return operation.kind == timeline::Kind::Mark ? calls.event_ns.value_or(0) : 0;
}

uint32_t OperationLog::add(timeline::Operation operation) {
  if (!simulator_ && !recorder_.writing()) return timeline::kNone;
  if (!operation.in_graph) operation.host_ns += call_ns(operation);
  std::ranges::sort(operation.after);
  const auto [first, last] = std::ranges::unique(operation.after);
  operation.after.erase(first, last);
  recorder_.operation(operation);
  if (simulator_) (void)simulator_->add(operation);
  return next_++;
}

void OperationLog::wait(std::vector<uint32_t> after) {
  if (after.empty()) return;
  const uint32_t waiting = thread();
  std::vector<uint32_t>& last = waited_[waiting];
  if (last == after) return;
  last = after;
  timeline::Operation operation;
  operation.kind = timeline::Kind::Wait;
  operation.thread = waiting;
  operation.after = std::move(after);
  (void)add(std::move(operation));
}

}  // namespace drywarp::cuda
