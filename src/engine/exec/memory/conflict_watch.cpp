#include "engine/exec/memory/conflict_watch.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/exec/memory/lane_moves.h"

namespace drywarp::exec {
namespace {

constexpr unsigned at(ConflictWatch::Use use) { return static_cast<unsigned>(use); }

}  // namespace

bool ConflictWatch::Page::conflicts_with(const Page& other, bool atomics_commute) const {
  for (size_t i = 0; i < kWords / 64; ++i) {
    const auto of = [&](const Page& p, Use use) { return p.words[at(use)][i]; };
    const auto half = [&](const Page& a, const Page& b) {
      const uint64_t flag_or_load = of(b, Use::Load) | of(b, Use::Flag);
      const uint64_t store = of(a, Use::Store) & (flag_or_load | of(b, Use::Store) | of(b, Use::Atomic));
      const uint64_t atomic = of(a, Use::Atomic) & (flag_or_load | (atomics_commute ? 0 : of(b, Use::Atomic)));
      return store | atomic | (of(a, Use::Flag) & of(b, Use::Load));
    };
    if ((half(*this, other) | half(other, *this)) != 0) return true;
  }
  return false;
}

void ConflictWatch::Page::add(const Page& other) {
  for (unsigned use = 0; use < kUses; ++use)
    for (size_t i = 0; i < kWords / 64; ++i) words[use][i] |= other.words[use][i];
}

ConflictWatch::ConflictWatch(const DeviceMemory& memory, unsigned workers, bool atomics_commute)
    : memory_(memory), atomics_commute_(atomics_commute) {
  for (unsigned w = 0; w < workers; ++w) logs_.push_back(std::make_unique<Log>(*this));
}

ConflictWatch::Page& ConflictWatch::Log::page_of(uint64_t number) {
  auto& recent = recent_[number % kRecent];
  if (recent.number == number) return *recent.page;
  std::unique_ptr<Page>& page = pages_[number];
  if (!page) page = std::make_unique<Page>();
  recent.number = number, recent.page = page.get();
  return *page;
}

// Lanes mostly touch the same few groups of 64 words: gather their bits before storing them.
void ConflictWatch::Log::note(const uint64_t* addresses, uint32_t mask, uint32_t bytes, Use use) {
  constexpr uint64_t kGroupBytes = 64 * kWordBytes;
  // Accesses are aligned to their size: one of up to 32 bytes lies in one group.
  const uint64_t run = (uint64_t{1} << (bytes + kWordBytes - 1) / kWordBytes) - 1;
  uint64_t group = ~uint64_t{0}, bits = 0;
  uint64_t* to = nullptr;
  for_lanes(mask, [&](uint32_t lane) {
    const uint64_t address = addresses[lane];
    if (address / kGroupBytes != group) {
      if (to) *to |= bits;
      group = address / kGroupBytes, bits = 0;
      Page& page = page_of(address / kPageBytes);
      if (use != Use::Load && !page.kept) page.kept = watch_.keep(address / kPageBytes, address);
      to = &page.words[at(use)][address % kPageBytes / kGroupBytes];
    }
    bits |= run << address % kGroupBytes / kWordBytes;
  });
  if (to) *to |= bits;
}

void ConflictWatch::Log::note_store(const uint64_t* addresses, uint32_t mask, uint32_t bytes, uint32_t elements,
                                    const void* values) {
  constexpr size_t kMostFlags = 1 << 16;
  const auto last = static_cast<uint32_t>(31 - std::countl_zero(mask));
  bool one_address = elements == 1 && bytes <= 8 && flags_.size() < kMostFlags;
  for (uint32_t left = mask; left != 0 && one_address; left &= left - 1)
    one_address = addresses[std::countr_zero(left)] == addresses[last];
  if (!one_address) return note(addresses, mask, bytes * elements, Use::Store);
  // Of lanes that store to one address the highest wins.
  Flag flag{0, bytes};
  std::memcpy(&flag.value, static_cast<const uint8_t*>(values) + size_t{last} * bytes, bytes);
  flags_[addresses[last]] = flag;
  note(addresses, 1u << last, bytes, Use::Flag);
}

bool ConflictWatch::keep(uint64_t page, uint64_t address) {
  const std::lock_guard lock(mutex_);
  if (kept_.contains(page)) return true;
  if (!memory_.find(address)) return false;
  auto copy = std::make_unique<uint8_t[]>(kPageBytes);
  std::memcpy(copy.get(), reinterpret_cast<const void*>(page * kPageBytes), kPageBytes);
  kept_.emplace(page, std::move(copy));
  return true;
}

bool ConflictWatch::has_conflict() const {
  std::unordered_map<uint64_t, Page> all;     // of the workers looked at so far
  std::unordered_map<uint64_t, Page> shared;  // words that several workers used as flags
  for (const auto& log : logs_) {
    for (const auto& [number, page] : log->pages_) {
      const auto [known, is_new] = all.try_emplace(number, *page);
      if (is_new) continue;
      if (page->conflicts_with(known->second, atomics_commute_)) return true;
      for (size_t i = 0; i < kWords / 64; ++i) {
        const uint64_t both = page->words[at(Use::Flag)][i] & known->second.words[at(Use::Flag)][i];
        if (both != 0) shared[number].words[at(Use::Flag)][i] |= both;
      }
      known->second.add(*page);
    }
  }
  // The last value that each worker stored there must be the current one: then every order gives it.
  for (const auto& log : logs_) {
    for (const auto& [address, flag] : log->flags_) {
      const auto found = shared.find(address / kPageBytes);
      const uint64_t word = address % kPageBytes / kWordBytes;
      if (found == shared.end() || (found->second.words[at(Use::Flag)][word / 64] >> word % 64 & 1) == 0) continue;
      if (std::memcmp(reinterpret_cast<const void*>(address), &flag.value, flag.bytes) != 0) return true;
    }
  }
  return false;
}

void ConflictWatch::undo() {
  for (const auto& [number, copy] : kept_) {
    uint64_t written[kWords / 64] = {};
    for (const auto& log : logs_) {
      const auto found = log->pages_.find(number);
      if (found == log->pages_.end()) continue;
      for (const Use use : {Use::Store, Use::Flag, Use::Atomic})
        for (size_t i = 0; i < kWords / 64; ++i) written[i] |= found->second->words[at(use)][i];
    }
    for (size_t i = 0; i < kWords / 64; ++i) {
      for (uint64_t left = written[i]; left != 0; left &= left - 1) {
        const uint64_t offset = (i * 64 + static_cast<uint64_t>(std::countr_zero(left))) * kWordBytes;
        std::memcpy(reinterpret_cast<void*>(number * kPageBytes + offset), copy.get() + offset, kWordBytes);
      }
    }
  }
}

}  // namespace drywarp::exec
