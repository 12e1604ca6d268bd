// Edits clang's diagnostics: merges those of the passes over one source, and adds hints.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace drywarp::compile {

// The standard error of each pass, in order -> the diagnostics without duplicates. A diagnostic is the "In file
// included from" lines, a message, and its source excerpt and notes. One "2 warnings generated." line with the merged
// numbers replaces those of the passes.
std::string merge_diagnostics(std::span<const std::string> passes);

// `text` without colour codes.
std::string without_colors(const std::string& text);

struct Place {
  std::string file;
  size_t line = 0, column = 0;  // both from 1
  auto operator<=>(const Place&) const = default;
};
// "file:line:column: kind: text", of a line without colours; nothing: it says no place in a file.
struct Message {
  Place place;
  std::string kind, text;
};
std::optional<Message> message_in(const std::string& line);
// Where a place is in the text of its file; nothing: the text has no such place.
std::optional<size_t> offset_of(std::string_view text, const Place& place);

// Whether clang does not know a name of texture references.
bool lacks_texture_names(const std::string& diagnostics);

// From clang's `diagnostics`: a line per library whose header was not found, and one for kernels that launch kernels;
// empty if there are none.
std::string compile_hints(const std::string& diagnostics);

}  // namespace drywarp::compile
