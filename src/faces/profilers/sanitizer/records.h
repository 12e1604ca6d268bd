// Findings in compute-sanitizer's words.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "faces/profilers/sanitizer/report.h"

namespace drywarp::profilers::sanitizer {

struct Access {
  const char* space = "";      // "global"; empty: not known
  const char* direction = "";  // "read", "write", "atomic"; empty: none
};

// A call of the program that returned an error.
struct FailedCall {
  std::string name, error;  // "cudaMemcpy", "cudaErrorInvalidValue"
  int code = 0;
  std::string message, why;  // "invalid argument"; in drywarp's words, empty: not known
};

// One report. `details` are its lines behind the thread.
struct Record {
  std::string title;  // "Invalid __global__ write of size 4 bytes"
  Access access;
  std::optional<FailedCall> call;
  std::string error;  // "out of bounds", "Missing init"; empty: none
  std::vector<std::string> details;
};

[[nodiscard]] Record record_of(const Finding& finding);
// "oob(int *) in app.cu:8", as far as it is known.
[[nodiscard]] std::string place(const std::string& kernel, const CodeLine& where, const Style& style);
[[nodiscard]] std::string function(const std::string& kernel, const Style& style);
[[nodiscard]] std::string file_name(const std::string& path, const Style& style);
// What a race's access does: "Write", "Read".
[[nodiscard]] const char* race_access(const std::string& what);
// A race's two accesses, the one that stands first in the code in front: nothing else orders them.
struct Side {
  const char* access;
  const CodeLine& where;
  std::optional<ThreadPlace> thread;
};
[[nodiscard]] std::array<Side, 2> sides_of(const Finding& race);
[[nodiscard]] const char* hazard(const std::array<Side, 2>& sides);  // "RAW", "WAR", "WAW"
[[nodiscard]] bool is_race(const Finding& finding);
// The host's calls that a finding is about: of the launch, the call that failed, or what made the memory; the innermost
// first, without frames: not known.
struct HostStack {
  const char* when = "";  // "kernel launch time", "error", "allocation time"
  std::vector<HostFrame> frames;
};
[[nodiscard]] HostStack host_stack(const Finding& finding, const Style& style);
[[nodiscard]] const char* level(Severity severity);  // "Error", "Warning", "Info"

}  // namespace drywarp::profilers::sanitizer
