#include "cuda/fatbin/compiled_kernels.h"

#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>

#include "base/support/whole_file.h"

namespace drywarp::fatbin {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr uint16_t kCudaMachine = 190;  // EM_CUDA
constexpr uint8_t kWithSize = 4;        // EIFMT_SVAL: two bytes of size, then the value
constexpr uint8_t kByte = 2;            // EIFMT_BVAL: the value replaces the size
constexpr uint8_t kRegisterCount = 0x2f, kFrameSize = 0x11, kBarriers = 0x4c;
// From compute capability 9.0 on, the system reserves the first bytes of shared memory, and a kernel's section includes
// them; then a section of this name exists.
constexpr const char* kReservedShared = ".nv.shared.reserved.0";
constexpr uint64_t kReservedSharedBytes = 1024;

template <class T>
bool read(Bytes bytes, uint64_t at, T& out) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
  std::memcpy(&out, bytes.data() + at, sizeof(T));
  return true;
}

class Cubin {
 public:
  explicit Cubin(Bytes bytes) : bytes_(bytes) {}

  bool open() {
    Elf64_Ehdr header;
    if (!read(bytes_, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kCudaMachine) return false;
    if (header.e_shentsize != sizeof(Elf64_Shdr)) return false;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      if (!read(bytes_, header.e_shoff + uint64_t{i} * sizeof(Elf64_Shdr), section)) return false;
      sections_.push_back(section);
    }
    names_ = header.e_shstrndx;
    // Its place in the flags depends on the version of the format.
    constexpr unsigned kOldest = 20;
    const unsigned second = header.e_flags >> 8 & 0xff;
    compute_capability_ = second >= kOldest ? second : header.e_flags & 0xff;
    return names_ < sections_.size();
  }
  [[nodiscard]] unsigned compute_capability() const { return compute_capability_; }
  [[nodiscard]] const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  [[nodiscard]] Bytes content(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return {};
    return bytes_.subspan(section.sh_offset, std::min<uint64_t>(section.sh_size, bytes_.size() - section.sh_offset));
  }
  [[nodiscard]] std::string text(uint32_t table, uint64_t at) const {
    if (table >= sections_.size()) return {};
    const Bytes strings = content(sections_[table]);
    if (at >= strings.size()) return {};
    const auto* begin = reinterpret_cast<const char*>(strings.data() + at);
    return {begin, strnlen(begin, strings.size() - at)};
  }
  [[nodiscard]] std::string name(const Elf64_Shdr& section) const { return text(names_, section.sh_name); }

 private:
  Bytes bytes_;
  std::vector<Elf64_Shdr> sections_;
  uint32_t names_ = 0;
  unsigned compute_capability_ = 0;
};

// The text after `prefix`; nothing if it has another beginning.
std::optional<std::string> after(const std::string& text, std::string_view prefix) {
  if (text.size() <= prefix.size() || text.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
  return text.substr(prefix.size());
}

// The number before `unit`: "128 bytes smem".
std::optional<uint64_t> number_before(std::string_view line, std::string_view unit) {
  const size_t at = line.find(unit);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  uint64_t value = 0;
  const auto [end, problem] = std::from_chars(line.data() + begin, line.data() + at, value);
  if (problem != std::errc{} || end != line.data() + at) return std::nullopt;
  return value;
}

std::string quoted(std::string_view line, size_t& from) {
  const size_t begin = line.find('\'', from);
  const size_t end = begin == std::string_view::npos ? begin : line.find('\'', begin + 1);
  if (end == std::string_view::npos) return {};
  from = end + 1;
  return std::string(line.substr(begin + 1, end - begin - 1));
}

}  // namespace

// EIATTR_NUM_BARRIERS in a kernel's own .nv.info section.
uint32_t barriers_of(Bytes info) {
  for (uint64_t at = 0; at + 4 <= info.size();) {
    if (info[at] == kByte && info[at + 1] == kBarriers) return info[at + 2];
    uint16_t size = 0;
    read(info, at + 2, size);
    at += 4 + (info[at] == kWithSize ? size : 0);
  }
  return 0;
}

bool is_empty_cubin(Bytes bytes) {
  Cubin cubin(bytes);
  if (!cubin.open()) return false;
  return std::none_of(cubin.sections().begin(), cubin.sections().end(), [&](const Elf64_Shdr& s) {
    return after(cubin.name(s), ".text.") || cubin.name(s).starts_with(".nv.global");
  });
}

