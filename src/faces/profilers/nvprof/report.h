// Everything that nvprof prints of a profile, and what is to be said of its numbers.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/device/device_spec.h"
#include "faces/profilers/nvprof/counters.h"
#include "faces/profilers/nvprof/tables.h"
#include "profile/record/profile.h"

namespace drywarp::profilers::nvprof {

struct ReportRequest {
  bool gpu_trace = false, api_trace = false, gpu_summary = false, api_summary = false;
  std::vector<ScopedCounter> metrics, events;
  Style style;
  bool demangle = true;
  std::string prefix;  // "==1234== "; of an imported profile: "======== "

  [[nodiscard]] bool counts() const { return !metrics.empty() || !events.empty(); }
  // Whether a number of it is modelled, so that every launch needs a time.
  [[nodiscard]] bool needs_times() const;
};

// Appends to `notes` what nobody should have to guess: which numbers are modelled, which are this machine's, what is
// not available and why. One line each.
void write_report(std::ostream& out, const record::Profile& profile, const device::DeviceSpec& device,
                  const ReportRequest& request, std::vector<std::string>& notes);

// nvprof's --log-file: %p is `pid`, %h the host's name, %q{NAME} a variable of the environment, %% a percent sign.
Result<std::string> log_file_name(std::string_view pattern, int pid);

}  // namespace drywarp::profilers::nvprof
