#include "engine/exec/memory/written_bytes.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>

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

}  // namespace

WrittenBytes::WrittenBytes(uint64_t base, uint64_t size) : base_(base), size_(size) {
  void* bits = ::mmap(nullptr, size / 8 + kPageBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (bits != MAP_FAILED) bits_ = static_cast<uint64_t*>(bits);
}

WrittenBytes::~WrittenBytes() {
  if (bits_) ::munmap(bits_, size_ / 8 + kPageBytes);
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
    for_words(from, to, [&](uint64_t word, uint64_t mask) {
      std::atomic_ref(bits_[word]).fetch_and(~mask, std::memory_order_relaxed);
    });
  };
  // Whole pages of bits go back to the system: they are zero when they are used again.
  constexpr uint64_t kPage = kPageBytes * 8;
  const uint64_t pages_begin = (first + kPage - 1) / kPage * kPage, pages_end = end / kPage * kPage;
  if (pages_begin >= pages_end) return clear(first, end);
  clear(first, pages_begin);
  ::madvise(reinterpret_cast<uint8_t*>(bits_) + pages_begin / 8, (pages_end - pages_begin) / 8, MADV_DONTNEED);
  clear(pages_end, end);
}

bool WrittenBytes::written(uint64_t address, uint64_t bytes) const {
  if (!holds(address, bytes)) return true;
  bool all = true;
  for_words(address - base_, address - base_ + bytes, [&](uint64_t word, uint64_t mask) {
    all &= (std::atomic_ref(bits_[word]).load(std::memory_order_relaxed) & mask) == mask;
  });
  return all;
}

}  // namespace drywarp::exec
