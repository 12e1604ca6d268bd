// The kinds and tools that suppressions name.
#pragma once

#include <optional>
#include <string>

#include "profile/checks/suppressions.h"

namespace drywarp::checks {

// An error: there is no such name. Those that there are most like it are its hint.
std::optional<Diagnostic> add_kind(Suppression& to, const std::string& name);
std::optional<Diagnostic> add_tool(Suppression& to, const std::string& name);
// A kind, a tool, or "all", for which nothing is added.
std::optional<Diagnostic> add_kind_or_tool(Suppression& to, const std::string& name);

}  // namespace drywarp::checks
