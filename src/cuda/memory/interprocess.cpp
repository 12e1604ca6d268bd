#include "cuda/memory/interprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drywarp::cuda {
namespace {

constexpr uint64_t kMagic = 0x63706977'79726400;  // no program can make up a handle by accident

}  // namespace

Error Interprocess::handle_of(uint64_t address, SharedHandle& out) {
  const auto allocation = device_.find(address);
  if (!allocation || allocation->kind != exec::MemoryKind::Device || opened_.contains(allocation->base))
    return Error::InvalidValue;
  const auto file = device_.share(allocation->base);
  if (!file) return Error::MemoryAllocation;
  out = {kMagic, SharedKind::Memory, ::getpid(), *file, allocation->size, allocation->id};
  return Error::Success;
}

Error Interprocess::open(const SharedHandle& handle, uint64_t& address, bool of_pool) {
  if (handle.magic != kMagic || handle.kind != SharedKind::Memory) return Error::InvalidValue;
  if (handle.process == ::getpid()) return Error::DeviceUninitialized;
  for (auto& [base, opened] : opened_) {
    if (opened.handle.process != handle.process || opened.handle.id != handle.id) continue;
    if (opened.of_pool != of_pool) return Error::InvalidValue;
    ++opened.times;
    address = base;
    return Error::Success;
  }
  const int file = ::open(fmt::format("/proc/{}/fd/{}", handle.process, handle.file).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return Error::MapBufferObjectFailed;
  if (struct stat found; ::fstat(file, &found) != 0 || found.st_size < static_cast<off_t>(handle.size)) {
    ::close(file);  // the allocation is gone, and its number is another file's
    return Error::MapBufferObjectFailed;
  }
  const auto base = device_.allocate_shared(file, handle.size);
  ::close(file);
  if (!base) return Error::MemoryAllocation;
  opened_[address = *base] = {handle, 1, of_pool};
  return Error::Success;
}

Error Interprocess::close(uint64_t address) {
  const auto found = opened_.find(address);
  if (found == opened_.end()) return Error::InvalidValue;
  if (--found->second.times > 0) return Error::Success;
  device_.free(address);
  opened_.erase(found);
  return Error::Success;
}

bool Interprocess::is_of_pool(uint64_t address) const {
  const auto found = opened_.find(address);
  return found != opened_.end() && found->second.of_pool;
}

void Interprocess::reset() {
  for (const auto& [address, opened] : opened_) device_.free(address);
  opened_.clear();
}

SharedHandle Interprocess::event_handle() { return {kMagic, SharedKind::Event, ::getpid(), -1, 0, 0}; }

Error Interprocess::check_event(const SharedHandle& handle) {
  if (handle.magic != kMagic || handle.kind != SharedKind::Event) return Error::InvalidValue;
  return handle.process == ::getpid() ? Error::DeviceUninitialized : Error::Success;
}

}  // namespace drywarp::cuda
