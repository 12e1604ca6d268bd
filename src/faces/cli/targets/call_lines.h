// Source lines of calls in programs.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/events/finding.h"

namespace drywarp::cli {

// The calls at addresses of programs, as cuda/launch/call_sites.h writes them: "path+0x1234".
class CallLines {
 public:
  // `callers`: addresses, several behind each other with a | between them. `headers`: a folder whose lines are nobody's
  // calls: drywarp's own.
  CallLines(std::span<const std::string> callers, const std::string& headers);

  // "app.cu:40 in main", the first of the addresses that has a line; or the first address, where the program has no
  // line information, or no symbolizer is there. A kernel's line stays as it is.
  [[nodiscard]] std::string line(const std::string& callers) const;
  // What is inlined at each address, the innermost first, and the function around it; without lines, what is known.
  [[nodiscard]] std::vector<HostFrame> frames(const std::string& callers) const;

 private:
  std::map<std::string, std::map<std::string, std::vector<HostFrame>>> frames_;  // by file and address
};

}  // namespace drywarp::cli
