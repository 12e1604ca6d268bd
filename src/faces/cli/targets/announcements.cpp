#include "faces/cli/targets/announcements.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace drywarp::cli {

struct Announcements::Impl {
  Heard heard;
  int listener = -1, stopped[2] = {-1, -1};  // a pipe; closing it ends the thread
  std::vector<pollfd> files;                 // the pipe, the listener, and one connection a process
  std::string packet = std::string(1 << 18, '\0');
  std::thread thread;

  ~Impl() {
    if (stopped[1] >= 0) close(stopped[1]);
    if (thread.joinable()) thread.join();
    if (stopped[0] >= 0) close(stopped[0]);
    if (listener >= 0) close(listener);
    for (size_t i = 2; i < files.size(); ++i) close(files[i].fd);
  }

  void listen() {
    // `heard` writes: a reader that went away must not end this process before its temporary files are removed.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    files = {{stopped[0], POLLIN, 0}, {listener, POLLIN, 0}};
    while (poll(files.data(), files.size(), -1) >= 0 || errno == EINTR) {
      if (files[0].revents != 0) return;
      for (size_t i = files.size(); i-- > 2;)
        if (files[i].revents != 0 && !hear(files[i].fd)) {
          close(files[i].fd);
          files.erase(files.begin() + static_cast<std::ptrdiff_t>(i));
        }
      if (files[1].revents != 0)
        if (const int next = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); next >= 0)
          files.push_back({next, POLLIN, 0});
    }
  }

  // False: the connection has ended.
  bool hear(int from) {
    const ssize_t n = recv(from, packet.data(), packet.size(), 0);
    if (n <= 0) return n < 0 && errno == EINTR;
    if (const auto what = cuda::Announcement::parse(std::string_view(packet.data(), static_cast<size_t>(n))))
      heard(*what);
    return send(from, "", 1, MSG_NOSIGNAL) == 1;
  }
};

Result<Announcements> Announcements::at(const std::string& path, Heard heard) {
  const auto failed = [&](const char* why) {
    return error(fmt::format("cannot listen at '{}': {}", path, why), "set TMPDIR to another folder");
  };
  auto impl = std::make_unique<Impl>();
  impl->heard = std::move(heard);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return failed("the path is too long");
  std::memcpy(address.sun_path, path.c_str(), path.size());
  impl->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (impl->listener < 0 || bind(impl->listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(impl->listener, 16) != 0 || pipe2(impl->stopped, O_CLOEXEC) != 0)
    return failed(std::strerror(errno));
  impl->thread = std::thread([implementation = impl.get()] { implementation->listen(); });
  return Announcements(std::move(impl));
}

Announcements::Announcements(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Announcements::Announcements(Announcements&&) noexcept = default;
Announcements::~Announcements() = default;

}  // namespace drywarp::cli
