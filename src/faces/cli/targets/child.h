// The user's program as a child process.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/support/result.h"

namespace drywarp::cli {

class CapturedOutput;

struct ChildRequest {
  std::string path;                    // of the executable
  std::function<int()> body;           // run instead of an executable; its result is the exit code
  std::vector<std::string> arguments;  // argv, with argv[0]
  std::vector<std::pair<std::string, std::string>> environment;  // an empty value unsets the variable
  CapturedOutput* captured = nullptr;                            // not owned; gets its standard output
  double limit_seconds = 0;       // then it gets SIGTERM, and seconds later SIGKILL; 0: never
  bool no_input = false;          // its standard input is empty
  bool output_to_errors = false;  // redirects its standard output to standard error: ours carries a report
};

struct ChildExit {
  int pid = 0;
  int exit_code = 0;
  int signal = 0;  // 0: it exited
  bool core_dumped = false;
  bool timed_out = false;  // the time limit passed before its end
};

// Starts the program with our standard streams and waits for it. The kernel kills it if we die. The terminal sends
// Ctrl-C and Ctrl-\ to both processes: the program decides what they do. SIGINT and SIGQUIT from kill(1), SIGTERM and
// SIGHUP are forwarded.
Result<ChildExit> run_child(const ChildRequest& request);

// Ends this process as the child ended: with its exit code or by its signal.
[[noreturn]] void exit_like(const ChildExit& end);

}  // namespace drywarp::cli
