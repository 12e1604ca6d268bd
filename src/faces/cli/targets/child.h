// The user's program as a child process.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/support/result.h"

namespace drywarp::cli {

struct ChildRequest {
  std::string path;                    // of the executable
  std::function<int()> body;           // instead of one: what the child does; its result is the exit code
  std::vector<std::string> arguments;  // argv, with argv[0]
  std::vector<std::pair<std::string, std::string>> environment;  // set; an empty value removes
  bool output_to_errors = false;  // its standard output joins its standard error: ours is for a report
};

struct ChildEnd {
  int exit_code = 0;
  int signal = 0;  // 0: it exited
  bool core_dumped = false;
};

// Starts the program with our standard streams and waits for it; it dies with us, however we die. Meanwhile Ctrl-C and
// Ctrl-\ of the terminal are the program's business (the terminal sends them to both); those sent to us alone by
// kill(1) are passed on, as are SIGTERM and SIGHUP.
Result<ChildEnd> run_child(const ChildRequest& request);

// Ends this process as the child ended: with its code, or by its signal.
[[noreturn]] void end_like(const ChildEnd& end);

}  // namespace drywarp::cli
