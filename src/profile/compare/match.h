// Which kernel of one profile is which of another.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/support/result.h"

namespace drywarp::compare {

enum class Match { Given, SameName, OtherParameters, OtherTemplateArguments, OnlyOneLeft };
[[nodiscard]] const char* name(Match match);  // "same name", "other template arguments"

struct Pair {
  size_t first = 0, second = 0;  // indices of kernels
  Match match{};
};

// `old=new` of --match.
struct Renaming {
  std::string from, to;
};
Result<Renaming> parse_renaming(const std::string& text);

// Matches demangled names, each at most once: as the renamings say; by the same name; the same name with other
// parameters; the same name with other template arguments; and the last of both sides, if one is left on each.
// Several that are equally near are paired in order. A renaming may give a name without parameters, or without template
// arguments; one that names no kernel is an error.
Result<std::vector<Pair>> match_kernels(std::span<const std::string> first, std::span<const std::string> second,
                                        std::span<const Renaming> renamings);

// "reduce<4>" of "void reduce<4>(int const*, int)"; "reduce".
[[nodiscard]] std::string without_parameters(const std::string& display_name);
[[nodiscard]] std::string without_template_arguments(const std::string& display_name);

}  // namespace drywarp::compare
