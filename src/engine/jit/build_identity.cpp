#include "engine/jit/build_identity.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>

namespace drywarp::jit {
namespace {

struct Search {
  uintptr_t address;
  std::string found;
};

std::string build_id_note(const char* notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes, sizeof header);
    const size_t name = (header.n_namesz + 3u) & ~size_t{3}, text = (header.n_descsz + 3u) & ~size_t{3};
    if (sizeof header + name + text > size) break;
    const char* description = notes + sizeof header + name;
    if (header.n_type == NT_GNU_BUILD_ID) {
      std::string hex;
      for (size_t i = 0; i < header.n_descsz; ++i) hex += fmt::format("{:02x}", static_cast<uint8_t>(description[i]));
      return hex;
    }
    notes = description + text;
    size -= sizeof header + name + text;
  }
  return {};
}

int look(dl_phdr_info* object, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  bool here = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD) here |= search.address >= start && search.address < start + part.p_memsz;
  }
  if (!here) return 0;
  for (int i = 0; i < object->dlpi_phnum && search.found.empty(); ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type == PT_NOTE)
      search.found = build_id_note(reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr), part.p_memsz);
  }
  return 1;
}

}  // namespace

std::string build_identity() {
  Search search{reinterpret_cast<uintptr_t>(&build_identity), {}};
  dl_iterate_phdr(look, &search);
  return search.found;
}

}  // namespace drywarp::jit
