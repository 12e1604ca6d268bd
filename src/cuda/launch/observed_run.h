// Runs a launch with the observers that its time and its explanation need.
#pragma once

#include <memory>
#include <vector>

#include "base/events/access_sample.h"
#include "base/events/warp_trace.h"
#include "engine/exec/engine.h"

namespace drywarp::cuda {

// What to observe; nothing by default.
struct Observed {
  TraceRequest trace;  // for timing
  // The costliest access of each memory instruction, with its addresses: of the traced blocks; without a trace, of all.
  bool samples = false;
  std::vector<observe::Observer*> others;  // not owned
};

// A launch that ran, and what its observers saw.
struct ObservedRun {
  exec::LaunchResult result;
  std::shared_ptr<const LaunchTrace> trace;                  // null: not asked for
  std::shared_ptr<const std::vector<AccessSample>> samples;  // likewise; beside a trace they know their reuse
};

// `kernel`: of the request.
[[nodiscard]] ObservedRun run_observed(exec::Engine& engine, exec::LoadedModule& module, const KernelInfo& kernel,
                                       exec::LaunchRequest request, const Observed& wanted);

}  // namespace drywarp::cuda
