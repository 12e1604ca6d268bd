#include "engine/exec/memory/followed_pointers.h"

#include <algorithm>
#include <cstring>

namespace drywarp::exec {
namespace {

constexpr uint64_t kPointerBytes = sizeof(uint64_t);
// Reading a table costs each launch some time, of this many bytes at most about a millisecond.
constexpr uint64_t kMostTable = 256 << 10;

std::optional<Allocation> plain(const DeviceMemory& memory, uint64_t address) {
  auto allocation = memory.find(address);
  const bool is = allocation && (allocation->kind == MemoryKind::Device || allocation->kind == MemoryKind::Managed);
  return is ? allocation : std::nullopt;
}

uint64_t word_at(uint64_t address) {
  uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
  return word;
}

// Whether two allocations have nothing between them.
bool joined(const DeviceMemory& memory, const Allocation& a, const Allocation& b) {
  const Allocation &low = a.base < b.base ? a : b, &high = a.base < b.base ? b : a;
  uint64_t end = low.base + low.size;
  for (auto next = plain(memory, end); next && end < high.base; next = plain(memory, end))
    end = next->base + next->size;
  return end >= high.base;
}

}  // namespace

void FollowedPointers::start(const analysis::PointerSources& sources, const uint8_t* parameters,
                             uint64_t parameter_bytes, const uint64_t* variables, const DeviceMemory& memory) {
  using Kind = analysis::PointerSource::Kind;
  memory_ = &memory;
  for (const analysis::PointerSource& source : sources.all) {
    Place& place = places_.emplace_back();
    if (source.kind == Kind::Beyond) continue;
    const uint64_t start =
        source.variable == ir::kNone ? reinterpret_cast<uint64_t>(parameters) : variables[source.variable];
    if (start == 0) continue;
    uint64_t bytes = parameter_bytes;
    if (source.variable != ir::kNone) {
      const auto variable = memory.find(start);
      bytes = variable ? variable->size : 0;
      place.fixed = variable && variable->kind == MemoryKind::ModuleConstant;
    } else {
      place.fixed = true;
    }
    if (source.kind == Kind::InVariable) {
      place.address = start, place.bytes = bytes;
    } else {
      if (source.offset >= bytes || bytes - source.offset < kPointerBytes) continue;
      place.address = start + source.offset, place.bytes = kPointerBytes;
      if (source.kind == Kind::Listed) {
        // In which table the kernel looks is known as long as the pointer to it stays.
        const auto table = place.fixed ? plain(memory, word_at(place.address)) : std::nullopt;
        place = {table ? table->base : 0, table ? table->size : 0, false, {}};
      }
    }
    if (place.bytes > kMostTable || !collect(place.address, place.bytes, place.pointers)) place.bytes = 0;
  }
}

bool FollowedPointers::collect(uint64_t address, uint64_t bytes, std::vector<uint64_t>& pointers) const {
  Allocation last{};
  for (uint64_t at = 0; at + kPointerBytes <= bytes; at += kPointerBytes) {
    const uint64_t pointer = word_at(address + at);
    if (pointer - last.base < last.size || !memory_->reserves(pointer)) continue;
    const auto allocation = plain(*memory_, pointer);
    if (!allocation) return false;
    last = *allocation;
    if (std::ranges::none_of(pointers, [&](uint64_t known) { return known - last.base < last.size; }))
      pointers.push_back(pointer);
  }
  return true;
}

bool FollowedPointers::leaves(uint64_t pointer, uint64_t address) const {
  const auto from = plain(*memory_, pointer), to = plain(*memory_, address);
  return from && to && from->base != to->base && !joined(*memory_, *from, *to);
}

bool FollowedPointers::names(uint64_t pointer) const { return plain(*memory_, pointer).has_value(); }

uint64_t FollowedPointers::left(uint32_t source, uint64_t address, uint64_t base, uint64_t end) const {
  const Place& place = places_[source];
  const auto inside = [&](uint64_t pointer) { return pointer >= base && pointer < end; };
  if (place.bytes == 0 || place.pointers.empty() || std::ranges::any_of(place.pointers, inside)) return 0;
  const auto to = plain(*memory_, address);
  if (!to) return 0;
  std::vector<uint64_t> pointers = place.pointers;
  if (!place.fixed && !collect(place.address, place.bytes, pointers)) return 0;
  const auto leads_there = [&](uint64_t pointer) {
    const auto from = plain(*memory_, pointer);
    return !from || from->base == to->base || joined(*memory_, *from, *to);
  };
  if (std::ranges::any_of(pointers, leads_there)) return 0;
  // The nearest one.
  return *std::ranges::min_element(
      pointers, {}, [&](uint64_t pointer) { return pointer < address ? address - pointer : pointer - address; });
}

}  // namespace drywarp::exec
