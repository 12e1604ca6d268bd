// Child processes, and files.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/support/result.h"

namespace drywarp::compile {

using Arguments = std::vector<std::string>;  // the program first

// None: no limit.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;
Deadline deadline_in(double seconds);  // 0: none

struct Exit {
  int code = 0;            // exit code; 128 + signal if killed
  int signal = 0;          // 0: it exited
  bool timed_out = false;  // killed at its deadline
  [[nodiscard]] bool ok() const { return code == 0; }
};

// The path of the program that runs: it starts itself for parts of its work.
[[nodiscard]] std::string this_program();

// A forked child, and the pipe through which it reports that it cannot execute its program.
struct ForkedChild {
  pid_t pid = -1;
  int report = -1;
};
// Runs `body` in a child, which the kernel kills when the thread that forked it ends. `body` executes `program`, which
// closes `report`; or closes `report` itself and ends; or returns, with errno saying why it cannot execute the program.
Result<ForkedChild> fork_child(const std::string& program, const std::function<void(int report)>& body);
// Waits until the child has closed its pipe. An error if it could not execute the program; then it has been reaped.
Status wait_for_exec(const ForkedChild& child, const std::string& program);

// A child process, which is killed when the thread that started it ends. The destructor waits for it.
class Process {
 public:
  // Standard error goes to error_file unless that is empty; standard input is empty; standard output is inherited.
  static Result<Process> start(const Arguments& arguments, const std::string& error_file = {}, Deadline deadline = {});
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process();

  [[nodiscard]] bool running();
  Exit wait();

 private:
  Process(pid_t pid, Deadline deadline) : pid_(pid), deadline_(deadline) {}
  void end(bool waited, int status);
  pid_t pid_ = -1;
  Deadline deadline_;
  bool done_ = false;
  Exit exit_;
};

// The error message for a process that reached its deadline.
std::string took_too_long(const std::string& what, double seconds);

// Quoted for a shell.
std::string quoted(const Arguments& arguments);
// The arguments of a line that quoted() made.
Arguments unquoted(const std::string& line);

// Writes to a named pipe once the reader has opened it; gives up if the reader ends before.
Status feed_pipe(const std::string& pipe, const std::string& bytes, Process& reader);

Result<std::string> read_file(const std::string& path);
Status write_file(const std::string& path, const std::string& bytes);

// A new folder under TMPDIR, removed with its contents by the destructor.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace drywarp::compile
