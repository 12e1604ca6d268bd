#include "profile/report/model/source_lines.h"

#include <filesystem>
#include <fstream>

namespace drywarp::report {
namespace {

constexpr uintmax_t kLargestSource = 16u << 20;  // larger files are not source files

std::vector<std::string> read(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || std::filesystem::file_size(file, ignored) > kLargestSource)
    return {};
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

std::string SourceLines::get(const std::string& file, uint32_t line) {
  if (file.empty() || line == 0) return {};
  auto known = files_.find(file);
  if (known == files_.end()) known = files_.emplace(file, read(file)).first;
  if (line > known->second.size()) return {};
  const std::string& text = known->second[line - 1];
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

}  // namespace drywarp::report
