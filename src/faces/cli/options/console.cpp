#include "faces/cli/options/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace drywarp::cli {

int fail(const Diagnostic& problem, int code) {
  say("drywarp: " + problem.to_string() + '\n');
  return code;
}

void warn(const std::string& text) { say("drywarp: warning: " + text + '\n'); }

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

bool takes_colour(int stream) {
  const char *none = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  return isatty(stream) == 1 && !(none && *none) && !(terminal && std::string_view(terminal) == "dumb");
}

}  // namespace drywarp::cli
