#include "base/support/diagnostic.h"

namespace drywarp {

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
