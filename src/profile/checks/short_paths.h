// Sentences of findings name places, too: files below the root by their paths from there.
#pragma once

#include <string>

namespace drywarp::checks {

inline std::string with_short_paths(std::string text, const std::string& root) {
  if (root.empty()) return text;
  const std::string before = root.ends_with('/') ? root : root + "/";
  for (size_t at = 0; (at = text.find(before, at)) != std::string::npos;) text.erase(at, before.size());
  return text;
}

}  // namespace drywarp::checks
