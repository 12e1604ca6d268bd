#include "cuda/launch/options.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

namespace drywarp::cuda {
namespace {

// Each parses a variable's text; false if it cannot.
bool read(const char* text, std::string& out) {
  out = text;
  return true;
}

template <class Number>
bool read(const char* text, Number& out) {
  const char* end = text + std::strlen(text);
  Number value{};
  const auto [stop, problem] = std::from_chars(text, end, value);
  if (problem != std::errc{} || stop != end) return false;
  out = value;
  return true;
}

bool read(const char* text, bool& out) {
  if (std::strcmp(text, "0") != 0 && std::strcmp(text, "1") != 0) return false;
  out = text[0] == '1';
  return true;
}

bool read(const char* text, TimeMode& out) {
  const auto mode = parse_time_mode(text);
  out = mode.value_or(out);
  return mode.has_value();
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
  const auto take = [&](const char* name, auto& out) {
    const char* text = variable(name);
    if (!text || !*text) return;
    if (!read(text, out)) complain(fmt::format("{}={} is not understood; it is ignored", name, text));
  };
#define DW_OPTION(type, member, initial, variable) take(variable, options.member);
#include "cuda/launch/options.def"
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

}  // namespace drywarp::cuda
