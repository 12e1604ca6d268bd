#include "cuda/launch/options.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

namespace drywarp::session {
namespace {

template <class T>
bool parse(const char* text, T& out) {
  const char* end = text + std::strlen(text);
  T value{};
  const auto [stop, problem] = std::from_chars(text, end, value);
  if (problem != std::errc{} || stop != end) return false;
  out = value;
  return true;
}

bool parse_switch(const char* text, bool& out) {
  if (std::strcmp(text, "0") != 0 && std::strcmp(text, "1") != 0) return false;
  out = text[0] == '1';
  return true;
}

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_of(" \t\n\"'\\$`*?[](){}<>|&;#~!") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

Options read_options(const std::function<const char*(const char*)>& variable,
                     const std::function<void(const std::string&)>& complain) {
  Options options;
  const auto read = [&](const char* name, auto&& take) {
    const char* text = variable(name);
    if (!text || !*text) return;
    if (!take(text)) complain(fmt::format("{}={} is not understood; it is ignored", name, text));
  };
  const auto text = [](std::string& out) {
    return [&out](const char* value) {
      out = value;
      return true;
    };
  };
  const auto number = [](auto& out) { return [&out](const char* value) { return parse(value, out); }; };
  const auto flag = [](bool& out) { return [&out](const char* value) { return parse_switch(value, out); }; };

  read("DRYWARP_PROFILE", text(options.profile));
  read("DRYWARP_COUNTERS", flag(options.counters));
  read("DRYWARP_TIME", [&](const char* value) {
    const auto mode = parse_time_mode(value);
    options.time = mode.value_or(options.time);
    return mode.has_value();
  });
  read("DRYWARP_SAMPLES", text(options.samples));
  read("DRYWARP_KERNEL", text(options.kernel_filter));
  read("DRYWARP_LAUNCH_SKIP", number(options.launch_skip));
  read("DRYWARP_LAUNCH_COUNT", number(options.launch_count));
  read("DRYWARP_TIMEOUT", number(options.timeout_seconds));
  read("DRYWARP_DIVERGENT_BARRIERS", flag(options.divergent_barriers));
  read("DRYWARP_WORKERS", number(options.workers));
  read("DRYWARP_CPU", text(options.cpu));
  read("DRYWARP_CACHE", text(options.code_cache));
  read("DRYWARP_PROGRESS", flag(options.progress));
  read("DRYWARP_DEVICE", text(options.device));
  read("DRYWARP_COMPILED", text(options.compiled));
  return options;
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string raw{std::istreambuf_iterator<char>(file), {}};
  std::string out;
  for (size_t at = 0; at < raw.size();) {
    const std::string word = raw.c_str() + at;
    if (!out.empty()) out += ' ';
    out += quoted(word);
    at += word.size() + 1;
  }
  return out;
}

}  // namespace drywarp::session
