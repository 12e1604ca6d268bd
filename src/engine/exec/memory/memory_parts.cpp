// What programs say about parts of their allocations: what an arena hands out, regions, names and permissions.
#include <set>

#include <fmt/format.h>

#include "engine/exec/memory/device_memory.h"

namespace drywarp::exec {

Allocation* DeviceMemory::whole_of(uint64_t base, uint64_t size) {
  auto it = allocations_.upper_bound(base);
  if (it == allocations_.begin() || size == 0) return nullptr;
  Allocation& whole = std::prev(it)->second;
  const uint64_t offset = base - whole.base;
  return whole.live && offset < whole.size && size <= whole.size - offset ? &whole : nullptr;
}

bool DeviceMemory::hand_out(uint64_t base, uint64_t size) {
  if (placement_ == Placement::Close) return true;
  const std::lock_guard lock(mutex_);
  Allocation* whole = whole_of(base, size);
  if (!whole) return false;
  ++changes_;
  if (!regions_.in_heap(base)) whole->divided |= regions_.add_heap(whole->base, whole->size, true, nullptr);
  const Allocation* part = regions_.add(base, size, next_id_);
  if (!part) return false;
  ++next_id_;
  if (watch_) watch_->freed(*part), watch_->allocated(*part);
  return true;
}

bool DeviceMemory::add_region(uint64_t base, uint64_t size) {
  if (placement_ == Placement::Close) return true;
  const std::lock_guard lock(mutex_);
  Allocation* whole = whole_of(base, size);
  const Allocation* part = whole ? regions_.add(base, size, next_id_) : nullptr;
  if (!part) return false;
  ++changes_, ++next_id_;
  whole->divided = true;
  // Elsewhere, what was written stays written.
  if (watch_ && part->kind == MemoryKind::ArenaPart) watch_->freed(*part), watch_->allocated(*part);
  return true;
}

void DeviceMemory::take_part_back(Allocation& part) {
  ++changes_;
  part.live = false;
  if (watch_ && part.kind == MemoryKind::ArenaPart) watch_->freed(part);
}

bool DeviceMemory::take_back(uint64_t base) {
  if (placement_ == Placement::Close) return true;
  const std::lock_guard lock(mutex_);
  Allocation* part = regions_.find(base);
  if (part) take_part_back(*part);
  return part != nullptr;
}

bool DeviceMemory::resize_part(uint64_t base, uint64_t size) {
  if (placement_ == Placement::Close) return true;
  const std::lock_guard lock(mutex_);
  Allocation* part = regions_.find(base);
  const Allocation* whole = whole_of(base, 1);
  ++changes_;
  return part && whole && regions_.resize(*part, size, whole->base + whole->size);
}

Allocation* DeviceMemory::part_or_whole(uint64_t base) {
  if (Allocation* part = regions_.find(base)) return part;
  const auto whole = allocations_.find(base);
  return whole != allocations_.end() && whole->second.live ? &whole->second : nullptr;
}

bool DeviceMemory::label(uint64_t base, std::string_view called) {
  if (placement_ == Placement::Close) return true;
  const std::lock_guard lock(mutex_);
  Allocation* part = part_or_whole(base);
  if (!part) return false;
  const bool is_region = part->kind == MemoryKind::ArenaPart || part->kind == MemoryKind::Region;
  const char* const what = is_region                                  ? "region"
                           : part->kind == MemoryKind::ModuleGlobal   ? "the __device__ variable"
                           : part->kind == MemoryKind::ModuleConstant ? "the __constant__ variable"
                                                                      : "allocation";
  part->label = std::make_shared<const std::string>(fmt::format("{} '{}'", what, called));
  return true;
}

bool DeviceMemory::permit(uint64_t base, uint8_t may) {
  if (placement_ == Placement::Close) return true;
  const std::lock_guard lock(mutex_);
  Allocation* part = part_or_whole(base);
  ++changes_;
  if (part) part->may = may;
  return part != nullptr;
}

void DeviceMemory::permit_all() {
  const std::lock_guard lock(mutex_);
  ++changes_;
  regions_.for_each([](Allocation& part) { part.may = kMayAll; });
  for (auto& [base, whole] : allocations_) whole.may = kMayAll;
}

bool DeviceMemory::begins_at(uint64_t base) {
  const std::lock_guard lock(mutex_);
  return part_or_whole(base) != nullptr;
}

void DeviceMemory::bind_permissions(const Permissions& permissions) {
  release_permissions();
  const std::lock_guard lock(mutex_);
  ++changes_;
  const auto bind = [&](Allocation& a, std::map<uint64_t, uint8_t>& released, bool named) {
    if (!a.live || (!named && permissions.others == kMayAll)) return;
    released[a.base] = a.may;
    a.may = named ? permissions.of.at(a.base) : a.may & permissions.others;
    a.bound = named;
  };
  std::set<uint64_t> regions;  // which go before an allocation that begins there, too
  regions_.for_each([&](Allocation& region) {
    const bool named = permissions.of.contains(region.base);
    if (named) regions.insert(region.base);
    bind(region, released_regions_, named);
  });
  for (auto& [base, whole] : allocations_)
    bind(whole, released_, permissions.of.contains(base) && !regions.contains(base));
}

void DeviceMemory::release_permissions() {
  const std::lock_guard lock(mutex_);
  if (released_.empty() && released_regions_.empty()) return;
  ++changes_;
  const auto release = [](Allocation& a, const std::map<uint64_t, uint8_t>& released) {
    if (const auto found = released.find(a.base); found != released.end()) a.may = found->second;
    a.bound = false;
  };
  regions_.for_each([&](Allocation& region) { release(region, released_regions_); });
  for (auto& [base, whole] : allocations_) release(whole, released_);
  released_.clear(), released_regions_.clear();
}

bool DeviceMemory::make_heap(uint64_t base, uint64_t size, bool closed, const std::string& label) {
  if (placement_ == Placement::Close) return true;
  const std::lock_guard lock(mutex_);
  Allocation* whole = whole_of(base, size);
  const auto name = label.empty() ? nullptr : std::make_shared<const std::string>(label);
  if (!whole || !regions_.add_heap(base, size, closed, name)) return false;
  ++changes_;
  whole->divided = true;
  return true;
}

bool DeviceMemory::reset_heap(uint64_t base) {
  if (placement_ == Placement::Close) return true;
  const std::lock_guard lock(mutex_);
  regions_.for_each_in(base, [&](Allocation& part) { take_part_back(part); });
  return regions_.is_heap(base);
}

bool DeviceMemory::remove_heap(uint64_t base) {
  if (placement_ == Placement::Close) return true;
  const std::lock_guard lock(mutex_);
  ++changes_;
  return regions_.remove_heap(base);
}

}  // namespace drywarp::exec
