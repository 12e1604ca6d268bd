// The values of a launch's time that a profile stores, computed from a KernelTiming.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/device/occupancy.h"
#include "model/machine/machine_code.h"
#include "model/sm/result.h"

namespace drywarp::sm {

struct Summary {
#define DW_TIMED_VALUE(member, how, description) double member = 0;
#include "model/sm/summary.def"
  // Stalled warps of a scheduler per instruction that it issued, by reason:
  // smsp__average_warps_issue_stalled_<reason>_per_issue_active.
  std::array<double, kStalls> stalls_per_issue{};
};

// The launch's time with one of its costs changed: model/whatif.
struct Alternative {
  std::string change;  // the scenario's key, or "line FILE:FIRST-LAST"
  double seconds = 0;
};

// A launch's time as profiles store it.
struct LaunchTime {
  Summary summary;
  // By PTX instruction, as KernelInfo::instructions; extrapolated to the whole launch. Empty: unknown.
  std::vector<InstructionTiming> instructions;
  // The stand-ins for device numbers that this launch's code needs.
  std::vector<machine::StandIn> stand_ins;
  std::vector<Alternative> alternatives;
};

[[nodiscard]] Summary summarize(const KernelTiming& timing, const machine::MachineModel& model,
                                const device::DeviceSpec& device, const machine::MachineKernel& code,
                                const device::Occupancy& occupancy);
[[nodiscard]] LaunchTime launch_time(const KernelTiming& timing, const machine::MachineModel& model,
                                     const device::DeviceSpec& device, const machine::MachineKernel& code,
                                     const device::Occupancy& occupancy);

// How values of several launches combine: as a sum, or as the mean weighted by time.
enum class Aggregate : uint8_t { Sum, Mean };
[[nodiscard]] Summary combine(std::span<const Summary* const> launches);

// All numbers of a Summary by name, stalls last ("stall_long_scoreboard"), as profiles store them.
struct SummaryField {
  std::string_view name;
  Aggregate aggregate{};
  double Summary::* member = nullptr;  // null: stalls_per_issue[stall]
  unsigned stall = 0;
  [[nodiscard]] double& in(Summary& s) const { return member ? s.*member : s.stalls_per_issue[stall]; }
  [[nodiscard]] double in(const Summary& s) const { return member ? s.*member : s.stalls_per_issue[stall]; }
};
[[nodiscard]] std::span<const SummaryField> summary_fields();

}  // namespace drywarp::sm
