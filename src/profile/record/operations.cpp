#include "profile/record/operations.h"

#include <algorithm>

namespace drywarp::record {

timeline::Numbers timeline_numbers(const device::DeviceSpec& device) {
  const device::CallNumbers& calls = device.timing.calls;
  timeline::Numbers out;
  out.submit_ns = calls.submit_ns.value_or(0);
  out.wake_ns = calls.wake_ns.value_or(0);
  out.kernel_gap_ns = calls.kernel_gap_ns.value_or(0);
  out.dependency_gap_ns = calls.dependency_gap_ns.value_or(0);
  out.copy_gap_ns = calls.copy_gap_ns.value_or(0);
  out.both_ways_share = device.timing.copies.both_ways_share.value_or(1);
  out.graph_gap_ns = calls.graph_gap_ns.value_or(0);
  out.mark_ns = calls.mark_ns.value_or(0);
  return out;
}

double kernel_ns(const sm::Summary& launch, const device::DeviceSpec& device) {
  return std::max(launch.duration_ns - device.timing.calls.counted_ns.value_or(0), 0.0);
}

timeline::Shape shape_of(const sm::Summary& launch, const device::DeviceSpec& device) {
  timeline::Shape out;
  out.blocks = std::max(launch.blocks, 1.0);
  out.slots = std::max(launch.blocks_per_sm * launch.sms, 1.0);
  out.overhead_ns = std::max(launch.launch_overhead_ns - device.timing.calls.counted_ns.value_or(0), 0.0);
  const double issue = launch.issue_active_pct * launch.scheduler_active_pct / 100;
  out.sm_share = std::max({launch.sm_pct, launch.l1_pct, issue}) / 100;
  // DRAM's percentage is of the peak of its pins, which no kernel reaches.
  double reached = 1;
  if (const auto& most = device.timing.dram.read_bytes_per_second; most && launch.peak_dram_bytes > 0)
    reached = std::min(double(*most) / launch.peak_dram_bytes, 1.0);
  out.memory_share = std::max(launch.dram_pct / reached, launch.l2_pct) / 100;
  return out;
}

timeline::Kind kind_of(TransferKind kind) {
  switch (kind) {
    case TransferKind::HostToDevice:
      return timeline::Kind::ToDevice;
    case TransferKind::DeviceToHost:
      return timeline::Kind::ToHost;
    case TransferKind::DeviceToDevice:
      return timeline::Kind::Inside;
    case TransferKind::Memset:
      return timeline::Kind::Fill;
    case TransferKind::HostToHost:
      break;
  }
  return timeline::Kind::Mark;
}

}  // namespace drywarp::record
