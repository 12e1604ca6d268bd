// What clang says while it compiles one source in several passes, said once.
#pragma once

#include <span>
#include <string>

namespace drywarp::compile {

// The standard error of each pass, in order -> their diagnostics without repetitions, otherwise unchanged. A diagnostic
// is a message with its "In file included from" lines before and its source excerpt and notes behind. Of the "2
// warnings generated when compiling for host." lines one without the place remains, with the right numbers.
std::string merge_diagnostics(std::span<const std::string> passes);

// `text` as it would look where there are no colors.
std::string without_colors(const std::string& text);

}  // namespace drywarp::compile
