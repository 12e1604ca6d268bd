// The occupancy of a kernel's costliest launch, and how it would change with each of the resources.
#include "base/device/occupancy_study.h"
#include "profile/document/parts.h"
#include "profile/report/model/launch_occupancy.h"

namespace drywarp::document {
namespace {

using device::Occupancy;

constexpr std::array<const char*, device::kOccupancyLimiters> kLimiters = {"warps", "blocks", "registers", "shared",
                                                                           "barriers"};

Json curve(const device::DeviceSpec& device, const device::OccupancyRequest& request, device::SweepAxis axis) {
  Json points = Json::array();
  for (const device::SweepPoint& p : device::sweep(device, request, axis))
    points.push_back({p.value, report::number(100.0 * p.warps / device.max_warps_per_multiprocessor())});
  return points;
}

Json waves_json(const device::DeviceSpec& device, const Occupancy& occupancy, uint64_t grid) {
  const auto waves = device::waves(device, occupancy.blocks, grid);
  if (!waves) return nullptr;
  return {{"waves", report::number(waves->waves)},
          {"blocks_a_wave", waves->blocks_a_wave},
          {"full", waves->full},
          {"tail_blocks", waves->tail},
          {"idle_sms", waves->idle_sms},
          {"slots_used", report::number(100 * waves->slots_used)}};
}

}  // namespace

Json occupancy_json(const Subject& s, const report::KernelModel& kernel) {
  if (!s.device || !kernel.costliest) return nullptr;
  const record::LaunchRecord& launch = *kernel.costliest;
  const device::DeviceSpec& device = *s.device;
  const device::OccupancyRequest request = report::occupancy_request(device, *s.profile.kernels[launch.kernel], launch);
  const Occupancy occupancy = device::occupancy(device, request);
  Json limits = Json::object(), limiters = Json::array();
  for (unsigned i = 0; i < device::kOccupancyLimiters; ++i) {
    limits[kLimiters[i]] = occupancy.limit[i] == Occupancy::kUnlimited ? Json() : Json(occupancy.limit[i]);
    if (occupancy.limited_by(device::OccupancyLimiter(i))) limiters.push_back(kLimiters[i]);
  }
  return {{"launch", &launch - s.profile.launches.data()},
          {"theoretical", report::number(100 * occupancy.fraction)},
          {"achieved", launch.time ? report::number(launch.time->summary.achieved_occupancy_pct) : Json()},
          {"warps", occupancy.warps},
          {"blocks", occupancy.blocks},
          {"limiter", limiters.empty() ? Json() : limiters.front()},
          {"limiters", std::move(limiters)},
          {"limits", std::move(limits)},
          {"point",
           {{"threads", request.threads_per_block},
            {"registers", request.registers_per_thread},
            {"shared_bytes", request.static_shared_bytes + request.dynamic_shared_bytes}}},
          {"by_threads", curve(device, request, device::SweepAxis::BlockSize)},
          {"by_registers", curve(device, request, device::SweepAxis::Registers)},
          {"by_shared", curve(device, request, device::SweepAxis::SharedMemory)},
          {"waves", waves_json(device, occupancy, launch.grid.count())}};
}

}  // namespace drywarp::document
