#include "base/support/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>

namespace drywarp {

std::optional<std::string> read_whole(const std::string& path) {
  constexpr size_t kMost = size_t{4} << 30;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string bytes;
  std::array<char, 1 << 16> part;
  ssize_t got = 0;
  while (bytes.size() <= kMost && (got = ::read(file, part.data(), part.size())) != 0) {
    if (got > 0) bytes.append(part.data(), size_t(got));
    if (got < 0 && errno != EINTR) break;
  }
  const int problem = got < 0 ? errno : bytes.size() > kMost ? EFBIG : 0;
  ::close(file);
  errno = problem;
  return problem == 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

bool write_whole(const std::string& path, std::string_view bytes) {
  static std::atomic<unsigned> serial = 0;
  const std::string beside = fmt::format("{}.{}.{}", path, ::getpid(), serial++);
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const bool written = ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  ::close(file);
  if (written && ::rename(beside.c_str(), path.c_str()) == 0) return true;
  ::unlink(beside.c_str());
  return false;
}

}  // namespace drywarp
