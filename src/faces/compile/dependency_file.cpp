#include "faces/compile/dependency_file.h"

#include <algorithm>
#include <set>

namespace drywarp::compile {
namespace {

std::string escaped(const std::string& path) {
  std::string text;
  for (char c : path) {
    if (c == ' ' || c == '#') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

}  // namespace

std::vector<std::string> parse_dependencies(const std::string& text) {
  std::vector<std::string> files;
  std::set<std::string> seen;
  std::string word;
  bool behind_colon = false;
  auto finish = [&](bool target) {
    if (!word.empty() && !target && behind_colon && seen.insert(word).second) files.push_back(word);
    word.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    char next = i + 1 < text.size() ? text[i + 1] : '\n';
    if (c == '\\' && next == '\n') {
      finish(false);
      ++i;
    } else if (c == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      word += next;
      ++i;
    } else if (c == '$' && next == '$') {
      word += '$';
      ++i;
    } else if (c == ':' && (next == ' ' || next == '\n' || next == '\t') && !behind_colon) {
      finish(true);
      behind_colon = true;
    } else if (c == '\n') {
      finish(false);
      behind_colon = false;
    } else if (c == ' ' || c == '\t') {
      finish(false);
    } else {
      word += c;
    }
  }
  finish(false);
  return files;
}

std::string format_dependencies(const std::string& target, std::span<const std::string> files, bool phony_targets) {
  std::string text = target + ':';
  for (const std::string& file : files) text += " \\\n  " + escaped(file);
  text += '\n';
  if (phony_targets) {
    for (size_t i = 1; i < files.size(); ++i) text += '\n' + escaped(files[i]) + ":\n";
  }
  return text;
}

bool is_system_header(const std::string& path, const std::string& own_include) {
  if (!own_include.empty() && path.starts_with(own_include + "/")) return true;
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/") ||
         path.starts_with("/usr/local/include/") || path.starts_with("/lib/");
}

}  // namespace drywarp::compile
