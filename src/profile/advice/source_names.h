// Names in source text: which arrays a line uses, and how a shared array or a kernel's parameters are declared. Advice
// sketches its cures with them. The text is scanned, not compiled: a name that macros or other lines hide is not found.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/advice/facts.h"

namespace drywarp::advice {

// "tile[threadIdx.x][threadIdx.y]"
struct ArrayUse {
  std::string name;
  std::vector<std::string> subscripts;
  bool read = false, written = false;
  bool field = false;  // of a structure: "p[i].x"
  [[nodiscard]] std::string text() const;
};
// In the order of the line; those inside a subscript follow the array that they index.
[[nodiscard]] std::vector<ArrayUse> array_uses(std::string_view line);

// "__shared__ float tile[32][33];"
struct SharedArray {
  std::string type, name;
  std::vector<std::string> dimensions;  // "" of a dynamic array
  uint32_t line = 0;
  // The declaration with a last dimension that is longer by `elements`: "__shared__ float tile[32][32 + 1];"
  [[nodiscard]] std::string padded(uint32_t elements) const;
};
// The declaration of `name` nearest above the line.
[[nodiscard]] std::optional<SharedArray> find_shared_array(const Facts& facts, const std::string& file, uint32_t line,
                                                           const std::string& name);

// The parameters' names of the kernel around the line; empty: not found.
[[nodiscard]] std::vector<std::string> kernel_parameters(const Facts& facts, const std::string& file, uint32_t line);

// The pointer parameter or shared array that the site's address comes from; empty: not known.
[[nodiscard]] std::string base_name(const Facts& facts, const AccessSite& site);

// The array that a site accesses, as its source line names it; nothing if the line leaves it open.
[[nodiscard]] std::optional<ArrayUse> array_of(const Facts& facts, const AccessSite& site);

}  // namespace drywarp::advice
