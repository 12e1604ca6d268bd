#include "engine/exec/memory/device_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/support/plural.h"
#include "base/support/round_up.h"

namespace drywarp::exec {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kGap = kPage;  // between allocations: an overrun does not reach the next one
// Placement::Apart: as much as the allocation itself, within bounds, and the share of addresses that may be
// quarantined.
constexpr uint64_t kWidestGap = uint64_t{1} << 20;
constexpr uint64_t kQuarantineShare = 4;

constexpr uint64_t kFar = uint64_t{1} << 32;  // an address so far from an allocation has nothing to do with it

// adopt() and forget() also serve mappings of device memory, which move whenever a neighbour is mapped.
bool is_of_host(MemoryKind kind) { return kind == MemoryKind::PinnedHost || kind == MemoryKind::Managed; }

}  // namespace

DeviceMemory::DeviceMemory(uint64_t capacity_bytes, Placement placement)
    : placement_(placement), capacity_(capacity_bytes) {
  // Reserves addresses only: pages are allocated on first touch. Twice the capacity, and at least 1 GiB, leaves room
  // for gaps and holes. One mapping for all: Linux limits the mappings of a process, and software checks every access.
  constexpr uint64_t kLeast = uint64_t{1} << 30;
  for (uint64_t size = std::max(round_up(capacity_bytes, kPage) * 2, kLeast); size >= kLeast; size /= 2) {
    void* range = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) continue;
    // Huge pages where they fit: otherwise simple kernels spend their time on page faults.
    ::madvise(range, size, MADV_HUGEPAGE);
    reserved_base_ = reinterpret_cast<uint64_t>(range);
    reserved_size_ = size;
    free_ranges_[reserved_base_] = size;
    return;
  }
}

DeviceMemory::~DeviceMemory() {
  for (const auto& [base, file] : files_) ::close(file);
  if (reserved_size_ != 0) ::munmap(reinterpret_cast<void*>(reserved_base_), reserved_size_);
}

// Whole pages: at least the alignment of cudaMalloc.
uint64_t DeviceMemory::room(uint64_t size) const {
  const uint64_t pages = round_up(size, kPage);
  return pages + (placement_ == Placement::Close ? kGap : std::clamp(pages, kGap, kWidestGap));
}

std::optional<uint64_t> DeviceMemory::place(uint64_t size, MemoryKind kind) {
  const uint64_t pages = room(size);
  const auto fits = [&](const auto& range) { return range.second >= pages; };
  // Constants lie at the far end: a GPU keeps them in pages of their own, which an overrun of data does not reach.
  const bool last = kind == MemoryKind::ModuleConstant;
  auto it = free_ranges_.end();
  if (last) {
    const auto from_end = std::ranges::find_if(free_ranges_ | std::views::reverse, fits);
    if (from_end != free_ranges_.rend()) it = std::prev(from_end.base());
  } else {
    it = std::ranges::find_if(free_ranges_, fits);
  }
  if (it != free_ranges_.end()) {
    const uint64_t start = it->first, rest = it->second - pages, base = last ? start + rest : start;
    free_ranges_.erase(it);
    if (rest != 0) free_ranges_[last ? start : base + pages] = rest;
    // Forgets the freed allocations that lay here.
    allocations_.erase(allocations_.lower_bound(base), allocations_.lower_bound(base + pages));
    allocations_[base] = {base, size, kind, false, next_id_++};
    if (stray_writes_.load(std::memory_order_relaxed)) ::madvise(reinterpret_cast<void*>(base), pages, MADV_DONTNEED);
    return base;
  }
  if (quarantine_.empty()) return std::nullopt;
  for (const Allocation& gone : std::exchange(quarantine_, {})) return_addresses(gone);
  quarantined_ = 0;
  return place(size, kind);
}

std::optional<uint64_t> DeviceMemory::allocate(uint64_t size, MemoryKind kind) {
  if (size == 0) return 0;
  std::lock_guard lock(mutex_);
  ++changes_;
  if (size > capacity_ - std::min(capacity_, used_)) return std::nullopt;
  const auto base = place(size, kind);
  if (!base) return std::nullopt;
  allocations_[*base].live = true;
  if (watch_) watch_->allocated(allocations_[*base]);
  used_ += size;
  return base;
}

