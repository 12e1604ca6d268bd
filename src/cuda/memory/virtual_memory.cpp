#include "cuda/memory/virtual_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>

#include "base/support/round_up.h"

namespace drywarp::cuda {
namespace {

constexpr int kReserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

bool is_whole(uint64_t size) { return size != 0 && size % VirtualMemory::kGranularity == 0; }
void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

struct VirtualMemory::Physical {
  exec::DeviceMemory& device;
  uint64_t size;
  int file;
  Physical(exec::DeviceMemory& of, uint64_t bytes, int memory) : device(of), size(bytes), file(memory) {}
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;
  ~Physical() {
    close(file);
    device.refund(size);
  }
};

Error VirtualMemory::reserve(uint64_t& address, uint64_t size, uint64_t alignment, uint64_t hint) {
  if (!is_whole(size) || (alignment && !std::has_single_bit(alignment))) return Error::InvalidValue;
  const uint64_t unit = std::max(alignment, kGranularity);
  // Reserve more than requested, so that it contains an aligned range; release the rest.
  void* const made = mmap(pointer(hint), size + unit, PROT_NONE, kReserved, -1, 0);
  if (made == MAP_FAILED) return Error::MemoryAllocation;
  const uint64_t start = reinterpret_cast<uint64_t>(made);
  address = round_up(start, unit);
  if (address > start) munmap(made, address - start);
  if (const uint64_t behind = start + unit - address; behind > 0) munmap(pointer(address + size), behind);
  ranges_[address] = size;
  return Error::Success;
}

Error VirtualMemory::free(uint64_t address, uint64_t size) {
  const auto range = ranges_.find(address);
  if (range == ranges_.end() || range->second != size) return Error::InvalidValue;
  const auto inside = mappings_.lower_bound(address);
  if (inside != mappings_.end() && inside->first < address + size) return Error::InvalidValue;
  munmap(pointer(address), size);
  ranges_.erase(range);
  return Error::Success;
}

Error VirtualMemory::create(uint64_t& handle, uint64_t size) {
  if (!is_whole(size)) return Error::InvalidValue;
  if (!device_.charge(size)) return Error::MemoryAllocation;
  const int file = memfd_create("device memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, off_t(size)) != 0) {
    if (file >= 0) close(file);
    device_.refund(size);
    return Error::MemoryAllocation;
  }
  handles_[handle = next_handle_++] = {std::make_shared<Physical>(device_, size, file)};
  return Error::Success;
}

Error VirtualMemory::release(uint64_t handle) {
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return Error::InvalidValue;
  if (--found->second.references == 0) handles_.erase(found);
  return Error::Success;
}

Error VirtualMemory::retain(uint64_t& handle, uint64_t address) {
  const auto next = mappings_.upper_bound(address);
  if (next == mappings_.begin()) return Error::InvalidValue;
  const auto& [start, mapping] = *std::prev(next);
  if (address - start >= mapping.size) return Error::InvalidValue;
  for (auto& [known, held] : handles_)
    if (held.memory == mapping.memory) {
      ++held.references;
      handle = known;
      return Error::Success;
    }
  handles_[handle = next_handle_++] = {mapping.memory};
  return Error::Success;
}

Error VirtualMemory::export_file(int& file, uint64_t handle) const {
  const auto found = handles_.find(handle);
  if (found == handles_.end() || !found->second.shareable) return Error::InvalidValue;
  file = fcntl(found->second.memory->file, F_DUPFD_CLOEXEC, 0);
  return file < 0 ? Error::OperatingSystem : Error::Success;
}

Error VirtualMemory::import_file(uint64_t& handle, int file) {
  struct stat found{};
  if (fstat(file, &found) != 0 || !is_whole(uint64_t(found.st_size))) return Error::InvalidValue;
  const auto size = uint64_t(found.st_size);
  if (!device_.charge(size)) return Error::MemoryAllocation;
  const int own = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (own < 0) {
    device_.refund(size);
    return Error::OperatingSystem;
  }
  Handle made{std::make_shared<Physical>(device_, size, own)};
  made.shareable = true;
  handles_[handle = next_handle_++] = std::move(made);
  return Error::Success;
}

Error VirtualMemory::map(uint64_t address, uint64_t size, uint64_t handle) {
  const auto found = handles_.find(handle);
  if (found == handles_.end() || found->second.memory->size != size || address % kGranularity)
    return Error::InvalidValue;
  auto range = ranges_.upper_bound(address);
  if (range == ranges_.begin()) return Error::InvalidValue;
  --range;
  if (address - range->first > range->second || size > range->second - (address - range->first))
    return Error::InvalidValue;
  const auto next = mappings_.lower_bound(address);
  if (next != mappings_.end() && next->first < address + size) return Error::InvalidValue;
  if (next != mappings_.begin() && std::prev(next)->first + std::prev(next)->second.size > address)
    return Error::InvalidValue;
  if (mmap(pointer(address), size, PROT_NONE, MAP_SHARED | MAP_FIXED, found->second.memory->file, 0) == MAP_FAILED)
    return Error::MapBufferObjectFailed;
  mappings_[address] = {size, found->second.memory};
  return Error::Success;
}

bool VirtualMemory::find_mappings(uint64_t address, uint64_t size, Mappings::iterator& first,
                                  Mappings::iterator& last) {
  first = last = mappings_.find(address);
  uint64_t at = address;
  while (last != mappings_.end() && last->first == at && at < address + size) at += (last++)->second.size;
  return first != mappings_.end() && at == address + size;
}

Error VirtualMemory::unmap(uint64_t address, uint64_t size) {
  Mappings::iterator first, last;
  if (!find_mappings(address, size, first, last)) return Error::InvalidValue;
  mappings_.erase(first, last);
  update_device();
  // Keep the range reserved.
  mmap(pointer(address), size, PROT_NONE, kReserved | MAP_FIXED, -1, 0);
  return Error::Success;
}

Error VirtualMemory::set_access(uint64_t address, uint64_t size, MemoryAccess access) {
  Mappings::iterator first, last;
  if (!find_mappings(address, size, first, last)) return Error::InvalidValue;
  // The host writes for the device (copies, fills), so read-only access is enforced for kernels only.
  const int protection = access == MemoryAccess::None ? PROT_NONE : PROT_READ | PROT_WRITE;
  if (mprotect(pointer(address), size, protection) != 0) return Error::InvalidValue;
  for (; first != last; ++first) first->second.access = access;
  update_device();
  return Error::Success;
}

Error VirtualMemory::access(uint64_t address, MemoryAccess& out) const {
  const auto next = mappings_.upper_bound(address);
  if (next == mappings_.begin()) return Error::InvalidValue;
  const auto& [start, mapping] = *std::prev(next);
  if (address - start >= mapping.size) return Error::InvalidValue;
  out = mapping.access;
  return Error::Success;
}

void VirtualMemory::update_device() {
  std::map<uint64_t, std::pair<uint64_t, MemoryAccess>> now;
  for (const auto& [address, mapping] : mappings_) {
    if (mapping.access == MemoryAccess::None) continue;
    if (!now.empty()) {
      auto& [start, run] = *now.rbegin();
      if (start + run.first == address && run.second == mapping.access) {
        run.first += mapping.size;
        continue;
      }
    }
    now[address] = {mapping.size, mapping.access};
  }
  for (const auto& [address, run] : registered_)
    if (const auto same = now.find(address); same == now.end() || same->second != run) device_.forget(address);
  for (const auto& [address, run] : now)
    if (const auto same = registered_.find(address); same == registered_.end() || same->second != run)
      device_.adopt(address, run.first,
                    run.second == MemoryAccess::Read ? exec::MemoryKind::ReadOnly : exec::MemoryKind::Device);
  registered_ = std::move(now);
}

void VirtualMemory::reset() {
  mappings_.clear();
  update_device();
  handles_.clear();
  for (const auto& [address, size] : ranges_) munmap(pointer(address), size);
  ranges_.clear();
}

}  // namespace drywarp::cuda
