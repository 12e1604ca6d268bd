#include "base/events/kernel_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <string_view>

namespace drywarp {
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
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text ? text : name;
  std::free(text);
  return result;
}

}  // namespace drywarp
