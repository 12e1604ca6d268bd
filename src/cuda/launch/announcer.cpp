#include "cuda/launch/announcer.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

namespace drywarp::cuda {

std::string Announcement::packed() const {
  return fmt::format("{} {} {} {}", static_cast<char>(kind), number, stream, text);
}

std::optional<Announcement> Announcement::parse(std::string_view packet) {
  std::istringstream in{std::string(packet)};
  Announcement out;
  char kind = 0;
  if (!(in >> kind >> out.number >> out.stream) || in.get() != ' ') return std::nullopt;
  out.kind = static_cast<Kind>(kind);
  if (out.kind != Kind::Process && out.kind != Kind::Launch) return std::nullopt;
  out.text.assign(std::istreambuf_iterator<char>(in), {});
  return out;
}

Announcer::Announcer(const std::string& socket_path) : owner_(getpid()) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.empty() || socket_path.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size());
  socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (socket_ >= 0 && connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) close();
}

Announcer::~Announcer() { close(); }

void Announcer::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void Announcer::say(const Announcement& what) {
  if (socket_ < 0 || getpid() != owner_) return;
  const std::string packet = what.packed();
  const auto interrupted = [](ssize_t n) { return n < 0 && errno == EINTR; };
  ssize_t n = 0;
  while (interrupted(n = send(socket_, packet.data(), packet.size(), MSG_NOSIGNAL))) {
  }
  char noted = 0;
  while (n > 0 && interrupted(n = recv(socket_, &noted, 1, 0))) {
  }
  if (n <= 0) close();
}

}  // namespace drywarp::cuda
