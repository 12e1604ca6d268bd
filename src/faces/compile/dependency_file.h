// Make rules: parses those of compilers and linkers, writes those for build systems.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace drywarp::compile {

// The prerequisites of every rule in order, without duplicates.
std::vector<std::string> parse_dependencies(const std::string& make_text);

// "target: a \\\n b", and with phony_targets an empty rule for each header (all but the first prerequisite).
std::string format_dependencies(const std::string& target, std::span<const std::string> files, bool phony_targets);

// Whether a header belongs to the system, the compiler or drywarp: -MMD omits these.
bool is_system_header(const std::string& path, const std::string& own_include);

}  // namespace drywarp::compile
