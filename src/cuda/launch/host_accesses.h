// Sees the program's own accesses to memory that it shares with the device: while pages are closed, an access to one
// faults, and the handler of the signal notes it, opens the page, and lets the program go on. Other faults go to the
// program's own handler. A system call on a closed page fails with EFAULT.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace drywarp::cuda {

// Not more than one object at a time.
class HostAccesses {
 public:
  // Whole pages. `reads`: that the host reads them is noted, too, not only that it writes.
  struct Pages {
    uint64_t begin = 0, end = 0;
    bool reads = false;
    bool operator==(const Pages&) const = default;
  };
  // The first access to a closed page.
  struct Seen {
    uint64_t address = 0;
    bool writes = false;
    const void* role = nullptr;  // of the thread: as it has set
    unsigned frames = 0;
    std::array<void*, 32> stack{};
  };

  HostAccesses();
  ~HostAccesses();
  HostAccesses(const HostAccesses&) = delete;
  HostAccesses& operator=(const HostAccesses&) = delete;

  // These pages are closed, and no others.
  void close(std::vector<Pages> pages);
  // These addresses are closed no more.
  void open(uint64_t address, uint64_t bytes);
  // What has been seen since the last call.
  [[nodiscard]] std::vector<Seen> take();
  // Of the calling thread's accesses from now on.
  static void set_role(const void* role);

  static constexpr uint64_t kPageBytes = 4096;
};

}  // namespace drywarp::cuda
