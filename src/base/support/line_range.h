// Lines of a source file, as people name them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace drywarp {

struct LineRange {
  std::string file;  // as in the debug information, or its end: "kernel.cu" matches "/a/kernel.cu"
  uint32_t first = 0, last = 0;
  [[nodiscard]] bool contains(const std::string& file, uint32_t line) const;
};
// "kernel.cu:10-20" or "kernel.cu:10"; nullopt: invalid.
[[nodiscard]] std::optional<LineRange> parse_line_range(const std::string& text);

}  // namespace drywarp
