// Findings in compute-sanitizer's words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faces/profilers/sanitizer/report.h"

namespace drywarp::profilers::sanitizer {

struct Access {
  const char* space = "";      // "global"; empty: not known
  const char* direction = "";  // "read", "write", "atomic"; empty: none
};

// One report. `details` are its lines behind the thread.
struct Record {
  const Finding* finding = nullptr;
  const char* kind = "";  // of the XML
  std::string title;      // "Invalid __global__ write of size 4 bytes"
  Access access;
  std::string error;  // "out of bounds"; empty: none
  std::vector<std::string> details;
};

[[nodiscard]] Record record_of(const Finding& finding);
// "oob(int *) in app.cu:8", as far as it is known.
[[nodiscard]] std::string place(const std::string& kernel, const CodeLine& where, const Style& style);
[[nodiscard]] std::string function(const std::string& kernel, const Style& style);
[[nodiscard]] std::string file_name(const std::string& path, const Style& style);
// What a race's access does: "Write", "Read".
[[nodiscard]] const char* race_access(const std::string& what);
[[nodiscard]] const char* level(Severity severity);  // "Error", "Warning", "Info"

}  // namespace drywarp::profilers::sanitizer
