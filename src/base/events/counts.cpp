#include "base/events/counts.h"

#include <cxxabi.h>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace drywarp {
namespace {

template <class T>
void add(std::vector<T>& to, const std::vector<T>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

constexpr std::array<const char*, kInstructionClasses> kClassNames = {
    "fp16",   "fp32",         "fp64",    "integer", "bit_convert", "control", "load_store",
    "atomic", "inter_thread", "barrier", "special", "matrix",      "texture", "misc",
};

}  // namespace

const char* name(InstructionClass c) { return kClassNames[static_cast<size_t>(c)]; }

const char* name(ResourceSource source) {
  constexpr std::array<const char*, 4> kNames = {"estimate", "cubin", "ptxas-info", "launch-bounds"};
  return kNames[static_cast<size_t>(source)];
}

void LaunchCounts::operator+=(const LaunchCounts& other) {
  blocks_run += other.blocks_run;
  warps_run += other.warps_run;
  threads_run += other.threads_run;
  add(blocks, other.blocks);
  add(predicates, other.predicates);
  add(branches, other.branches);
  add(accesses, other.accesses);
  for (const BarrierNote& note : other.barrier_notes) add(barrier_notes, note);
  for (const StrayAccess& stray : other.stray_accesses) add(stray_accesses, stray);
}

namespace {

// Clang gives a static kernel of relocatable code a global name: its own and a suffix that identifies its source file.
std::string without_source_suffix(const std::string& name) {
  for (const char* word : {"__intern__", "__static__"}) {
    size_t at = name.rfind(word);
    if (at == name.npos || at == 0) continue;
    size_t end = name.find_first_not_of("0123456789abcdef", at + std::string_view(word).size());
    if (end == name.npos) return name.substr(0, at);
  }
  return name;
}

}  // namespace

std::string display_name(const std::string& mangled) {
  const std::string name = without_source_suffix(mangled);
  // Others would be read as types: "x" is long long.
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text ? text : name;
  std::free(text);
  return result;
}

}  // namespace drywarp
