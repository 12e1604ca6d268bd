// nvprof's tables of metrics and events: a row a kernel and counter, a row a launch (with a trace option), and the
// lists of --query-metrics and --query-events.
#pragma once

#include <iosfwd>
#include <string>

#include "faces/profilers/nvprof/counters.h"
#include "faces/profilers/nvprof/timeline.h"

namespace drywarp::profilers::nvprof {

// Minimum, maximum and mean over a kernel's launches. `events`: with a total.
void write_counters(std::ostream& out, const std::string& device, const CounterValues& values, bool events, bool csv);
// A row a launch; metrics and events side by side.
void write_counter_trace(std::ostream& out, const Timeline& timeline, const CounterValues& values, bool csv);
// `device`: "NVIDIA H200".
void write_counter_list(std::ostream& out, const std::string& device, bool events);

}  // namespace drywarp::profilers::nvprof
