// `drywarp occupancy`: the occupancy of kernels on a device, in any format.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/device/occupancy.h"
#include "base/device/occupancy_study.h"
#include "base/events/counts.h"
#include "profile/record/profile.h"
#include "profile/report/writers/report.h"

namespace drywarp::report {

// A kernel with a launch configuration, launched or hypothetical.
struct OccupancyCase {
  std::string kernel;  // demangled; empty: numbers without a kernel
  device::OccupancyRequest request;
  std::optional<KernelResources> resources;  // source of the registers, spills; none: the user gave the numbers
  uint64_t local_bytes = 0;                  // per thread
  uint32_t block_limit = 0;                  // the most threads per block that the kernel allows; 0: the device's
  std::optional<record::Extent> block;       // as launched; none: `request.threads_per_block` only
  std::optional<uint64_t> grid;              // blocks; none: not known
  uint64_t launches = 0;                     // with this configuration; 0: not launched
  bool suggested_block = false;              // no block size was given: this one has the most warps
};

struct OccupancyOptions {
  bool charts = false;   // text: draw the sweeps; csv and json: list them
  bool unicode = false;  // text
  bool colour = false;
};

struct OccupancyAnswer;
using OccupancyFormat = OutputFormat<device::DeviceSpec, std::vector<OccupancyAnswer>, OccupancyOptions>;
using OccupancyFormats = Formats<device::DeviceSpec, std::vector<OccupancyAnswer>, OccupancyOptions>;
// Format version 1 of the json: docs/occupancy.md.
[[nodiscard]] const OccupancyFormats& occupancy_formats();
void write_occupancy(std::ostream& out, const OccupancyFormat& format, const device::DeviceSpec& device,
                     const std::vector<OccupancyCase>& cases, const OccupancyOptions& options);

// ---- for the writers: the answers for one case, computed once

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
  std::optional<device::BlockStep> better_block, smallest_best_block;
  device::Headroom headroom;
  device::PotentialBlockSize best;  // cudaOccupancyMaxPotentialBlockSize
  device::Occupancy best_occupancy;
  std::optional<device::Waves> waves;
};

[[nodiscard]] OccupancyAnswer answer(const device::DeviceSpec& device, const OccupancyCase& question);

void write_occupancy_csv(std::ostream& out, const device::DeviceSpec& device,
                         const std::vector<OccupancyAnswer>& answers, const OccupancyOptions& options);
void write_occupancy_json(std::ostream& out, const device::DeviceSpec& device,
                          const std::vector<OccupancyAnswer>& answers, const OccupancyOptions& options);
void write_occupancy_text(std::ostream& out, const device::DeviceSpec& device,
                          const std::vector<OccupancyAnswer>& answers, const OccupancyOptions& options);

}  // namespace drywarp::report
