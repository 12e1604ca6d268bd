// Reads ELF files and static libraries: sections, symbols, needed libraries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"

namespace drywarp::compile {

struct ElfSection {
  std::string name;
  uint64_t offset = 0, size = 0;  // in the file
};

struct ElfFile {
  enum class Kind { Object, Executable, Shared, Other };
  Kind kind = Kind::Other;
  bool x86_64 = false;
  bool has_interpreter = false;  // a dynamically linked program
  std::vector<ElfSection> sections;
  std::vector<std::string> needed;              // DT_NEEDED
  std::vector<std::string> defined, undefined;  // global symbols from .symtab, else from .dynsym
  std::vector<std::string> local;               // local symbols, if not stripped

  [[nodiscard]] const ElfSection* section(std::string_view name) const;
};

bool is_elf(std::string_view bytes);
Result<ElfFile> parse_elf(std::string_view bytes, const std::string& name);

// The members of a static library ("!<arch>\n"); a thin archive is an error.
struct ArchiveMember {
  std::string name;
  std::string_view bytes;
};
bool is_archive(std::string_view bytes);
Result<std::vector<ArchiveMember>> archive_members(std::string_view bytes, const std::string& name);

}  // namespace drywarp::compile
