#include "faces/compile/nvcc_options/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/support/plural.h"
#include "base/support/whole_file.h"

namespace drywarp::compile {
namespace {

Exit decode(int status) {
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

// Runs between fork and exec: async-signal-safe calls only.
void redirect(int descriptor, const char* path, int flags) {
  const int file = open(path, flags, 0644);
  if (file < 0 || file == descriptor) return;
  dup2(file, descriptor);
  close(file);
}

Diagnostic cannot_start(const std::string& program, int failure) {
  return error(fmt::format("cannot start '{}': {}", program, std::strerror(failure)));
}

// SIGPIPE must not kill us if the compiler ends before it has read everything.
class IgnorePipeSignal {
 public:
  IgnorePipeSignal() {
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before_);
  }
  ~IgnorePipeSignal() {
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    timespec none{};
    while (sigtimedwait(&pipe_signal, nullptr, &none) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  IgnorePipeSignal(const IgnorePipeSignal&) = delete;
  IgnorePipeSignal& operator=(const IgnorePipeSignal&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::string this_program() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown).string();
}

Deadline deadline_in(double seconds) {
  if (seconds <= 0) return std::nullopt;
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

Result<ForkedChild> fork_child(const std::string& program, const std::function<void(int report)>& body) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) raise(SIGKILL);  // the parent ended before prctl()
    body(report[1]);
    const int failure = errno;
    [[maybe_unused]] const ssize_t written = write(report[1], &failure, sizeof failure);
    _exit(127);
  }
  const int failure = errno;
  close(report[1]);
  if (pid > 0) return ForkedChild{pid, report[0]};
  close(report[0]);
  return cannot_start(program, failure);
}

Status wait_for_exec(const ForkedChild& child, const std::string& program) {
  int failure = 0;
  ssize_t got = 0;
  do {
    got = read(child.report, &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  close(child.report);
  if (got != sizeof failure) return {};
  while (waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return cannot_start(program, failure);
}

Result<Process> Process::start(const Arguments& arguments, const std::string& error_file, Deadline deadline) {
  std::vector<char*> raw;
  for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  Result<ForkedChild> child = fork_child(arguments[0], [&](int) {
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    if (!error_file.empty()) redirect(STDERR_FILENO, error_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
    execvp(raw[0], raw.data());
  });
  if (!child) return child.problem();
  if (Status status = wait_for_exec(*child, arguments[0]); !status) return status.problem();
  return Process(child->pid, deadline);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      deadline_(other.deadline_),
      done_(std::exchange(other.done_, true)),
      exit_(other.exit_) {}

Process::~Process() {
  if (!done_ && pid_ > 0) wait();
}

void Process::end(bool waited, int status) {
  const bool timed_out = exit_.timed_out;
  done_ = true;
  exit_ = waited ? decode(status) : Exit{127, 0};
  exit_.timed_out = timed_out;
}

bool Process::running() {
  if (done_) return false;
  int status = 0;
  const pid_t got = waitpid(pid_, &status, WNOHANG);
  if (got != 0) {
    end(got == pid_, status);
    return false;
  }
  if (deadline_ && !exit_.timed_out && std::chrono::steady_clock::now() >= *deadline_) {
    exit_.timed_out = true;
    kill(pid_, SIGKILL);
  }
  return true;
}

Exit Process::wait() {
  constexpr unsigned kPollInterval = 2'000;  // microseconds
  while (deadline_ && running()) usleep(kPollInterval);
  if (done_) return exit_;
  int status = 0;
  pid_t got = -1;
  do {
    got = waitpid(pid_, &status, 0);
  } while (got < 0 && errno == EINTR);
  end(got == pid_, status);
  return exit_;
}

std::string took_too_long(const std::string& what, double seconds) {
  return error(fmt::format("{} took longer than {} and was stopped", what, plural_real(seconds, "second")),
               "raise the limit with --timeout")
             .to_string() +
         '\n';
}

std::string quoted(const Arguments& arguments) {
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    bool plain = !argument.empty() && argument.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                          "-_=+./,:@%^") == std::string::npos;
    if (plain) {
      line += argument;
      continue;
    }
    line += '\'';
    for (char c : argument) {
      if (c == '\'')
        line += "'\\''";
      else
        line += c;
    }
    line += '\'';
  }
  return line;
}

Arguments unquoted(const std::string& line) {
  Arguments arguments;
  bool inside = false, begun = false;
  std::string argument;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (!inside && c == ' ') {
      if (begun) arguments.push_back(std::exchange(argument, {}));
      begun = false;
      continue;
    }
    begun = true;
    if (c == '\'')
      inside = !inside;
    else if (!inside && c == '\\' && i + 1 < line.size())
      argument += line[++i];
    else
      argument += c;
  }
  if (begun) arguments.push_back(std::move(argument));
  return arguments;
}

Status feed_pipe(const std::string& pipe, const std::string& bytes, Process& reader) {
  int descriptor = -1;
  while ((descriptor = open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
    if (errno != ENXIO && errno != EINTR) return error(fmt::format("cannot open '{}': {}", pipe, std::strerror(errno)));
    if (!reader.running()) return {};
    usleep(500);
  }
  IgnorePipeSignal guard;
  for (size_t written = 0; written < bytes.size();) {
    pollfd ready{descriptor, POLLOUT, 0};
    poll(&ready, 1, 1000);
    ssize_t count = write(descriptor, bytes.data() + written, bytes.size() - written);
    if (count > 0)
      written += size_t(count);
    else if (errno != EAGAIN && errno != EINTR)
      break;  // the reader has ended, with its own message
  }
  close(descriptor);
  return {};
}

Result<std::string> read_file(const std::string& path) {
  if (auto bytes = read_whole(path)) return std::move(*bytes);
  return error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
}

Status write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), std::streamsize(bytes.size()));
  file.close();
  if (!file) return error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  return {};
}

Result<TemporaryFolder> TemporaryFolder::create() {
  const char* base = std::getenv("TMPDIR");
  std::string pattern = fmt::format("{}/drywarp-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(pattern.data())) {
    return error(fmt::format("cannot make a temporary folder '{}': {}", pattern, std::strerror(errno)), "set TMPDIR");
  }
  return TemporaryFolder(pattern);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace drywarp::compile
