#include "faces/cli/targets/call_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>

#include "faces/compile/nvcc_options/installation.h"

namespace drywarp::cli {
namespace {

constexpr const char* kSymbolizer = "addr2line";

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

template <class Visit>
void for_each_call(std::string_view callers, Visit visit) {
  while (!callers.empty()) {
    const std::string_view one = callers.substr(0, callers.find('|'));
    callers.remove_prefix(std::min(callers.size(), one.size() + 1));
    if (const size_t plus = one.rfind("+0x"); plus != one.npos)
      visit(std::string(one.substr(0, plus)), std::string(one.substr(plus + 1)));
  }
}

// Fills in the lines of addresses in one file: of what was inlined there, the first that is not in `headers`. Empty
// where there is none.
void symbolize(const std::string& path, const std::string& headers, std::map<std::string, std::string>& lines) {
  std::string command = fmt::format("{} -a -f -i -C -e {}", kSymbolizer, quoted(path));
  for (const auto& [address, line] : lines) command += " " + address;
  command += " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return;
  char* text = nullptr;
  size_t room = 0;
  // An address, then a function and its line for each inlined call, the innermost first.
  auto next = lines.begin();
  std::string* line = nullptr;
  std::string function;
  bool at_place = false;
  while (getline(&text, &room, pipe.get()) > 0) {
    std::string got = text;
    got = got.substr(0, got.find('\n'));
    if (got.starts_with("0x") && !at_place && next != lines.end()) {
      line = &next++->second;
    } else if (!at_place) {
      function = got;
      at_place = true;
    } else {
      at_place = false;
      got = got.substr(0, got.find(" (discriminator"));
      // The compiler's function that launches a kernel has the kernel's line.
      const bool own = (!headers.empty() && got.starts_with(headers)) || function.starts_with("__device_stub__");
      if (line && line->empty() && !got.starts_with("??") && !own) *line = fmt::format("{} in {}", got, function);
    }
  }
  std::free(text);
}

}  // namespace

std::vector<std::string> call_lines(std::span<const std::string> callers, const std::string& headers) {
  std::map<std::string, std::map<std::string, std::string>> places;  // by file and address: the line
  for (const std::string& one : callers)
    for_each_call(one, [&](const std::string& path, const std::string& address) { places[path][address]; });
  if (!compile::find_on_path(kSymbolizer).empty())
    for (auto& [path, lines] : places) symbolize(path, headers, lines);
  std::vector<std::string> out;
  for (const std::string& one : callers) {
    std::string chosen, first;
    for_each_call(one, [&](const std::string& path, const std::string& address) {
      const std::string& line = places[path][address];
      if (first.empty()) first = fmt::format("{}+{}", path, address);
      if (chosen.empty()) chosen = line;
    });
    out.push_back(!chosen.empty() ? chosen : !first.empty() ? first : one);
  }
  return out;
}

}  // namespace drywarp::cli
