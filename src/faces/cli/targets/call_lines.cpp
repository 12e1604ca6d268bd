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

// Fills in the lines of addresses in one file; empty where there is none.
void symbolize(const std::string& path, std::map<std::string, std::string>& lines) {
  std::string command = fmt::format("{} -f -C -e {}", kSymbolizer, quoted(path));
  for (const auto& [address, line] : lines) command += " " + address;
  command += " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return;
  char* text = nullptr;
  size_t room = 0;
  const auto next = [&] {
    std::string got = getline(&text, &room, pipe.get()) > 0 ? text : "";
    return got.substr(0, got.find('\n'));
  };
  for (auto& [address, line] : lines) {
    const std::string function = next();
    std::string place = next();
    place = place.substr(0, place.find(" (discriminator"));
    if (!place.empty() && !place.starts_with("??")) line = fmt::format("{} in {}", place, function);
  }
  std::free(text);
}

}  // namespace

std::vector<std::string> call_lines(std::span<const std::string> callers, const std::string& headers) {
  std::map<std::string, std::map<std::string, std::string>> places;  // by file and address: the line
  for (const std::string& one : callers)
    for_each_call(one, [&](const std::string& path, const std::string& address) { places[path][address]; });
  if (!compile::find_on_path(kSymbolizer).empty())
    for (auto& [path, lines] : places) symbolize(path, lines);
  std::vector<std::string> out;
  for (const std::string& one : callers) {
    std::string chosen, first;
    for_each_call(one, [&](const std::string& path, const std::string& address) {
      const std::string& line = places[path][address];
      if (first.empty()) first = fmt::format("{}+{}", path, address);
      if (chosen.empty() && !line.empty() && (headers.empty() || !line.starts_with(headers))) chosen = line;
    });
    out.push_back(chosen.empty() ? first : chosen);
  }
  return out;
}

}  // namespace drywarp::cli
