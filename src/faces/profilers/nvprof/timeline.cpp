#include "faces/profilers/nvprof/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "profile/record/copy_time.h"
#include "profile/report/model/model.h"

namespace drywarp::profilers::nvprof {
namespace {

// An operation runs inside the call that issues it: the innermost call around the start. Nothing: it waited, and its
// call had returned.
const Call* issuer(const std::vector<Call>& calls, double start) {
  const auto after = std::ranges::upper_bound(calls, start, {}, &Call::start);
  constexpr int kOpen = 64;  // calls of other threads may lie between
  auto at = after;
  for (int i = 0; i < kOpen && at != calls.begin(); ++i)
    if (--at; start <= at->start + at->seconds) return &*at;
  return nullptr;
}

std::string name_of(const record::TransferRecord& t) {
  return t.kind == record::TransferKind::Memset ? "[CUDA memset]"
                                                : fmt::format("[CUDA memcpy {}]", report::name(t.kind));
}

}  // namespace

std::string kernel_name(const KernelInfo& kernel, bool demangle) {
  return demangle && !kernel.display_name.empty() ? kernel.display_name : kernel.name;
}

std::string device_label(const Timeline& timeline) { return timeline.device + " (0)"; }

Timeline timeline(const record::Profile& profile, const device::DeviceSpec& device, bool demangle) {
  Timeline out;
  out.device = profile.device;
  out.pageable_is_timed = device.timing.copies.pageable_to_device_bytes_per_second.has_value();
  for (const record::ApiRecord& call : profile.api_calls)
    out.calls.push_back({std::max(call.start_seconds, 0.0), call.host_seconds, call.name, 0, ""});
  std::ranges::sort(out.calls, {}, [](const Call& c) { return std::pair(c.start, -c.seconds); });
  for (size_t i = 0; i < out.calls.size(); ++i) out.calls[i].correlation = i + 1;

  for (const record::LaunchRecord& launch : profile.launches) {
    if (!launch.counted) continue;
    Activity a;
    a.start = launch.start_seconds;
    if (launch.time) a.seconds = launch.time->summary.duration_ns * 1e-9;
    a.name = kernel_name(*profile.kernels[launch.kernel], demangle);
    a.launch = &launch;
    out.activities.push_back(std::move(a));
  }
  for (const record::TransferRecord& transfer : profile.transfers) {
    Activity a;
    a.start = transfer.start_seconds;
    // What the host stages before the link begins is no part of the duration.
    const bool staged = !transfer.pinned && transfer.bytes > device.timing.copies.staged_bytes.value_or(0);
    a.seconds = record::copy_seconds(device, transfer.kind, transfer.bytes, staged);
    a.name = name_of(transfer);
    a.transfer = &transfer;
    out.activities.push_back(std::move(a));
  }
  std::ranges::sort(out.activities, {}, [](const Activity& a) { return std::tie(a.start, a.name); });
  for (Activity& a : out.activities) {
    const Call* call = issuer(out.calls, a.start);
    if (!call) continue;
    a.correlation = call->correlation;
    // A call that launches a graph launches many.
    if (a.launch && call->name.find("Graph") == std::string::npos) out.calls[call->correlation - 1].kernel = a.name;
  }
  return out;
}

}  // namespace drywarp::profilers::nvprof
