#include "faces/explain/source_line.h"

namespace drywarp::explain {

bool names_file(const std::string& path, const std::string& file) { return path == file || path.ends_with("/" + file); }

std::string with_single_blanks(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != '\t' && c != ' ') {
      out += c;
    } else if (!out.ends_with(' ')) {
      out += ' ';
    }
  return out;
}

}  // namespace drywarp::explain
