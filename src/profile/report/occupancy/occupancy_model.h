// The answers for one case, computed once for every writer of occupancy_report.h.
#pragma once

#include <string>
#include <vector>

#include "base/device/occupancy_study.h"
#include "profile/report/occupancy/occupancy_report.h"

namespace drywarp::report {

// One resource of a multiprocessor.
struct ResourceRow {
  device::OccupancyLimiter limiter{};
  std::string name;      // "registers"
  std::string takes;     // "48 a thread, 1536 a warp"
  std::string capacity;  // "65536"
  std::string room;      // "42.67 warps", not rounded to blocks; may be empty
  uint32_t blocks = 0, warps = 0;
  bool limits = false, unused = false;
};

struct OccupancyAnswer {
  const OccupancyCase* question = nullptr;  // not owned
  device::Occupancy occupancy;
  uint32_t warps_per_block = 0;
  std::vector<ResourceRow> rows;
  std::vector<std::string> limiters;
  std::optional<device::NextStep> next;
  std::optional<device::BlockStep> better_block;
  device::Headroom headroom;
  device::PotentialBlockSize best;  // cudaOccupancyMaxPotentialBlockSize
  device::Occupancy best_occupancy;
  std::optional<device::Waves> waves;
};

[[nodiscard]] OccupancyAnswer answer(const device::DeviceSpec& device, const OccupancyCase& question);

void write_occupancy_csv(std::ostream& out, const device::DeviceSpec& device,
                         const std::vector<OccupancyAnswer>& answers, bool sweeps);
void write_occupancy_json(std::ostream& out, const device::DeviceSpec& device,
                          const std::vector<OccupancyAnswer>& answers, bool sweeps);
void write_occupancy_text(std::ostream& out, const device::DeviceSpec& device,
                          const std::vector<OccupancyAnswer>& answers, const OccupancyOptions& options);

}  // namespace drywarp::report