bool DeviceMemory::free(uint64_t base) {
  std::lock_guard lock(mutex_);
  ++changes_;
  auto it = allocations_.find(base);
  if (it == allocations_.end() || !it->second.live || !reserves(base)) return false;
  it->second.live = false;
  regions_.forget(it->second);
  it->second.divided = false;
  if (watch_) watch_->freed(it->second);
  used_ -= it->second.size;
  unshare(it->second);
  // Returns the pages to the system; they are zero when reused.
  ::madvise(reinterpret_cast<void*>(base), room(it->second.size), MADV_DONTNEED);
  if (!it->second.kept) retire(it->second);
  return true;
}

void DeviceMemory::retire(const Allocation& gone) {
  if (placement_ == Placement::Close) return return_addresses(gone);
  quarantine_.push_back(gone);
  for (quarantined_ += room(gone.size); quarantined_ > reserved_size_ / kQuarantineShare; quarantine_.pop_front()) {
    quarantined_ -= room(quarantine_.front().size);
    return_addresses(quarantine_.front());
  }
}

void DeviceMemory::return_addresses(const Allocation& gone) {
  uint64_t start = gone.base, size = room(gone.size);
  auto after = free_ranges_.lower_bound(start);
  if (after != free_ranges_.end() && after->first == start + size) {
    size += after->second;
    after = free_ranges_.erase(after);
  }
  if (after != free_ranges_.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == start) {
      start = before->first;
      size += before->second;
      free_ranges_.erase(before);
    }
  }
  free_ranges_[start] = size;
}

std::optional<uint64_t> DeviceMemory::reserve_addresses(uint64_t size, MemoryKind kind) {
  if (size == 0) return 0;
  std::lock_guard lock(mutex_);
  const auto base = place(size, kind);
  if (base) allocations_[*base].kept = true;
  return base;
}

bool DeviceMemory::commit(uint64_t base) {
  std::lock_guard lock(mutex_);
  ++changes_;
  auto it = allocations_.find(base);
  if (it == allocations_.end() || it->second.live || !it->second.kept) return false;
  if (it->second.size > capacity_ - std::min(capacity_, used_)) return false;
  it->second.live = true;
  it->second.id = next_id_++;
  it->second.label = nullptr;  // of what was here before, as are its permissions
  it->second.may = kMayAll;
  if (watch_) watch_->allocated(it->second);
  used_ += it->second.size;
  return true;
}

void DeviceMemory::release_addresses(uint64_t base) {
  std::lock_guard lock(mutex_);
  auto it = allocations_.find(base);
  if (it == allocations_.end() || !it->second.kept) return;
  it->second.kept = false;
  if (!it->second.live) retire(it->second);
}

void DeviceMemory::adopt(uint64_t base, uint64_t size, MemoryKind kind) {
  std::lock_guard lock(mutex_);
  ++changes_;
  allocations_[base] = {base, size, kind, true, next_id_++};
  if (watch_ && is_of_host(kind)) watch_->allocated(allocations_[base]);
}

bool DeviceMemory::forget(uint64_t base) {
  std::lock_guard lock(mutex_);
  ++changes_;
  auto it = allocations_.find(base);
  if (it == allocations_.end() || !it->second.live) return false;
  if (watch_ && is_of_host(it->second.kind)) watch_->freed(it->second);
  allocations_.erase(it);
  return true;
}

bool DeviceMemory::charge(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (bytes > capacity_ - std::min(capacity_, used_)) return false;
  used_ += bytes;
  return true;
}

void DeviceMemory::refund(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  used_ -= bytes;
}

std::optional<Allocation> DeviceMemory::find(uint64_t address) const {
  std::lock_guard lock(mutex_);
  auto it = allocations_.upper_bound(address);
  if (it == allocations_.begin()) return std::nullopt;
  const Allocation& a = std::prev(it)->second;
  if (!a.live || address - a.base >= a.size) return std::nullopt;
  return a;
}

