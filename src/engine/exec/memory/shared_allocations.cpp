// Allocations that several processes use: their pages are those of a file in memory.
#include <sys/mman.h>
#include <unistd.h>

#include "base/support/round_up.h"
#include "engine/exec/memory/device_memory.h"

namespace drywarp::exec {
namespace {

constexpr uint64_t kFilePage = 4096;

// The file's pages in place of those at `base`.
bool map_file(uint64_t base, uint64_t bytes, int file) {
  return ::mmap(reinterpret_cast<void*>(base), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) !=
         MAP_FAILED;
}

bool write_all(int file, const char* from, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t wrote = ::pwrite(file, from + done, bytes - done, static_cast<off_t>(done));
    if (wrote <= 0) return false;
    done += static_cast<uint64_t>(wrote);
  }
  return true;
}

}  // namespace

std::optional<int> DeviceMemory::share(uint64_t base) {
  const std::lock_guard lock(mutex_);
  if (const auto found = files_.find(base); found != files_.end()) return found->second;
  const auto it = allocations_.find(base);
  if (it == allocations_.end() || !it->second.live || !reserves(base)) return std::nullopt;
  const uint64_t bytes = round_up(it->second.size, kFilePage);
  const int file = ::memfd_create("drywarp", MFD_CLOEXEC);
  if (file < 0) return std::nullopt;
  if (!write_all(file, reinterpret_cast<const char*>(base), bytes) || !map_file(base, bytes, file)) {
    ::close(file);
    return std::nullopt;
  }
  files_[base] = file;
  return file;
}

std::optional<uint64_t> DeviceMemory::allocate_shared(int file, uint64_t size) {
  const auto base = allocate(size, MemoryKind::Device);
  if (!base || *base == 0) return std::nullopt;
  const int own = ::dup(file);
  if (own < 0 || !map_file(*base, round_up(size, kFilePage), own)) {
    if (own >= 0) ::close(own);
    free(*base);
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  files_[*base] = own;
  return base;
}

// The addresses get pages of their own again. The file lives on while another process maps it.
void DeviceMemory::unshare(const Allocation& gone) {
  const auto found = files_.find(gone.base);
  if (found == files_.end()) return;
  ::mmap(reinterpret_cast<void*>(gone.base), round_up(gone.size, kFilePage), PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  ::close(found->second);
  files_.erase(found);
}

}  // namespace drywarp::exec
