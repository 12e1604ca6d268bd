#include "base/support/result.h"

namespace drywarp {

std::string SourceLocation::to_string() const {
  std::string text = file;
  if (line != 0) {
    if (!text.empty()) text += ':';
    text += std::to_string(line);
    if (column != 0) text += ':' + std::to_string(column);
  }
  return text;
}

std::string Diagnostic::to_string() const {
  std::string text = location.to_string();
  if (!text.empty()) text += ": ";
  switch (severity) {
    case Severity::Error:
      text += "error: ";
      break;
    case Severity::Warning:
      text += "warning: ";
      break;
    case Severity::Note:
      text += "note: ";
      break;
  }
  text += message;
  if (!hint.empty()) text += "\n  hint: " + hint;
  return text;
}

}  // namespace drywarp
