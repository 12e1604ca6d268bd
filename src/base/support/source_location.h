// A place in a text that a user wrote or can look at: a PTX file or a CUDA source file.
#pragma once

#include <cstdint>
#include <string>

namespace drywarp {

struct SourceLocation {
  std::string file;     // empty: not known
  uint32_t line = 0;    // 1-based; 0: not known
  uint32_t column = 0;  // 1-based; 0: not known

  [[nodiscard]] bool known() const { return line != 0; }
  // "file:line:column", leaving out what is not known; empty if nothing is.
  [[nodiscard]] std::string to_string() const;
  bool operator==(const SourceLocation&) const = default;
};

}  // namespace drywarp
