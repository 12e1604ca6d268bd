#include "faces/cli/targets/captured_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

namespace drywarp::cli {
namespace {

void close_once(int& file) {
  if (file >= 0) ::close(std::exchange(file, -1));
}

// A terminal that passes bytes on unchanged, of the size of `like`. False: there is none.
bool open_terminal(int like, int& ours, int& program) {
  termios settings{};
  winsize size{};
  if (tcgetattr(like, &settings) != 0 || ioctl(like, TIOCGWINSZ, &size) != 0) return false;
  settings.c_oflag &= ~tcflag_t{OPOST};
  return openpty(&ours, &program, nullptr, &settings, &size) == 0;
}

bool write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(to, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

Result<CapturedOutput> CapturedOutput::to(int to) {
  int ends[2] = {-1, -1};
  if (isatty(to) == 1 && open_terminal(to, ends[0], ends[1])) {
    for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  } else if (pipe2(ends, O_CLOEXEC) != 0) {
    return error(fmt::format("cannot capture the program's output: {}", std::strerror(errno)));
  }
  return CapturedOutput(to, ends[0], ends[1]);
}

CapturedOutput::CapturedOutput(CapturedOutput&& from) noexcept
    : to_(from.to_),
      ours_(std::exchange(from.ours_, -1)),
      program_(std::exchange(from.program_, -1)),
      thread_(std::move(from.thread_)),
      copying_(std::move(from.copying_)),
      text_(std::move(from.text_)),
      cut_(from.cut_) {
  for (int i = 0; i < 2; ++i) stopped_[i] = std::exchange(from.stopped_[i], -1);
}

CapturedOutput::~CapturedOutput() {
  stop();
  close_once(ours_), close_once(program_);
}

void CapturedOutput::start() {
  close_once(program_);
  if (pipe2(stopped_, O_CLOEXEC) != 0) return;
  thread_ = std::thread([this] { copy(); });
}

void CapturedOutput::stop() {
  close_once(stopped_[1]);
  if (thread_.joinable()) thread_.join();
  close_once(stopped_[0]);
}

void CapturedOutput::copy() {
  // A reader of our output that went away ends the program, as it would without us, and not drywarp.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  std::array<pollfd, 2> files = {{{ours_, POLLIN, 0}, {stopped_[0], POLLIN, 0}}};
  while (poll(files.data(), files.size(), -1) >= 0 || errno == EINTR) {
    if ((files[0].revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) != 0) {
      const std::lock_guard hold(*copying_);
      if (ours_ < 0) return;
      pollfd still{ours_, POLLIN, 0};  // drain() may have taken it
      if (poll(&still, 1, 0) > 0 && !copy_some()) return;
    } else if ((files[1].revents & (POLLIN | POLLHUP)) != 0) {
      return;  // the program has ended, and nothing is left; its children may still hold the other end
    }
  }
}

void CapturedOutput::drain() {
  const std::lock_guard hold(*copying_);
  for (pollfd file{ours_, POLLIN, 0}; ours_ >= 0 && poll(&file, 1, 0) > 0 && (file.revents & POLLIN) != 0;)
    if (!copy_some()) return;
}

bool CapturedOutput::copy_some() {
  std::array<char, 1 << 16> buffer;
  const ssize_t n = ::read(ours_, buffer.data(), buffer.size());
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  const std::string_view bytes(buffer.data(), static_cast<size_t>(n));
  const size_t kept = std::min(bytes.size(), kMost - text_.size());
  text_ += bytes.substr(0, kept);
  cut_ = cut_ || kept < bytes.size();
  if (to_ == kNowhere || write_all(to_, bytes)) return true;
  close_once(ours_);
  return false;
}

}  // namespace drywarp::cli
