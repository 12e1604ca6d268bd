// What went wrong, where, and what the user can do about it. The library returns diagnostics; only the command line
// prints them.
#pragma once

#include <string>
#include <utility>

#include "base/support/source_location.h"

namespace drywarp {

enum class Severity { Error, Warning, Note };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string message;      // one sentence, no trailing full stop, no place in it
  SourceLocation location;  // where in the user's text, if anywhere
  std::string hint;         // what to do about it; may be empty

  // "file:line:column: error: message\n  hint: ..." as compilers print it.
  [[nodiscard]] std::string to_string() const;
};

inline Diagnostic error_at(SourceLocation location, std::string message, std::string hint = {}) {
  return {Severity::Error, std::move(message), std::move(location), std::move(hint)};
}
inline Diagnostic error(std::string message, std::string hint = {}) {
  return {Severity::Error, std::move(message), {}, std::move(hint)};
}

}  // namespace drywarp
