// Make rules: read from compilers and linkers, written for build systems.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace drywarp::compile {

// The prerequisites of every rule in a make file, without repetitions, in order.
std::vector<std::string> parse_dependencies(const std::string& make_text);

// "target: a \\\n b", and with phony_targets an empty rule for each header (all but the first prerequisite).
std::string format_dependencies(const std::string& target, std::span<const std::string> files, bool phony_targets);

// A header that came with the system, the compiler or drywarp: what -MMD leaves out.
bool is_system_header(const std::string& path, const std::string& own_include);

}  // namespace drywarp::compile
