#include "base/support/source_location.h"

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

}  // namespace drywarp
