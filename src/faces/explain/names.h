// The names that an expression may use: CUDA's built-in variables, short names of common expressions of them, and names
// that the user defines.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/expression.h"
#include "faces/explain/launch_configuration.h"

namespace drywarp::explain {

// A built-in name and its meaning: {"gid", "blockIdx.x * blockDim.x + threadIdx.x"}.
struct BuiltInName {
  const char* name;
  const char* meaning;
};
[[nodiscard]] std::span<const BuiltInName> built_in_names();

class Names : public NameSlots {
 public:
  Names();
  // `expression` may use names defined before. A built-in name may be redefined.
  Status define(std::string_view name, std::string_view expression);
  Status define(std::string_view definition);  // "name=expression"

  [[nodiscard]] std::optional<uint32_t> slot(std::string_view name) const override;
  [[nodiscard]] std::string hint(std::string_view name) const override;

  // The values of all names for the `thread`-th thread of the `block`-th block, by slot. Errors: a definition divides
  // by zero.
  Status values(const LaunchConfiguration& launch, uint64_t block, uint32_t thread, std::vector<int64_t>& out) const;

 private:
  struct Definition {
    std::string name;
    Expression expression;
  };
  std::vector<Definition> definitions_;
};

}  // namespace drywarp::explain
