// The figures of a launch's time, ready to show: what a profile keeps of a KernelTiming.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/device/occupancy.h"
#include "model/machine/machine_code.h"
#include "model/sm/result.h"

namespace drywarp::sm {

struct Summary {
#define DW_TIMED_VALUE(member, how, description) double member = 0;
#include "model/sm/summary.def"
  // Warps of a scheduler that were in this state, for every instruction that it issued: as
  // smsp__average_warps_issue_stalled_<reason>_per_issue_active.
  std::array<double, kStalls> stalls_per_issue{};
};

// A launch's time as profiles keep it.
struct LaunchTime {
  Summary summary;
  // By PTX instruction, as KernelInfo::instructions; extrapolated to the whole launch. Empty: not known.
  std::vector<InstructionTiming> instructions;
  // Which of the device's numbers were not its own, for this launch's code.
  std::vector<machine::StandIn> stand_ins;
};

[[nodiscard]] Summary summarize(const KernelTiming& timing, const machine::MachineModel& model,
                                const device::DeviceSpec& device, const machine::MachineKernel& code,
                                const device::Occupancy& occupancy);
[[nodiscard]] LaunchTime launch_time(const KernelTiming& timing, const machine::MachineModel& model,
                                     const device::DeviceSpec& device, const machine::MachineKernel& code,
                                     const device::Occupancy& occupancy);

// What several launches have together: a sum, or the mean over their time.
enum class Together : uint8_t { Sum, Mean };
[[nodiscard]] Summary combine(std::span<const Summary* const> launches);

// Every number of a Summary by name, stalls last ("stall_long_scoreboard"): how profiles keep it.
struct SummaryField {
  std::string_view name;
  Together together{};
  double Summary::* member = nullptr;  // null: stalls_per_issue[stall]
  unsigned stall = 0;
  [[nodiscard]] double& in(Summary& s) const { return member ? s.*member : s.stalls_per_issue[stall]; }
  [[nodiscard]] double in(const Summary& s) const { return member ? s.*member : s.stalls_per_issue[stall]; }
};
[[nodiscard]] std::span<const SummaryField> summary_fields();

}  // namespace drywarp::sm
