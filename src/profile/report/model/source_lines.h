// Lines of source files, each file read once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace drywarp::report {

class SourceLines {
 public:
  // Without its indentation; empty if the file cannot be read or has no such line. Lines count from 1.
  std::string get(const std::string& file, uint32_t line);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace drywarp::report
