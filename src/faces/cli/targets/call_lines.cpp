#include "faces/cli/targets/call_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>

#include "faces/compile/nvcc_options/installation.h"

namespace drywarp::cli {
namespace {

// "__device_stub__add(int*)", or of a template "void __device_stub__scale<float>(float*)".
bool is_device_stub(const std::string& function) {
  constexpr std::string_view kStub = "__device_stub__", kTemplate = "void __device_stub__";
  return function.starts_with(kStub) || function.starts_with(kTemplate);
}

// LLVM's knows the lines of all that clang inlines; that of binutils loses the callers of some.
constexpr const char* kSymbolizers[] = {"llvm-addr2line-19", "llvm-addr2line", "addr2line"};

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

// "app.cu:40", or nothing: "??:0", "??:?"
void set_place(HostFrame& frame, std::string place) {
  place = place.substr(0, place.find(" (discriminator"));
  const size_t colon = place.rfind(':');
  if (place.starts_with("??") || colon == place.npos) return;
  const auto [end, problem] = std::from_chars(place.data() + colon + 1, place.data() + place.size(), frame.line);
  if (problem == std::errc() && end == place.data() + place.size() && frame.line != 0)
    frame.file = place.substr(0, colon);
  else
    frame.line = 0;
}

// Fills in the calls at addresses in one file: what was inlined there, without what is in `headers`.
void symbolize(const char* symbolizer, const std::string& path, const std::string& headers,
               std::map<std::string, std::vector<HostFrame>>& frames) {
  std::string command = fmt::format("{} -a -f -i -C -e {}", symbolizer, quoted(path));
  for (const auto& [address, found] : frames) command += " " + address;
  command += " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return;
  char* text = nullptr;
  size_t room = 0;
  // An address, then a function and its line for each inlined call, the innermost first.
  auto next = frames.begin();
  std::vector<HostFrame>* found = nullptr;
  HostFrame frame;
  bool at_place = false;
  while (getline(&text, &room, pipe.get()) > 0) {
    std::string got = text;
    got = got.substr(0, got.find('\n'));
    if (got.starts_with("0x") && !at_place && next != frames.end()) {
      found = &next++->second;
    } else if (!at_place) {
      frame = {got == "??" ? "" : got, "", 0};
      at_place = true;
    } else {
      at_place = false;
      set_place(frame, got);
      // The compiler's function that launches a kernel has the kernel's line; main's caller is nobody's.
      // NVTX is a header alone, whose functions are the program's own code.
      const bool own = (!headers.empty() && frame.file.starts_with(headers)) ||
                       frame.file.find("/nvtx3/nvtxDetail/") != std::string::npos || is_device_stub(frame.function) ||
                       frame.function == "_start";
      if (found && !own && (!frame.function.empty() || frame.line != 0)) found->push_back(frame);
    }
  }
  std::free(text);
}

}  // namespace

CallLines::CallLines(std::span<const std::string> callers, const std::string& headers) {
  for (const std::string& one : callers)
    for_each_call(one, [&](const std::string& path, const std::string& address) { frames_[path][address]; });
  const auto* const symbolizer =
      std::ranges::find_if(kSymbolizers, [](const char* name) { return !compile::find_on_path(name).empty(); });
  if (symbolizer == std::end(kSymbolizers)) return;
  for (auto& [path, frames] : frames_) symbolize(*symbolizer, path, headers, frames);
}

std::string CallLines::line(const std::string& callers) const {
  std::string chosen, first;
  for_each_call(callers, [&](const std::string& path, const std::string& address) {
    if (first.empty()) first = fmt::format("{}+{}", path, address);
    const std::vector<HostFrame>& all = frames_.at(path).at(address);
    const auto found = std::ranges::find_if(all, [](const HostFrame& f) { return f.line != 0; });
    if (chosen.empty() && found != all.end()) chosen = to_string(*found);
  });
  return !chosen.empty() ? chosen : !first.empty() ? first : callers;
}

std::vector<HostFrame> CallLines::frames(const std::string& callers) const {
  std::vector<HostFrame> all;
  for_each_call(callers, [&](const std::string& path, const std::string& address) {
    std::ranges::copy(frames_.at(path).at(address), std::back_inserter(all));
  });
  return all;
}

}  // namespace drywarp::cli
