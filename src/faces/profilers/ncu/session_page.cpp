#include <fmt/format.h>

#include <ostream>

#include "base/device/device_spec.h"
#include "faces/profilers/ncu/layout.h"

namespace drywarp::profilers::ncu {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// Cells of at most 120 columns, as Nsight Compute cuts them.
void write_table(std::ostream& out, const char* title, const char* left, const char* right, const Rows& rows) {
  constexpr size_t kWidth = 120;
  TextTable table{{left, right}, {}, TableStyle::List};
  for (const auto& row : rows)
    for (size_t at = 0; at == 0 || at < row[1].size(); at += kWidth)
      table.rows.push_back({at == 0 ? row[0] : "", row[1].substr(at, kWidth)});
  out << title << '\n';
  table.print(out, 0);
  out << '\n';
}

}  // namespace

void write_session(std::ostream& out, const Results& results, const record::Profile& profile,
                   const device::DeviceSpec& device) {
  write_table(out, "Launch Settings", "Launch Attribute", "Value", {{"Program Command Line", profile.program}});
  write_table(out, "Session Info", "Session Attribute", "Value",
              {{"drywarp", profile.drywarp_version}, {"Results", std::to_string(results.kernels.size())}});
  write_table(out, "Processes", "Process Id", "Process Name", {{std::to_string(results.pid), results.process}});
  write_table(out, "Device Attributes", "Device Attribute", "Device 0",
              {{"multiprocessor_count", std::to_string(device.multiprocessors)},
               {"display_name", device.name},
               {"compute_capability_major", std::to_string(device.compute_capability.major)},
               {"compute_capability_minor", std::to_string(device.compute_capability.minor)},
               {"total_memory", std::to_string(device.total_memory)}});
}

}  // namespace drywarp::profilers::ncu
