#include "faces/compile/device_link.h"

#include <fmt/format.h>

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <set>

#include "base/support/digest.h"
#include "faces/compile/elf_file.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::compile {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kRegister = "__cudaRegisterLinkedBinary";
constexpr std::string_view kWrapper = "__fatbinwrap";

constexpr std::string_view kDeviceCode = "__nv_relfatbin";

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

// The name that a declaration introduces, from the text after .extern or .visible:
// ".func (.param .b32 r) name(" and ".global .align 4 .b8 name[16];".
std::string declared_name(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    char c = text[at];
    if (c == '(') {
      at = text.find(')', at);
      if (at == text.npos) return {};
      ++at;
    } else if (is_name(c) || c == '.') {
      size_t end = at + 1;
      while (end < text.size() && is_name(text[end])) ++end;
      if (c != '.' && !std::isdigit(static_cast<unsigned char>(c))) return std::string(text.substr(at, end - at));
      at = end;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      ++at;
    } else {
      return {};
    }
  }
  return {};
}

// Functions of the device runtime and of libdevice, and memory that the launch allocates.
bool is_provided(std::string_view declaration, std::string_view name) {
  static constexpr std::string_view kFunctions[] = {"vprintf",
                                                    "malloc",
                                                    "free",
                                                    "__assertfail",
                                                    "__cxa_pure_virtual",
                                                    "__cxa_deleted_virtual",
                                                    "__drywarp_local_array"};
  static constexpr std::string_view kFamilies[] = {"cuda", "__cuda", "__nv_"};
  return declaration.starts_with(".shared") || std::ranges::find(kFunctions, name) != std::end(kFunctions) ||
         std::ranges::any_of(kFamilies, [&](std::string_view family) { return name.starts_with(family); });
}

std::string_view line_at(std::string_view text, size_t at) {
  const size_t before = text.rfind('\n', at), begin = before == text.npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

// The source location of the first use of a name, by the .loc and .file directives; unknown without them.
SourceLocation place_of_use(std::string_view ptx, const std::string& name) {
  for (size_t at = ptx.find(name); at != ptx.npos; at = ptx.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool whole = at > 0 && !is_name(ptx[at - 1]) && end < ptx.size() && !is_name(ptx[end]);
    if (!whole || line_at(ptx, at).starts_with(".extern")) continue;
    const size_t loc = ptx.rfind(".loc", at);
    unsigned file = 0, line = 0, column = 0;
    if (loc == ptx.npos ||
        std::sscanf(std::string(line_at(ptx, loc)).c_str(), " .loc %u %u %u", &file, &line, &column) != 3)
      return {};
    const std::string directive = fmt::format(".file\t{} \"", file);
    const size_t named = ptx.find(directive, at);
    if (named == ptx.npos) return {};
    const std::string_view path = line_at(ptx, named).substr(directive.size() + (line_at(ptx, named)[0] == '\t'));
    return {std::string(path.substr(0, path.find('"'))), line, column};
  }
  return {};
}

std::string readable(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // others would be read as types: "x" is long long
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : name;
  std::free(text);
  return out;
}

// An object, or a member of a static library.
struct Member {
  std::string name;
  std::string_view ptx;          // the section with it: PTX text in a fat binary
  std::vector<std::string> ids;  // of its units with relocatable device code: one or none
  LinkSymbols device, host;
  bool required = false;

  [[nodiscard]] bool resolves_any(const LinkSymbols& device_needs, const LinkSymbols& host_needs) const {
    auto resolves = [](const LinkSymbols& mine, const LinkSymbols& needs) {
      return std::ranges::any_of(mine.defined, [&](const std::string& name) {
        return needs.wanted.contains(name) && !needs.defined.contains(name);
      });
    };
    return resolves(device, device_needs) || resolves(host, host_needs);
  }
};

class Units {
 public:
  void add(const ElfFile& elf, std::string name, std::string_view bytes, bool required) {
    Member member;
    member.name = std::move(name);
    member.required = required;
    member.host.wanted = {elf.undefined.begin(), elf.undefined.end()};
    member.host.defined = {elf.defined.begin(), elf.defined.end()};
    for (const std::string& symbol : elf.defined) {
      if (symbol.starts_with(kRegister)) registered_.insert(symbol.substr(kRegister.size()));
    }
    for (const std::string& symbol : elf.undefined) {
      if (symbol.starts_with(kRegister)) member.ids.push_back(symbol.substr(kRegister.size()));
    }
    const ElfSection* code = member.ids.empty() ? nullptr : elf.section(kDeviceCode);
    if (code && code->offset + code->size <= bytes.size()) {
      member.ptx = bytes.substr(code->offset, code->size);
      member.device = device_symbols(member.ptx);
    }
    members_.push_back(std::move(member));
  }

  DeviceLink missing() {
    LinkSymbols device, host;
    auto require = [&](Member& member) {
      member.required = true;
      device.add(member.device);
      host.add(member.host);
    };
    for (Member& member : members_) {
      if (member.required) require(member);
    }
    for (bool grown = true; grown;) {
      grown = false;
      for (Member& member : members_) {
        if (member.required || !member.resolves_any(device, host)) continue;
        require(member);
        grown = true;
      }
    }
    std::map<std::string, bool> units;
    for (const Member& member : members_) {
      for (const std::string& id : member.ids) {
        if (!registered_.contains(id)) units[id] |= member.required;
      }
    }
    DeviceLink link;
    for (const auto& [id, required] : units) link.units.push_back({id, required});
    link.undefined = undefined(device);
    return link;
  }

 private:
  std::vector<Diagnostic> undefined(const LinkSymbols& device) const {
    std::vector<Diagnostic> out;
    std::set<std::string> told;
    for (const Member& member : members_) {
      if (member.ids.empty()) continue;
      if (member.ptx.find(".version") == member.ptx.npos) return {};
      if (!member.required || std::ranges::all_of(member.ids, [&](const auto& id) { return registered_.contains(id); }))
        continue;
      for (const std::string& name : member.device.wanted) {
        if (device.defined.contains(name) || !told.insert(name).second) continue;
        const SourceLocation place = place_of_use(member.ptx, name);
        out.push_back(error_at(place.known() ? place : SourceLocation{member.name, 0, 0},
                               fmt::format("undefined reference to '{}' in device code", readable(name)),
                               "link the unit that defines it"));
      }
    }
    return out;
  }

  std::vector<Member> members_;
  std::set<std::string> registered_;
};

}  // namespace

