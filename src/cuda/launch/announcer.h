// Tells the drywarp that started this program of each launch that was counted, while the program runs. The launch
// returns once that drywarp has noted it, so its lines and the program's stand in their order.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drywarp::cuda {

// One packet of a Unix socket.
struct Announcement {
  enum class Kind : char { Process = 'P', Launch = 'L' };
  Kind kind = Kind::Process;
  uint64_t number = 0;  // the process; of a launch its kernel's launches so far
  uint32_t stream = 0;  // of a launch
  std::string text;     // the command line; the kernel's name
  [[nodiscard]] std::string packed() const;
  static std::optional<Announcement> parse(std::string_view packet);
};

// Without a listener, and in a forked child, nothing is said. Not thread-safe.
class Announcer {
 public:
  explicit Announcer(const std::string& socket_path);  // empty: no listener
  Announcer(const Announcer&) = delete;
  Announcer& operator=(const Announcer&) = delete;
  ~Announcer();
  void say(const Announcement& what);

 private:
  void close();
  int socket_ = -1;
  pid_t owner_;
};

}  // namespace drywarp::cuda
