#include "engine/exec/memory/memory_regions.h"

#include <algorithm>

namespace drywarp::exec {
namespace {

uint64_t end_of(const Allocation& a) { return a.base + a.size; }
bool holds(const Allocation& a, uint64_t address) { return address - a.base < a.size; }

// The last element that begins at the address or before; null: none.
template <class Map>
auto last_at(Map& map, uint64_t address) -> decltype(&map.begin()->second) {
  const auto next = map.upper_bound(address);
  return next == map.begin() ? nullptr : &std::prev(next)->second;
}

}  // namespace

bool MemoryRegions::restricts(const Allocation& region) {
  return region.live && (region.may != kMayAll || region.bound);
}

const MemoryRegions::Heap* MemoryRegions::heap_at(uint64_t address) const {
  const Heap* heap = last_at(heaps_, address);
  return heap && address - heap->base < heap->size ? heap : nullptr;
}

bool MemoryRegions::in_closed_heap(uint64_t address) const {
  const Heap* heap = heap_at(address);
  return heap && heap->closed;
}

const Allocation* MemoryRegions::region_before(uint64_t address) const { return last_at(regions_, address); }

bool MemoryRegions::add_heap(uint64_t base, uint64_t size, bool closed, Label label) {
  const auto next = heaps_.lower_bound(base);
  if (heap_at(base) || (next != heaps_.end() && next->first - base < size)) return false;
  heaps_[base] = {base, size, closed, std::move(label)};
  return true;
}

bool MemoryRegions::remove_heap(uint64_t base) {
  const auto heap = heaps_.find(base);
  if (heap == heaps_.end()) return false;
  regions_.erase(regions_.lower_bound(base), regions_.lower_bound(base + heap->second.size));
  heaps_.erase(heap);
  return true;
}

const Allocation* MemoryRegions::add(uint64_t base, uint64_t size, uint64_t id) {
  const Heap* heap = heap_at(base);
  const auto next_heap = heaps_.upper_bound(base);
  if (heap ? size > heap->size - (base - heap->base) : next_heap != heaps_.end() && next_heap->first - base < size)
    return nullptr;
  const auto end = regions_.lower_bound(base + size);
  auto first = regions_.lower_bound(base);
  if (const Allocation* before = region_before(base); before && end_of(*before) > base)
    first = regions_.find(before->base);
  if (std::any_of(first, end, [](const auto& region) { return region.second.live; })) return nullptr;
  regions_.erase(first, end);
  Allocation& region = regions_[base];
  region.base = base, region.size = size, region.id = id;
  region.kind = heap && heap->closed ? MemoryKind::ArenaPart : MemoryKind::Region;
  if (heap) region.label = heap->label;
  return &region;
}

Allocation* MemoryRegions::find(uint64_t base) {
  const auto region = regions_.find(base);
  return region == regions_.end() || !region->second.live ? nullptr : &region->second;
}

bool MemoryRegions::resize(Allocation& region, uint64_t size, uint64_t end) {
  const Heap* heap = heap_at(region.base);
  if (size == 0 || size > (heap ? heap->base + heap->size : end) - region.base) return false;
  const auto next = regions_.upper_bound(region.base), last = regions_.lower_bound(region.base + size);
  if (size > region.size) {
    if (std::any_of(next, last, [](const auto& r) { return r.second.live; })) return false;
    regions_.erase(next, last);
  }
  region.size = size;
  return true;
}

void MemoryRegions::for_each_in(uint64_t heap, const std::function<void(Allocation&)>& visit) {
  const auto found = heaps_.find(heap);
  if (found == heaps_.end()) return;
  const auto end = regions_.lower_bound(heap + found->second.size);
  for (auto region = regions_.lower_bound(heap); region != end; ++region)
    if (region->second.live) visit(region->second);
}

void MemoryRegions::for_each(const std::function<void(Allocation&)>& visit) {
  for (auto& [base, region] : regions_)
    if (region.live) visit(region);
}

void MemoryRegions::forget(const Allocation& whole) {
  regions_.erase(regions_.lower_bound(whole.base), regions_.lower_bound(end_of(whole)));
  heaps_.erase(heaps_.lower_bound(whole.base), heaps_.lower_bound(end_of(whole)));
}

std::optional<Allocation> MemoryRegions::accessible(const Allocation& whole, uint64_t address) const {
  const bool closed = in_closed_heap(address);
  const Allocation* region = region_before(address);
  if (region && region->live && holds(*region, address) && (closed || restricts(*region))) return *region;
  if (closed) return std::nullopt;
  uint64_t first = whole.base, end = end_of(whole);
  const auto clip = [&](uint64_t from, uint64_t to) {
    if (from <= address) first = std::max(first, to);
    if (from > address) end = std::min(end, from);
  };
  auto heap = heaps_.upper_bound(address);
  for (auto after = heap; after != heaps_.end() && after->first < end; ++after)
    if (after->second.closed) clip(after->first, after->first);
  while (heap != heaps_.begin() && (--heap)->first + heap->second.size > first)
    if (heap->second.closed) clip(heap->first, heap->first + heap->second.size);
  auto other = regions_.upper_bound(address);
  for (auto after = other; after != regions_.end() && after->first < end; ++after)
    if (restricts(after->second)) clip(after->first, after->first);
  while (other != regions_.begin() && end_of((--other)->second) > first)
    if (restricts(other->second)) clip(other->first, end_of(other->second));
  Allocation open = whole;
  open.base = first, open.size = end - first;
  return open;
}

Allocation MemoryRegions::nearest(const Allocation& whole, uint64_t address) const {
  const Allocation* region = region_before(address);
  if (region && holds(*region, address)) return *region;
  const Heap* heap = heap_at(address);
  if (!heap || !heap->closed) return whole;
  if (region && region->base < heap->base) region = nullptr;
  const auto next = regions_.upper_bound(address);
  if (next != regions_.end() && next->first - heap->base < heap->size &&
      (!region || next->first - address < address - end_of(*region)))
    return next->second;
  return region ? *region : whole;
}

}  // namespace drywarp::exec
