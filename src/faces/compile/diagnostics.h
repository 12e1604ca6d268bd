// Edits clang's diagnostics: merges those of the passes over one source, and adds hints.
#pragma once

#include <span>
#include <string>

namespace drywarp::compile {

// The standard error of each pass, in order -> the diagnostics without duplicates. A diagnostic is the "In file
// included from" lines, a message, and its source excerpt and notes. One "2 warnings generated." line with the merged
// numbers replaces those of the passes.
std::string merge_diagnostics(std::span<const std::string> passes);

// `text` without colour codes.
std::string without_colors(const std::string& text);

// From clang's `diagnostics`: a line per library whose header was not found, and one for kernels that launch kernels;
// empty if there are none.
std::string compile_hints(const std::string& diagnostics);

}  // namespace drywarp::compile
