#include "profile/record/copy_time.h"

#include <algorithm>

namespace drywarp::record {
namespace {

struct Path {
  std::optional<double> latency_ns, bytes_per_second;
  unsigned traffic = 0;  // bytes of device memory moved for a byte copied; 0: the link to the host decides
};

Path path_of(const device::CopyNumbers& n, TransferKind kind) {
  switch (kind) {
    case TransferKind::HostToDevice:
      return {n.to_device_latency, n.to_device_bytes_per_second, 0};
    case TransferKind::DeviceToHost:
      return {n.to_host_latency, n.to_host_bytes_per_second, 0};
    case TransferKind::DeviceToDevice:
      return {n.inside_latency, n.inside_bytes_per_second, 2};
    case TransferKind::Memset:
      return {n.memset_latency, n.memset_bytes_per_second, 1};
    case TransferKind::HostToHost:
      break;
  }
  return {};
}

}  // namespace

bool waits_for_host(const device::DeviceSpec& device, TransferKind kind, uint64_t bytes) {
  return kind == TransferKind::DeviceToHost || bytes > device.timing.copies.unwaited_bytes.value_or(0);
}

std::optional<double> copy_seconds(const device::DeviceSpec& device, TransferKind kind, uint64_t bytes, bool pageable) {
  const device::CopyNumbers& numbers = device.timing.copies;
  Path path = path_of(numbers, kind);
  const double peak = 2e3 * device.memory_clock_khz * device.memory_bus_bits / 8;  // two transfers a clock
  if (!path.bytes_per_second && path.traffic != 0 && peak > 0) path.bytes_per_second = peak / path.traffic;
  if (!path.bytes_per_second) return std::nullopt;
  const double latency = path.latency_ns.value_or(0) * 1e-9;
  const std::optional<double> host = kind == TransferKind::HostToDevice   ? numbers.pageable_to_device_bytes_per_second
                                     : kind == TransferKind::DeviceToHost ? numbers.pageable_to_host_bytes_per_second
                                                                          : std::optional<double>();
  if (!pageable || !host) return latency + double(bytes) / *path.bytes_per_second;
  const uint64_t piece = std::min<uint64_t>(bytes, numbers.staged_bytes.value_or(0));
  return latency + double(piece) / *path.bytes_per_second + double(bytes) / *host;
}

}  // namespace drywarp::record
