#include "base/events/kernel_name.h"

#include <algorithm>

namespace drywarp {

std::optional<NameBase> parse_name_base(std::string_view text) {
  if (text == "function") return NameBase::Function;
  if (text == "demangled") return NameBase::Demangled;
  if (text == "mangled") return NameBase::Mangled;
  return std::nullopt;
}

std::string function_name(const std::string& display_name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  const std::string_view name = display_name;
  int depth = 0;  // of template arguments
  size_t begin = 0, end = name.size();
  size_t arguments = std::string_view::npos;  // where those of the last part begin
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (c == '<') {
      if (depth++ == 0) arguments = i;
    } else if (c == '>') {
      --depth;
    } else if (depth == 0 && (c == ' ' || c == ':')) {
      begin = i + 1, arguments = std::string_view::npos;
    } else if (depth == 0 && c == '(') {
      end = i;
      break;
    }
  }
  return display_name.substr(begin, std::min(end, arguments) - begin);
}

std::string name_by(NameBase base, const KernelInfo& kernel) {
  switch (base) {
    case NameBase::Function:
      return function_name(kernel.display_name);
    case NameBase::Demangled:
      return kernel.display_name;
    case NameBase::Mangled:
      return kernel.name;
  }
  return {};
}

}  // namespace drywarp
