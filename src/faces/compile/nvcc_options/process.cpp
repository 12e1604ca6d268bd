#include "faces/compile/nvcc_options/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/support/whole_file.h"

namespace drywarp::frontend {
namespace {

Exit decode(int status) {
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  void open(int descriptor, const char* path, int flags) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, path, flags, 0644);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// SIGPIPE must not kill us while we feed a compiler that has gone away.
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

Result<Process> Process::start(const Arguments& arguments, const std::string& error_file) {
  FileActions actions;
  actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  if (!error_file.empty()) actions.open(STDERR_FILENO, error_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  std::vector<char*> raw;
  for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  pid_t pid = -1;
  int failure = posix_spawnp(&pid, raw[0], actions.get(), nullptr, raw.data(), environ);
  if (failure != 0) return error(fmt::format("cannot start '{}': {}", arguments[0], std::strerror(failure)));
  return Process(pid);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), done_(std::exchange(other.done_, true)), exit_(other.exit_) {}

Process::~Process() {
  if (!done_ && pid_ > 0) wait();
}

bool Process::running() {
  if (done_) return false;
  int status = 0;
  pid_t got = waitpid(pid_, &status, WNOHANG);
  if (got == 0) return true;
  done_ = true;
  exit_ = got == pid_ ? decode(status) : Exit{127, 0};
  return false;
}

Exit Process::wait() {
  if (done_) return exit_;
  int status = 0;
  pid_t got = -1;
  do {
    got = waitpid(pid_, &status, 0);
  } while (got < 0 && errno == EINTR);
  done_ = true;
  exit_ = got == pid_ ? decode(status) : Exit{127, 0};
  return exit_;
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
      break;  // the reader is gone, and will have said why
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

}  // namespace drywarp::frontend
