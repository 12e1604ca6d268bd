#include "engine/exec/memory/written_bytes.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>

namespace drywarp::exec {
namespace {

constexpr uint64_t kBits = 64;
constexpr uint64_t kPageBytes = 4096;

// Calls visit(word, mask) for the bits [first, end).
template <class Visit>
void for_words(uint64_t first, uint64_t end, Visit visit) {
  while (first < end) {
    const uint64_t in_word = first % kBits, count = std::min(kBits - in_word, end - first);
    const uint64_t mask = (count == kBits ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << in_word;
    visit(first / kBits, mask);
    first += count;
  }
}

// Of zeros, in pages that exist once they are written to; null: no room.
void* reserve(uint64_t bytes) {
  void* memory =
      ::mmap(nullptr, bytes + kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

WrittenBytes::WrittenBytes(uint64_t base, uint64_t size)
    : base_(base),
      size_(size),
      bits_(static_cast<uint64_t*>(reserve(size / 8))),
      runs_(static_cast<uint32_t*>(reserve(size / kRunBytes * sizeof(uint32_t)))) {}

WrittenBytes::~WrittenBytes() {
  if (bits_) ::munmap(bits_, size_ / 8 + kPageBytes);
  if (runs_) ::munmap(runs_, size_ / kRunBytes * sizeof(uint32_t) + kPageBytes);
}

void WrittenBytes::mark(uint64_t address, uint64_t bytes) {
  if (!holds(address, bytes)) return;
  for_words(address - base_, address - base_ + bytes, [&](uint64_t word, uint64_t mask) {
    const std::atomic_ref bits(bits_[word]);
    if ((bits.load(std::memory_order_relaxed) & mask) != mask) bits.fetch_or(mask, std::memory_order_relaxed);
  });
}

void WrittenBytes::forget(uint64_t address, uint64_t bytes) {
  if (!holds(address, bytes)) return;
  const uint64_t first = address - base_, end = first + bytes;
  const auto clear = [&](uint64_t from, uint64_t to) {
    for_words(from, to, [&](uint64_t word, uint64_t mask) { std::atomic_ref(bits_[word]).fetch_and(~mask); });
  };
  // Whole pages of bits go back to the system: they are zero when they are used again.
  constexpr uint64_t kPage = kPageBytes * 8;
  const uint64_t pages_begin = (first + kPage - 1) / kPage * kPage, pages_end = end / kPage * kPage;
  if (pages_begin >= pages_end) {
    clear(first, end);
  } else {
    clear(first, pages_begin);
    ::madvise(reinterpret_cast<uint8_t*>(bits_) + pages_begin / 8, (pages_end - pages_begin) / 8, MADV_DONTNEED);
    clear(pages_end, end);
  }
  // Behind the bits: who has found a run whole meanwhile finds its word changed. Runs that nobody has looked at keep
  // their pages.
  for (uint64_t run = first / kRunBytes; runs_ && run * kRunBytes < end; ++run) {
    const std::atomic_ref word(runs_[run]);
    for (uint32_t seen = word.load(); seen != 0 && !word.compare_exchange_weak(seen, (seen | 1) + 1);) {
    }
  }
}

bool WrittenBytes::whole_run(uint64_t run) const {
  const std::atomic_ref word(runs_[run]);
  uint32_t seen = word.load(std::memory_order_acquire);
  if ((seen & 1) != 0) return true;
  constexpr uint64_t kWords = kRunBytes / kBits;
  if (std::atomic_ref(bits_[run * kWords]).load(std::memory_order_relaxed) != ~uint64_t{0}) return false;
  if (seen == 0 && word.compare_exchange_strong(seen, 2)) seen = 2;
  for (uint64_t at = run * kWords; at < (run + 1) * kWords; ++at)
    if (std::atomic_ref(bits_[at]).load() != ~uint64_t{0}) return false;
  return word.compare_exchange_strong(seen, seen | 1);
}

bool WrittenBytes::written(uint64_t address, uint64_t bytes) const {
  if (!holds(address, bytes)) return true;
  bool all = true;
  for_words(address - base_, address - base_ + bytes, [&](uint64_t word, uint64_t mask) {
    all &= (std::atomic_ref(bits_[word]).load(std::memory_order_relaxed) & mask) == mask;
  });
  return all;
}

LaneMask WrittenBytes::unwritten(const uint64_t* addresses, LaneMask lanes, uint64_t bytes) const {
  LaneMask none = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const uint64_t address = addresses[std::countr_zero(left)], place = address - base_;
    const bool in_run = runs_ && place < size_ / kRunBytes * kRunBytes && place % kRunBytes + bytes <= kRunBytes;
    if (in_run && whole_run(place / kRunBytes)) continue;
    if (!written(address, bytes)) none |= left & -left;
  }
  return none;
}

}  // namespace drywarp::exec