Result<std::vector<CompiledKernel>> read_cubin(Bytes bytes) {
  Cubin cubin(bytes);
  if (!cubin.open()) return error("this is not a cubin", "a cubin is what `nvcc -cubin` or `ptxas` writes");
  std::map<std::string, CompiledKernel> kernels;
  const Elf64_Shdr* symbols = nullptr;
  for (const Elf64_Shdr& section : cubin.sections()) {
    if (section.sh_type == SHT_SYMTAB) symbols = &section;
    if (const auto kernel = after(cubin.name(section), ".nv.info.")) {
      kernels[*kernel].name = *kernel;
      kernels[*kernel].barriers = barriers_of(cubin.content(section));
    }
  }
  const bool reserves = std::any_of(cubin.sections().begin(), cubin.sections().end(),
                                    [&](const Elf64_Shdr& s) { return cubin.name(s) == kReservedShared; });
  const uint64_t reserved = reserves ? kReservedSharedBytes : 0;
  for (const Elf64_Shdr& section : cubin.sections())
    if (const auto kernel = after(cubin.name(section), ".nv.shared."))
      if (auto it = kernels.find(*kernel); it != kernels.end())
        it->second.shared_bytes = section.sh_size > reserved ? section.sh_size - reserved : 0;
  if (kernels.empty() || !symbols) return error("there are no kernels in this cubin");
  for (const Elf64_Shdr& section : cubin.sections()) {
    if (cubin.name(section) != ".nv.info") continue;
    const Bytes info = cubin.content(section);
    for (uint64_t at = 0; at + 4 <= info.size();) {
      const uint8_t format = info[at], attribute = info[at + 1];
      uint16_t size = 0;
      read(info, at + 2, size);
      const uint64_t value = at + 4;
      at = format == kWithSize ? value + size : value;
      uint32_t index = 0, number = 0;
      if (format != kWithSize || size < 8 || !read(info, value, index) || !read(info, value + 4, number)) continue;
      Elf64_Sym symbol;
      if (!read(cubin.content(*symbols), uint64_t{index} * sizeof(Elf64_Sym), symbol)) continue;
      auto it = kernels.find(cubin.text(symbols->sh_link, symbol.st_name));
      if (it == kernels.end()) continue;
      if (attribute == kRegisterCount) it->second.registers = number;
      if (attribute == kFrameSize) it->second.stack_bytes = number;
    }
  }
  std::vector<CompiledKernel> result;
  for (auto& [name, kernel] : kernels)
    if (kernel.registers != 0) {
      kernel.compute_capability = cubin.compute_capability();
      result.push_back(std::move(kernel));
    }
  if (result.empty()) return error("this cubin does not say how many registers its kernels have");
  return result;
}

Result<std::vector<CompiledKernel>> read_ptxas_info(std::string_view text) {
  std::vector<CompiledKernel> kernels;
  bool in_kernel = false;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find("Compiling entry function") != std::string_view::npos) {
      size_t from = 0;
      CompiledKernel kernel;
      kernel.name = quoted(line, from);
      const std::string target = quoted(line, from);
      if (target.compare(0, 3, "sm_") == 0)
        std::from_chars(target.data() + 3, target.data() + target.size(), kernel.compute_capability);
      in_kernel = !kernel.name.empty();
      if (in_kernel) kernels.push_back(std::move(kernel));
      continue;
    }
    if (!in_kernel) continue;
    CompiledKernel& kernel = kernels.back();
    // Skip properties of device functions.
    if (line.find("Function properties for ") != std::string_view::npos &&
        line.find(kernel.name) == std::string_view::npos && kernel.registers != 0)
      in_kernel = false;
    if (const auto stack = number_before(line, " bytes stack frame"); stack && kernel.registers == 0) {
      kernel.stack_bytes = *stack;
      kernel.spill_store_bytes = number_before(line, " bytes spill stores");
      kernel.spill_load_bytes = number_before(line, " bytes spill loads");
    }
    const size_t used = line.find("Used ");
    if (used == std::string_view::npos) continue;
    if (const auto registers = number_before(line, " registers"))
      kernel.registers = static_cast<uint32_t>(std::min<uint64_t>(*registers, 255));
    if (const auto shared = number_before(line, " bytes smem")) kernel.shared_bytes = *shared;
    if (const auto barriers = number_before(line, " barriers"))
      kernel.barriers = static_cast<uint32_t>(std::min<uint64_t>(*barriers, 16));
  }
  if (kernels.empty()) return error("there is no kernel in this text", "ptxas prints one with -v (nvcc: -Xptxas -v)");
  for (const CompiledKernel& kernel : kernels)
    if (kernel.registers == 0) return error("ptxas's text has no register count for " + kernel.name);
  return kernels;
}

Status CompiledTable::add_file(const std::string& path) {
  const auto read = read_whole(path);
  if (!read) return error("cannot read '" + path + "': " + std::strerror(errno));
  const std::string& text = *read;
  const bool machine_code = text.starts_with(ELFMAG);
  auto kernels =
      machine_code ? read_cubin({reinterpret_cast<const uint8_t*>(text.data()), text.size()}) : read_ptxas_info(text);
  if (!kernels) {
    Diagnostic problem = kernels.problem();
    problem.message = "'" + path + "': " + problem.message;
    return problem;
  }
  add(std::move(*kernels), machine_code ? CompiledBy::Cubin : CompiledBy::PtxasInfo);
  return {};
}

void CompiledTable::add(std::vector<CompiledKernel> kernels, CompiledBy from) {
  for (CompiledKernel& kernel : kernels) rows_.push_back({std::move(kernel), from});
}

const CompiledTable::Row* CompiledTable::find(std::string_view kernel, unsigned compute_capability) const {
  const Row* best = nullptr;
  for (const Row& row : rows_) {
    const unsigned target = row.kernel.compute_capability;
    const bool runs = target == 0 || (target / 10 == compute_capability / 10 && target <= compute_capability);
    if (row.kernel.name == kernel && runs && (!best || target > best->kernel.compute_capability)) best = &row;
  }
  return best;
}

}  // namespace drywarp::fatbin
