#include "faces/compile/elf_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace drywarp::compile {
namespace {

// Checks every read against the end of the file, which may be truncated or malicious.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  template <class T>
  Result<T> at(uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return damaged();
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }
  [[nodiscard]] std::string text(uint64_t table, uint64_t size, uint64_t offset) const {
    if (table > bytes_.size() || size > bytes_.size() - table || offset >= size) return {};
    std::string_view rest = bytes_.substr(table + offset, size - offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }
  [[nodiscard]] Diagnostic damaged() const { return error(fmt::format("'{}' is not a valid ELF file", name_)); }

 private:
  std::string_view bytes_;
  const std::string& name_;
};

ElfFile::Kind kind_of(const Elf64_Ehdr& header, bool interpreter) {
  if (header.e_type == ET_REL) return ElfFile::Kind::Object;
  if (header.e_type == ET_EXEC || (header.e_type == ET_DYN && interpreter)) return ElfFile::Kind::Executable;
  return header.e_type == ET_DYN ? ElfFile::Kind::Shared : ElfFile::Kind::Other;
}

Status read_symbols(const Reader& reader, const Elf64_Shdr& table, const Elf64_Shdr& names, ElfFile& elf) {
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    auto symbol = reader.at<Elf64_Sym>(table.sh_offset + at);
    if (!symbol) return symbol.problem();
    std::string name = reader.text(names.sh_offset, names.sh_size, symbol->st_name);
    if (name.empty()) continue;
    unsigned binding = ELF64_ST_BIND(symbol->st_info);
    if (binding == STB_LOCAL)
      elf.local.push_back(std::move(name));
    else if (symbol->st_shndx == SHN_UNDEF)
      elf.undefined.push_back(std::move(name));
    else
      elf.defined.push_back(std::move(name));
  }
  return {};
}

Status read_dynamic(const Reader& reader, const Elf64_Shdr& table, const Elf64_Shdr& names, ElfFile& elf) {
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= table.sh_size; at += sizeof(Elf64_Dyn)) {
    auto item = reader.at<Elf64_Dyn>(table.sh_offset + at);
    if (!item) return item.problem();
    if (item->d_tag == DT_NEEDED) elf.needed.push_back(reader.text(names.sh_offset, names.sh_size, item->d_un.d_val));
  }
  return {};
}

}  // namespace

const ElfSection* ElfFile::section(std::string_view name) const {
  for (const ElfSection& section : sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

bool is_elf(std::string_view bytes) { return bytes.starts_with(ELFMAG); }

Result<ElfFile> parse_elf(std::string_view bytes, const std::string& name) {
  Reader reader(bytes, name);
  auto header = reader.at<Elf64_Ehdr>(0);
  if (!header || !is_elf(bytes)) return reader.damaged();
  ElfFile elf;
  elf.x86_64 = header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64;
  if (!elf.x86_64) return elf;
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    auto segment = reader.at<Elf64_Phdr>(header->e_phoff + uint64_t(i) * sizeof(Elf64_Phdr));
    if (!segment) return segment.problem();
    elf.has_interpreter |= segment->p_type == PT_INTERP;
  }
  elf.kind = kind_of(*header, elf.has_interpreter);

  std::vector<Elf64_Shdr> tables;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    auto section = reader.at<Elf64_Shdr>(header->e_shoff + uint64_t(i) * sizeof(Elf64_Shdr));
    if (!section) return section.problem();
    tables.push_back(*section);
  }
  if (header->e_shstrndx >= tables.size()) return elf;
  const Elf64_Shdr& names = tables[header->e_shstrndx];
  bool full_table = false;
  for (const Elf64_Shdr& table : tables) {
    elf.sections.push_back({reader.text(names.sh_offset, names.sh_size, table.sh_name), table.sh_offset,
                            table.sh_type == SHT_NOBITS ? 0 : table.sh_size});
    full_table |= table.sh_type == SHT_SYMTAB;
  }
  for (const Elf64_Shdr& table : tables) {
    if (table.sh_link >= tables.size()) continue;
    const Elf64_Shdr& strings = tables[table.sh_link];
    Status status;
    if (table.sh_type == (full_table ? SHT_SYMTAB : SHT_DYNSYM))
      status = read_symbols(reader, table, strings, elf);
    else if (table.sh_type == SHT_DYNAMIC)
      status = read_dynamic(reader, table, strings, elf);
    if (!status) return status.problem();
  }
  return elf;
}

bool is_archive(std::string_view bytes) { return bytes.starts_with("!<arch>\n") || bytes.starts_with("!<thin>\n"); }

Result<std::vector<ArchiveMember>> archive_members(std::string_view bytes, const std::string& name) {
  if (bytes.starts_with("!<thin>\n")) {
    return error(fmt::format("'{}' is a thin archive", name), "make it with `ar rcs`, without T");
  }
  std::vector<ArchiveMember> members;
  std::string_view long_names;
  constexpr size_t kHeader = 60;
  for (size_t at = 8; at + kHeader <= bytes.size();) {
    std::string_view header = bytes.substr(at, kHeader);
    std::string_view digits = header.substr(48, 10);
    uint64_t size = 0;
    auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (parsed.ec != std::errc() || header.substr(58) != "`\n" || size > bytes.size() - at - kHeader) {
      return error(fmt::format("'{}' is not a valid static library", name));
    }
    std::string_view content = bytes.substr(at + kHeader, size);
    std::string_view raw = header.substr(0, 16);
    raw = raw.substr(0, raw.find_last_not_of(' ') + 1);
    if (raw == "//") {
      long_names = content;
    } else if (raw != "/" && raw != "/SYM64/") {
      size_t offset = 0;
      if (raw.starts_with('/') && std::from_chars(raw.data() + 1, raw.data() + raw.size(), offset).ec == std::errc() &&
          offset < long_names.size()) {
        raw = long_names.substr(offset);
        raw = raw.substr(0, raw.find('\n'));
      }
      if (raw.ends_with('/')) raw.remove_suffix(1);
      members.push_back({std::string(raw), content});
    }
    at += kHeader + size + (size & 1);
  }
  return members;
}

}  // namespace drywarp::compile
