// How a session is set up from outside: the DRYWARP_* environment variables that the command line sets for the program.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cuda/launch/time_plan.h"

namespace drywarp::session {

struct Options {
  std::string profile;            // DRYWARP_PROFILE: file to write; empty: no profile
  bool counters = true;           // DRYWARP_COUNTERS=0|1
  TimeMode time = TimeMode::Off;  // DRYWARP_TIME=off|auto|all: model the GPU's time of counted launches
  std::string samples;        // DRYWARP_SAMPLES: file for the costliest accesses of counted launches; instead of times
  std::string kernel_filter;  // DRYWARP_KERNEL: regex on demangled names; empty: every kernel
  uint64_t launch_skip = 0;   // DRYWARP_LAUNCH_SKIP: matching launches not counted at first
  uint64_t launch_count = ~0ull;    // DRYWARP_LAUNCH_COUNT: matching launches counted after those
  double timeout_seconds = 0;       // DRYWARP_TIMEOUT: a launch that runs longer is stopped; 0: never
  bool divergent_barriers = false;  // DRYWARP_DIVERGENT_BARRIERS=0|1: whole warps may meet at different __syncthreads()
  unsigned workers = 0;             // DRYWARP_WORKERS: threads that run blocks; 0: one a core
  std::string cpu;                  // DRYWARP_CPU=avx512|avx2|sse
  std::string code_cache;           // DRYWARP_CACHE: folder for compiled kernels and modelled times
  bool progress = false;            // DRYWARP_PROGRESS=0|1
  std::string device;               // DRYWARP_DEVICE: name or file; empty: the default device
  std::string compiled;             // DRYWARP_COMPILED: cubins and texts of ptxas -v, "a.cubin:b.txt"
  std::string program;              // the command, as started
};

// `variable` is getenv or a test's stand-in; nullptr for what is not set. A value that cannot be understood is reported
// through `complain` and the default stays.
Options read_options(const std::function<const char*(const char*)>& variable,
                     const std::function<void(const std::string&)>& complain);

// The running program's command line, quoted where a shell would need it.
std::string command_line();

}  // namespace drywarp::session
