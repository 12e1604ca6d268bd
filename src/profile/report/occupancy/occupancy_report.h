// `drywarp occupancy`: the occupancy of kernels on a device, in any format.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/device/occupancy.h"
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
  std::optional<Extent> block;               // as launched; none: `request.threads_per_block` only
  std::optional<uint64_t> grid;              // blocks; none: not known
  uint64_t launches = 0;                     // with this configuration; 0: not launched
  bool suggested_block = false;              // no block size was given: this one has the most warps
};

struct OccupancyOptions {
  Format format = Format::Text;
  bool charts = false;   // text: draw the sweeps; csv and json: list them
  bool unicode = false;  // text
  bool colour = false;
};

// Format version 1 of the json: docs/occupancy.md.
void write_occupancy(std::ostream& out, const device::DeviceSpec& device, const std::vector<OccupancyCase>& cases,
                     const OccupancyOptions& options);

}  // namespace drywarp::report
