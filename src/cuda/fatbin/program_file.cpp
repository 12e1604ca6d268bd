#include "cuda/fatbin/program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "cuda/fatbin/compiled_kernels.h"
#include "cuda/fatbin/fatbin.h"

namespace drywarp::fatbin {
namespace {

using Bytes = std::span<const uint8_t>;

// A file, mapped to be read.
class Mapping {
 public:
  static Result<Mapping> open(const std::string& path) {
    const auto failed = [&] { return error(fmt::format("cannot read '{}': {}", path, std::strerror(errno))); };
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return failed();
    struct stat info{};
    Mapping out;
    void* at = nullptr;
    const bool known = fstat(file, &info) == 0;
    if (known && S_ISREG(info.st_mode) && info.st_size > 0)
      at = mmap(nullptr, size_t(info.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    const Diagnostic problem = failed();
    close(file);
    if (!known || at == MAP_FAILED) return problem;
    if (at) out.bytes_ = {static_cast<const uint8_t*>(at), size_t(info.st_size)};
    return out;
  }
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (!bytes_.empty()) munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
  }
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  Mapping() = default;
  Bytes bytes_;
};

// Bounds-checked access to an ELF file: anything outside the file reads as absent.
class Elf {
 public:
  explicit Elf(Bytes file) : file_(file) { std::memcpy(&header_, file.data(), sizeof header_); }

  [[nodiscard]] bool tables_fit() const {
    return fits(header_.e_shoff, uint64_t(header_.e_shnum) * sizeof(Elf64_Shdr)) &&
           fits(header_.e_phoff, uint64_t(header_.e_phnum) * sizeof(Elf64_Phdr)) &&
           (header_.e_shnum == 0 || header_.e_shentsize == sizeof(Elf64_Shdr)) &&
           (header_.e_phnum == 0 || header_.e_phentsize == sizeof(Elf64_Phdr));
  }
  [[nodiscard]] unsigned machine() const { return header_.e_machine; }

  template <class T>
  [[nodiscard]] std::optional<T> at(uint64_t offset) const {
    if (!fits(offset, sizeof(T))) return std::nullopt;
    T value;
    std::memcpy(&value, file_.data() + offset, sizeof value);
    return value;
  }
  [[nodiscard]] std::vector<Elf64_Shdr> sections() const { return table<Elf64_Shdr>(header_.e_shoff, header_.e_shnum); }
  [[nodiscard]] std::vector<Elf64_Phdr> segments() const { return table<Elf64_Phdr>(header_.e_phoff, header_.e_phnum); }
  [[nodiscard]] std::optional<Bytes> contents(const Elf64_Shdr& s) const {
    if (s.sh_type == SHT_NOBITS || !fits(s.sh_offset, s.sh_size)) return std::nullopt;
    return file_.subspan(s.sh_offset, s.sh_size);
  }
  // The text at `offset`, up to its NUL or `end`.
  [[nodiscard]] std::string_view text(uint64_t offset, uint64_t end) const {
    end = std::min<uint64_t>(end, file_.size());
    if (offset >= end) return {};
    const auto* first = reinterpret_cast<const char*>(file_.data() + offset);
    return {first, strnlen(first, end - offset)};
  }
  [[nodiscard]] std::string_view section_name(const std::vector<Elf64_Shdr>& all, const Elf64_Shdr& s) const {
    if (header_.e_shstrndx >= all.size()) return {};
    const Elf64_Shdr& names = all[header_.e_shstrndx];
    if (!fits(names.sh_offset, names.sh_size)) return {};
    return text(names.sh_offset + s.sh_name, names.sh_offset + names.sh_size);
  }
  // The file offset that an address is loaded from.
  [[nodiscard]] std::optional<uint64_t> offset_of(uint64_t address) const {
    for (const Elf64_Phdr& p : segments())
      if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
        return address - p.p_vaddr + p.p_offset;
    return std::nullopt;
  }
  [[nodiscard]] bool contains(std::string_view text) const {
    return memmem(file_.data(), file_.size(), text.data(), text.size()) != nullptr;
  }

 private:
  [[nodiscard]] bool fits(uint64_t offset, uint64_t size) const {
    return offset <= file_.size() && size <= file_.size() - offset;
  }
  template <class T>
  [[nodiscard]] std::vector<T> table(uint64_t offset, size_t count) const {
    std::vector<T> out;
    for (size_t i = 0; i < count; ++i)
      if (const auto entry = at<T>(offset + i * sizeof(T))) out.push_back(*entry);
    return out;
  }

