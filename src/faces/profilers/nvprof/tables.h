// nvprof's tables of a run: the summary and the two traces.
#pragma once

#include <iosfwd>

#include "faces/profilers/nvprof/numbers.h"
#include "faces/profilers/nvprof/timeline.h"

namespace drywarp::profilers::nvprof {

struct Style {
  bool csv = false;
  TimeUnit unit = TimeUnit::Auto;
};

// A row a kernel and a kind of copy, and a row a function of the API, the most time first.
void write_summary(std::ostream& out, const Timeline& timeline, bool gpu, bool api, const Style& style);
// A row an activity, a row a call.
void write_gpu_trace(std::ostream& out, const Timeline& timeline, const record::Profile& profile, const Style& style);
void write_api_trace(std::ostream& out, const Timeline& timeline, const Style& style);
// Activities and calls in one list.
void write_trace(std::ostream& out, const Timeline& timeline, const record::Profile& profile, const Style& style);

}  // namespace drywarp::profilers::nvprof
