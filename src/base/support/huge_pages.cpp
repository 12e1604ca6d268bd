#include "base/support/huge_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "base/support/round_up.h"

namespace drywarp {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kHostLine = 64;

// Aligned to a huge page; mmap aligns only to a page.
std::byte* map(size_t bytes) {
  const size_t asked = bytes + kHugePage;
  void* memory = ::mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(memory);
  const size_t before = round_up(reinterpret_cast<uintptr_t>(begin), kHugePage) - reinterpret_cast<uintptr_t>(begin);
  if (before != 0) ::munmap(begin, before);
  ::munmap(begin + before + bytes, asked - before - bytes);
  ::madvise(begin + before, bytes, MADV_HUGEPAGE);  // only a hint
  return begin + before;
}

class HugePages final : public std::pmr::memory_resource {
  static bool own_pages(size_t bytes) { return bytes >= kHugePage / 2; }
  void* do_allocate(size_t bytes, size_t alignment) override {
    if (own_pages(bytes)) return map(round_up(bytes, kHugePage));
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, size_t bytes, size_t alignment) override {
    if (own_pages(bytes))
      ::munmap(memory, round_up(bytes, kHugePage));
    else
      std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace

std::pmr::memory_resource* huge_pages() {
  static HugePages pages;
  return &pages;
}

ZeroedArena::~ZeroedArena() {
  for (const Pages& p : pages_) ::munmap(p.memory, p.bytes);
}

void* ZeroedArena::take_bytes(size_t bytes) {
  bytes = round_up(bytes, kHostLine);
  if (pages_.empty() || pages_.back().bytes - used_ < bytes) {
    pages_.emplace_back();
    pages_.back().bytes = round_up(std::max(bytes, 4 * kHugePage), kHugePage);
    pages_.back().memory = map(pages_.back().bytes);
    used_ = 0;
  }
  std::byte* const piece = pages_.back().memory + used_;
  used_ += bytes;
  return piece;
}

}  // namespace drywarp