  Bytes file_;
  Elf64_Ehdr header_{};
};

// Reads the dynamic section: needed libraries and search paths.
void read_dynamic(const Elf& elf, ProgramFile& out) {
  std::vector<uint64_t> names;
  uint64_t strings = 0, size = 0;
  bool before_environment = false, after_environment = false;
  for (const Elf64_Phdr& p : elf.segments()) {
    if (p.p_type != PT_DYNAMIC) continue;
    for (uint64_t i = 0; i < p.p_filesz / sizeof(Elf64_Dyn); ++i) {
      const auto entry = elf.at<Elf64_Dyn>(p.p_offset + i * sizeof(Elf64_Dyn));
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_NEEDED) names.push_back(entry->d_un.d_val);
      if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
      if (entry->d_tag == DT_STRSZ) size = entry->d_un.d_val;
      before_environment |= entry->d_tag == DT_RPATH;
      after_environment |= entry->d_tag == DT_RUNPATH;
    }
  }
  out.rpath_overrides_environment = before_environment && !after_environment;
  if (const auto base = elf.offset_of(strings))
    for (uint64_t name : names)
      if (name < size) out.needed.emplace_back(elf.text(*base + name, *base + size));
}

// Whether the dynamic linker must find this symbol in a library.
bool imports(const Elf& elf, std::string_view symbol) {
  const auto sections = elf.sections();
  for (const Elf64_Shdr& s : sections) {
    if (s.sh_type != SHT_DYNSYM || s.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[s.sh_link];
    for (uint64_t i = 0; i < s.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto entry = elf.at<Elf64_Sym>(s.sh_offset + i * sizeof(Elf64_Sym));
      if (!entry) break;
      if (entry->st_shndx == SHN_UNDEF &&
          elf.text(strings.sh_offset + entry->st_name, strings.sh_offset + strings.sh_size) == symbol)
        return true;
    }
  }
  return false;
}

// A statically linked NVIDIA runtime has the driver's file name and the runtime's error texts. Both survive strip.
bool has_static_runtime(const Elf& elf) {
  return elf.contains("CUDA driver version is insufficient for CUDA runtime version") &&
         elf.contains(std::string_view("libcuda.so.1\0", 13));
}

void sort_unique(std::vector<unsigned>& v) {
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
}

// The entries of every image in the file.
Result<std::vector<Entry>> device_entries(const Elf& elf, const std::string& path) {
  std::vector<Entry> out;
  const auto sections = elf.sections();
  for (const Elf64_Shdr& s : sections) {
    const std::string_view name = elf.section_name(sections, s);
    if (name != ".nv_fatbin" && name != "__nv_relfatbin") continue;
    const auto bytes = elf.contents(s);
    if (!bytes || std::all_of(bytes->begin(), bytes->end(), [](uint8_t b) { return b == 0; })) continue;
    const auto image = read_image(*bytes);
    if (!image)
      return error(fmt::format("'{}', section {}: {}", path, name, image.problem().message), image.problem().hint);
    for (const Entry& e : image->entries)
      if (e.kind != EntryKind::Other) out.push_back(e);
  }
  return out;
}

Status find_device_code(const Elf& elf, const std::string& path, ProgramFile& out) {
  const auto entries = device_entries(elf, path);
  if (!entries) return entries.problem();
  for (const Entry& e : *entries) {
    if (e.kind == EntryKind::Elf) {
      const auto code = e.contents();
      if (code && is_empty_cubin({reinterpret_cast<const uint8_t*>(code->data()), code->size()})) continue;
    }
    out.has_device_code = true;
    out.has_ptx |= e.kind == EntryKind::Ptx;
    (e.kind == EntryKind::Ptx ? out.ptx_targets : out.sass_targets).push_back(e.sm);
  }
  sort_unique(out.ptx_targets);
  sort_unique(out.sass_targets);
  return {};
}

}  // namespace

Result<ProgramFile> inspect_program(const std::string& path) {
  const auto mapping = Mapping::open(path);
  if (!mapping) return mapping.problem();
  ProgramFile out;
  const Bytes file = mapping->bytes();
  if (file.size() < SELFMAG || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0) return out;
  if (file.size() < sizeof(Elf64_Ehdr)) return error(fmt::format("'{}' is cut off", path));
  out.elf = true;
  if (file[EI_CLASS] != ELFCLASS64 || file[EI_DATA] != ELFDATA2LSB) return out;
  const Elf elf(file);
  if (!elf.tables_fit()) return error(fmt::format("'{}' is damaged: its ELF tables lie outside the file", path));
  out.x86_64 = elf.machine() == EM_X86_64;
  read_dynamic(elf, out);
  if (auto status = find_device_code(elf, path, out); !status) return status.problem();

  const auto soname = std::find_if(out.needed.begin(), out.needed.end(),
                                   [](const std::string& n) { return n.starts_with("libcudart.so"); });
  if (soname != out.needed.end()) {
    out.runtime = CudaRuntime::Shared;
    out.runtime_soname = *soname;
  } else if (has_static_runtime(elf)) {
    out.runtime = CudaRuntime::Static;
  } else if (imports(elf, "__cudaRegisterFatBinary")) {
    out.runtime = CudaRuntime::Shared;  // through another or a preloaded library
  }
  return out;
}

Result<DeviceCode> read_device_code(const std::string& path, unsigned compute_capability) {
  const auto mapping = Mapping::open(path);
  if (!mapping) return mapping.problem();
  const Bytes file = mapping->bytes();
  DeviceCode out;
  if (file.size() < sizeof(Elf64_Ehdr) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0) return out;
  const Elf elf(file);
  if (!elf.tables_fit()) return error(fmt::format("'{}' is damaged: its ELF tables lie outside the file", path));
  const auto entries = device_entries(elf, path);
  if (!entries) return entries.problem();
  std::optional<unsigned> target;  // all units of a program have the same targets
  for (const Entry& e : *entries) {
    if (e.kind != EntryKind::Ptx) continue;
    const bool runs = e.sm <= compute_capability, target_runs = target && *target <= compute_capability;
    if (!target || (runs && (!target_runs || e.sm > *target)) || (!runs && !target_runs && e.sm < *target))
      target = e.sm;
  }
  for (const Entry& e : *entries) {
    if (e.kind == EntryKind::Ptx && e.sm != *target) continue;
    auto text = e.contents();
    if (!text) return text.problem();
    (e.kind == EntryKind::Ptx ? out.ptx : out.cubins).push_back(std::move(*text));
  }
  return out;
}

}  // namespace drywarp::fatbin