void LinkSymbols::add(const LinkSymbols& others) {
  wanted.insert(others.wanted.begin(), others.wanted.end());
  defined.insert(others.defined.begin(), others.defined.end());
}

LinkSymbols device_symbols(std::string_view ptx) {
  LinkSymbols symbols;
  for (size_t at = ptx.find('.'); at != ptx.npos; at = ptx.find('.', at + 1)) {
    std::string_view rest = ptx.substr(at);
    if (rest.starts_with(".extern ")) {
      std::string name = declared_name(rest.substr(8));
      if (!is_provided(rest.substr(8), name)) symbols.wanted.insert(std::move(name));
    } else if (rest.starts_with(".visible "))
      symbols.defined.insert(declared_name(rest.substr(9)));
    else if (rest.starts_with(".weak "))
      symbols.defined.insert(declared_name(rest.substr(6)));
  }
  symbols.wanted.erase("");
  symbols.defined.erase("");
  return symbols;
}

std::vector<Diagnostic> unresolved_functions(std::string_view ptx) {
  std::vector<Diagnostic> out;
  constexpr std::string_view kExtern = ".extern ";
  for (size_t at = ptx.find(kExtern); at != ptx.npos; at = ptx.find(kExtern, at + 1)) {
    const std::string_view declaration = ptx.substr(at + kExtern.size());
    const std::string name = declared_name(declaration);
    if (!declaration.starts_with(".func") || is_provided(declaration, name)) continue;
    out.push_back(error_at(place_of_use(ptx, name),
                           fmt::format("undefined reference to '{}' in device code", readable(name)),
                           "device code calls a function of another source only with -rdc=true"));
  }
  return out;
}

Result<DeviceLink> unregistered_units(const std::vector<std::string>& files, bool whole_libraries) {
  Units units;
  std::deque<std::string> contents;  // the units point into these
  for (const std::string& file : files) {
    Result<std::string> read = read_file(file);
    if (!read) return read.problem();
    const std::string& bytes = contents.emplace_back(std::move(*read));
    std::vector<ArchiveMember> members;
    bool library = is_archive(bytes);
    if (library) {
      Result<std::vector<ArchiveMember>> inside = archive_members(bytes, file);
      if (!inside) continue;  // a thin archive: only the linker reads its members
      members = std::move(*inside);
    } else {
      members.push_back({file, bytes});
    }
    for (const ArchiveMember& member : members) {
      if (!is_elf(member.bytes)) continue;  // a linker script, LLVM bitcode
      Result<ElfFile> elf = parse_elf(member.bytes, file);
      if (!elf) return elf.problem();
      units.add(*elf, library ? fmt::format("{}({})", file, member.name) : file, member.bytes,
                !library || whole_libraries);
    }
  }
  return units.missing();
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

std::string registration_stub(const std::vector<DeviceUnit>& units) {
  std::string text = R"(struct FatbinWrapper { unsigned magic, version; const void* data; const void* const* units; };
extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
int atexit(void (*)());
)";
  // Weak: the linker may drop a unit of a static library, and then the stub must not wait for it. A strong reference
  // makes the linker take the required ones.
  for (size_t i = 0; i < units.size(); ++i) {
    text += fmt::format("extern const FatbinWrapper wrapper_{} __asm__(\"{}{}\"){};\n", i, kWrapper, units[i].id,
                        units[i].required ? "" : " __attribute__((weak))");
  }
  // `used` keeps clang from removing the references that make the linker take a library's member.
  text += fmt::format(
      "}}\nnamespace {{\nconstexpr int kUnits = {};\n"
      "__attribute__((used)) const FatbinWrapper* const wrappers[kUnits] = {{",
      units.size());
  for (size_t i = 0; i < units.size(); ++i) text += fmt::format("&wrapper_{}, ", i);
  text += R"(};
const void* images[kUnits + 1];
void (*callbacks[kUnits])(void**);
int reported = 0;
void** handle = nullptr;
// nvcc puts the linked machine code here. There is none: a fat binary without entries.
struct { unsigned magic; unsigned short version, header_size; unsigned long long size; } nothing = {0xBA55ED50, 1, 16, 0};
FatbinWrapper all = {0x466243b1, 2, &nothing, images};
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
  for (const DeviceUnit& unit : units) {
    text += fmt::format(
        "void {}{}(void (*callback)(void**), void* wrapper, void*, void (*)(void**)) {{ report(callback, wrapper); "
        "}}\n",
        kRegister, unit.id);
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

}  // namespace drywarp::compile
