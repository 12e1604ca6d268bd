#include "frontend/device_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "frontend/digest.h"
#include "frontend/elf_file.h"
#include "frontend/process.h"

namespace drywarp::frontend {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kRegister = "__cudaRegisterLinkedBinary";
constexpr std::string_view kWrapper = "__fatbinwrap";

struct Units {
  std::set<std::string> wanted, registered;

  void add(const ElfFile& elf) {
    for (const std::string& symbol : elf.undefined) {
      if (symbol.starts_with(kRegister)) wanted.insert(symbol.substr(kRegister.size()));
    }
    for (const std::string& symbol : elf.defined) {
      if (symbol.starts_with(kRegister)) registered.insert(symbol.substr(kRegister.size()));
    }
  }
};

}  // namespace

Result<std::vector<std::string>> unregistered_units(const std::vector<std::string>& files) {
  Units units;
  for (const std::string& file : files) {
    Result<std::string> bytes = read_file(file);
    if (!bytes) return bytes.problem();
    std::vector<ArchiveMember> members;
    if (is_archive(*bytes)) {
      Result<std::vector<ArchiveMember>> inside = archive_members(*bytes, file);
      if (!inside) continue;  // a thin archive: the linker reads its members by itself
      members = std::move(*inside);
    } else {
      members.push_back({file, *bytes});
    }
    for (const ArchiveMember& member : members) {
      if (!is_elf(member.bytes)) continue;  // a linker script, LLVM bitcode
      Result<ElfFile> elf = parse_elf(member.bytes, file);
      if (!elf) return elf.problem();
      units.add(*elf);
    }
  }
  std::vector<std::string> missing;
  std::ranges::set_difference(units.wanted, units.registered, std::back_inserter(missing));
  return missing;
}

std::vector<std::string> linked_files(const std::vector<std::string>& items) {
  std::vector<std::string> folders, files;
  for (const std::string& item : items) {
    if (item.starts_with("-L")) folders.push_back(item.substr(2));
  }
  for (const std::string& item : items) {
    if (!item.starts_with('-')) {
      if (item.ends_with(".o") || item.ends_with(".obj") || item.ends_with(".a")) files.push_back(item);
      continue;
    }
    if (!item.starts_with("-l")) continue;
    for (const std::string& folder : folders) {
      std::error_code ignored;
      fs::path base = fs::path(folder) / ("lib" + item.substr(2));
      if (fs::exists(base.string() + ".so", ignored)) break;
      if (fs::exists(base.string() + ".a", ignored)) {
        files.push_back(base.string() + ".a");
        break;
      }
    }
  }
  return files;
}

std::string registration_stub(const std::vector<std::string>& units) {
  std::string text = R"(struct FatbinWrapper { unsigned magic, version; const void* data; const void* const* units; };
extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
int atexit(void (*)());
)";
  // Weak: a unit of a static library that the linker left out is not waited for.
  for (size_t i = 0; i < units.size(); ++i) {
    text += fmt::format("extern const FatbinWrapper wrapper_{} __asm__(\"{}{}\") __attribute__((weak));\n", i, kWrapper,
                        units[i]);
  }
  text += fmt::format("}}\nnamespace {{\nconstexpr int kUnits = {};\nconst FatbinWrapper* const wrappers[kUnits] = {{",
                      units.size());
  for (size_t i = 0; i < units.size(); ++i) text += fmt::format("&wrapper_{}, ", i);
  text += R"(};
const void* images[kUnits + 1];
void (*callbacks[kUnits])(void**);
int reported = 0;
void** handle = nullptr;
FatbinWrapper all = {0x466243b1, 2, nullptr, images};
void unregister() { __cudaUnregisterFatBinary(handle); }
void report(void (*callback)(void**), const void* wrapper) {
  int linked = 0;
  for (const FatbinWrapper* unit : wrappers) linked += unit != nullptr;
  images[reported] = static_cast<const FatbinWrapper*>(wrapper)->data;
  callbacks[reported] = callback;
  if (++reported != linked) return;
  handle = __cudaRegisterFatBinary(&all);
  for (int i = 0; i < reported; ++i) callbacks[i](handle);
  __cudaRegisterFatBinaryEnd(handle);
  atexit(unregister);
}
}
extern "C" {
)";
  for (const std::string& unit : units) {
    text += fmt::format(
        "void {}{}(void (*callback)(void**), void* wrapper, void*, void (*)(void**)) {{ report(callback, wrapper); "
        "}}\n",
        kRegister, unit);
  }
  return text + "}\n";
}

Result<std::vector<std::string>> rename_unit_command(const std::string& object, const std::string& unique_text) {
  Result<std::string> bytes = read_file(object);
  if (!bytes) return bytes.problem();
  Result<ElfFile> elf = parse_elf(*bytes, object);
  if (!elf) return elf.problem();
  std::vector<std::string> command;
  std::string unique = "__nv_" + Digester().add(unique_text).hex();
  auto rename = [&](const std::string& symbol, std::string_view prefix) {
    if (!symbol.starts_with(prefix)) return;
    if (command.empty()) command = {"objcopy"};
    command.push_back(fmt::format("--redefine-sym={}={}{}", symbol, prefix, unique));
  };
  for (const std::string& symbol : elf->undefined) rename(symbol, kRegister);
  for (const std::string& symbol : elf->defined) rename(symbol, kWrapper);
  if (!command.empty()) command.push_back(object);
  return command;
}

}  // namespace drywarp::frontend
