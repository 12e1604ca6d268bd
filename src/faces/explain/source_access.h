// A program's accesses at a source line: for each, the launch in which it cost most and the addresses of its costliest
// warp. Counts come from a profile, addresses from the engine's samples (base/events/access_sample.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/events/access_sample.h"
#include "base/events/lane_steps.h"
#include "faces/explain/access.h"
#include "faces/explain/banks.h"
#include "faces/explain/source_line.h"
#include "profile/record/profile.h"

namespace drywarp::explain {

struct LaunchSample {
  uint64_t launch = 0;  // index into Profile::launches
  AccessSample sample;
};
// Parses lines of "launch sample", as the session writes them. Errors name the line.
Result<std::vector<LaunchSample>> parse_samples(std::string_view text);

struct SourceAccess {
  std::string kernel;       // demangled
  std::string instruction;  // as PTX writes it
  uint32_t ptx_line = 0;
  Memory memory = Memory::Global;
  bool load = false, store = false, atomic = false;
  unsigned bytes = 0;     // a lane
  uint64_t launches = 0;  // with this access
  // The launch with the most sectors or wavefronts.
  uint64_t launch = 0;
  record::Extent grid, block;
  AccessCounts counts;
  // The costliest warp, in the first launch that had it; `sectors` or `banks` by the memory.
  std::optional<LaunchSample> sample;
  std::optional<WarpAccess> sectors;  // global
  std::optional<WarpBanks> banks;     // shared
  std::optional<int64_t> step;        // bytes from lane to lane, if constant
  std::optional<StepTrial> longer;    // shared, with conflicts: the least longer step with the fewest wavefronts
};

struct LineExplanation {
  std::string file;  // as the user named it
  uint32_t line = 0;
  std::string source;
  std::vector<SourceAccess> accesses;  // by kernel and instruction
};

// `file`: the compiler's path or its end. `only`: accesses of this memory. Errors: the line has no access (the hint
// lists lines that have one).
Result<LineExplanation> explain_line(const record::Profile& profile, const std::vector<LaunchSample>& samples,
                                     const std::string& file, uint32_t line, std::optional<Memory> only = {});

[[nodiscard]] const char* memory_name(Memory memory);  // "global"

}  // namespace drywarp::explain
