// src/base/support/huge_pages.h for WebAssembly, whose memory has no pages to choose: everything comes from the heap.
#include "base/support/huge_pages.h"

#include <cstdlib>

namespace drywarp {

std::pmr::memory_resource* huge_pages() { return std::pmr::new_delete_resource(); }

ZeroedArena::~ZeroedArena() {
  for (const Pages& p : pages_) std::free(p.memory);
}

void* ZeroedArena::take_bytes(size_t bytes) {
  pages_.push_back({static_cast<std::byte*>(std::calloc(1, bytes)), bytes});
  if (pages_.back().memory == nullptr) __builtin_trap();
  return pages_.back().memory;
}

}  // namespace drywarp
