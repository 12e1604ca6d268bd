// A kernel's name by what a filter compares it with, as Nsight Compute's --kernel-name-base has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/events/counts.h"

namespace drywarp {

enum class NameBase : uint8_t { Function, Demangled, Mangled };
// "function", "demangled", "mangled"
[[nodiscard]] std::optional<NameBase> parse_name_base(std::string_view text);

// The function alone: "reduce" of "void demo::reduce<4>(int const*)".
[[nodiscard]] std::string function_name(const std::string& display_name);
[[nodiscard]] std::string name_by(NameBase base, const KernelInfo& kernel);

}  // namespace drywarp
