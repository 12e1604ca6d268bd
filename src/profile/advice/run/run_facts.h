// What the rules on a whole run look at: the times of all kernels and copies together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/record/profile.h"

namespace drywarp::advice {

// The launches of one kernel that have a time.
struct KernelOfRun {
  std::string name;  // for people
  uint64_t launches = 0;
  double seconds = 0;           // modelled, with the overhead of the launches
  double overhead_seconds = 0;  // modelled: from each launch to the start of its first block
};

// The copies of one direction.
struct CopiesOfRun {
  uint64_t count = 0, bytes = 0;
  uint64_t pageable = 0;          // copies whose memory on the host is not page-locked
  double pageable_bytes = 0;      // ... and their bytes
  double seconds = 0;             // modelled
  uint64_t without_time = 0;      // copies whose time the device file does not tell
  uint64_t in_other_streams = 0;  // copies in streams that the program created
};

struct RunFacts {
  std::vector<KernelOfRun> kernels;  // the most time first
  uint64_t launches_without_time = 0;
  CopiesOfRun to_device, to_host;
  // Of the modelled time line; 0: not known.
  double whole_seconds = 0;
  double pipelined_seconds = 0;   // if copies and kernels were cut into parts that overlap
  double overlapped_percent = 0;  // of what could overlap
};
// Launches of all kernels and copies of the profile.
[[nodiscard]] RunFacts run_facts(const record::Profile& profile);

}  // namespace drywarp::advice
