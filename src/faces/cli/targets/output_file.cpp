#include "faces/cli/targets/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

namespace drywarp::cli {

Status ReportOutput::open(const std::string& path) {
  if (path.empty()) return {};
  std::error_code unknown;
  const bool there = std::filesystem::exists(path, unknown);
  // Here -o is not nvcc's, as someone may expect.
  if (std::filesystem::is_regular_file(path, unknown) && access(path.c_str(), X_OK) == 0)
    return error(fmt::format("'{}' is a program: a report would replace it", path), "name another file");
  file_.open(path, std::ios::app);
  if (!file_) return error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  path_ = path;
  created_ = !there;
  return {};
}

std::ostream& ReportOutput::begin() {
  if (path_.empty()) return std::cout;
  std::error_code unknown;
  if (!std::exchange(begun_, true) && std::filesystem::is_regular_file(path_, unknown))
    std::filesystem::resize_file(path_, 0, unknown);
  return file_;
}

Status ReportOutput::finish() {
  std::ostream& stream = begin();
  stream.flush();
  return stream ? Status() : Status(error("the report is incomplete: writing it failed"));
}

void ReportOutput::close() {
  std::error_code ignored;
  if (std::exchange(created_, false) && !begun_) std::filesystem::remove(path_, ignored);
}

bool ReportOutput::to_terminal() const { return path_.empty() && isatty(STDOUT_FILENO) == 1; }

}  // namespace drywarp::cli
