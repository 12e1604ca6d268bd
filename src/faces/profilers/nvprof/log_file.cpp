#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "faces/profilers/nvprof/report.h"

namespace drywarp::profilers::nvprof {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

Result<std::string> log_file_name(std::string_view pattern, int pid) {
  std::string name;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '%') {
      name += pattern[at];
      continue;
    }
    const char which = ++at < pattern.size() ? pattern[at] : '\0';
    if (which == 'p') {
      name += std::to_string(pid);
    } else if (which == 'h') {
      name += host_name();
    } else if (which == '%') {
      name += '%';
    } else if (const size_t end = pattern.find('}', at);
               which == 'q' && end != pattern.npos && pattern[at + 1] == '{') {
      const std::string variable(pattern.substr(at + 2, end - at - 2));
      const char* value = std::getenv(variable.c_str());
      if (!value) return error(fmt::format("'{}': the environment has no {}", pattern, variable));
      name += value;
      at = end;
    } else {
      return error(fmt::format("'{}': %{} means nothing in a file's name", pattern, which ? std::string(1, which) : ""),
                   "%p is the process, %h the host, %q{NAME} a variable of the environment, %% a percent sign");
    }
  }
  return name;
}

}  // namespace drywarp::profilers::nvprof