std::optional<Allocation> DeviceMemory::accessible(uint64_t address) const {
  const auto whole = find(address);
  if (!whole || !whole->divided) return whole;
  const std::lock_guard lock(mutex_);
  return regions_.accessible(*whole, address);
}

bool DeviceMemory::mapped(uint64_t address, uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  const bool ours = reserves(address);
  const uint64_t page_bytes = ours ? kMappedPage : kPage, origin = ours ? reserved_base_ : 0;
  const uint64_t end = address + bytes;
  if (end < address || (ours && !reserves(end - 1))) return false;
  for (uint64_t page = address - (address - origin) % page_bytes; page < end; page += page_bytes) {
    // The live allocation that begins last before the page's end; the freed ones among them do not count.
    auto it = allocations_.lower_bound(page + page_bytes);
    bool held = false;
    while (!held && it != allocations_.begin()) {
      const Allocation& a = (--it)->second;
      held = a.live && a.base + a.size > page;
      if (a.base < page && a.live) break;
    }
    if (!held) return false;
  }
  return true;
}

std::optional<Allocation> DeviceMemory::nearest(uint64_t address) const {
  if (address < kPage) return std::nullopt;  // null, or a member of what it would point to
  const std::lock_guard lock(mutex_);
  const auto next = allocations_.upper_bound(address);
  const Allocation* before = next == allocations_.begin() ? nullptr : &std::prev(next)->second;
  const Allocation* after = next == allocations_.end() ? nullptr : &next->second;
  if (before && address - before->base < before->size)
    return before->divided ? regions_.nearest(*before, address) : *before;
  const uint64_t past = before ? address - (before->base + before->size) : UINT64_MAX;
  const uint64_t ahead = after ? after->base - address : UINT64_MAX;
  if (std::min(past, ahead) > kFar) return std::nullopt;
  return past <= ahead ? *before : *after;
}

std::string DeviceMemory::describe(uint64_t address) const {
  if (address < 4096)
    return address == 0 ? "this is the null pointer"
                        : fmt::format("this is {} from the null pointer", plural(address, "byte"));
  std::lock_guard lock(mutex_);
  auto next = allocations_.upper_bound(address);
  const Allocation* before = next == allocations_.begin() ? nullptr : &std::prev(next)->second;
  const Allocation* after = next == allocations_.end() ? nullptr : &next->second;
  if (before && address - before->base < before->size) {
    if (!before->live)
      return fmt::format("{} into {} of {} that {} (#{})", plural(address - before->base, "byte"), name(before->kind),
                         plural(before->size, "byte"),
                         before->kept ? "its graph has not allocated, or has freed" : "has been freed", before->id);
    return fmt::format("{} into {} of {} (#{})", plural(address - before->base, "byte"), name(before->kind),
                       plural(before->size, "byte"), before->id);
  }
  const uint64_t past = before ? address - (before->base + before->size) : UINT64_MAX;
  const uint64_t ahead = after ? after->base - address : UINT64_MAX;
  if (past == UINT64_MAX && ahead == UINT64_MAX) return "no device memory is allocated";
  if (std::min(past, ahead) > kFar) return "this is far from every allocation; a host pointer, perhaps?";
  if (past <= ahead)
    return fmt::format("{} past the end of {}{} of {} (#{})", plural(past, "byte"),
                       before->live ? "" : "freed: ", name(before->kind), plural(before->size, "byte"), before->id);
  return fmt::format("{} before {} of {} (#{})", plural(ahead, "byte"), name(after->kind), plural(after->size, "byte"),
                     after->id);
}

uint64_t DeviceMemory::used() const {
  std::lock_guard lock(mutex_);
  return used_;
}

std::vector<Allocation> DeviceMemory::live() const {
  std::lock_guard lock(mutex_);
  std::vector<Allocation> all;
  for (const auto& [base, a] : allocations_)
    if (a.live) all.push_back(a);
  return all;
}

}  // namespace drywarp::exec
