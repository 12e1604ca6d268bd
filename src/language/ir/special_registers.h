// The names of PTX's special registers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "language/ir/kernel.h"

namespace drywarp::ir {

struct SpecialName {
  SpecialRegister special{};
  uint32_t index = 0;     // envreg<index>, pm<index>
  bool constant = false;  // %tid.w and its like: always `value`
  uint32_t value = 0;
};

// `component` is "x" of %tid.x, empty if there is none. nullopt: no special register of that name.
[[nodiscard]] std::optional<SpecialName> find_special(std::string_view name, std::string_view component);
// "%tid.x", "%envreg3"
[[nodiscard]] std::string name(SpecialRegister special, uint32_t index);

}  // namespace drywarp::ir
