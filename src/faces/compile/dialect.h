// Corrects spellings that nvcc accepts and clang rejects, at the places of clang's errors. Sources that clang accepts
// are never corrected, and files on disk are never changed.
#pragma once

#include <map>
#include <string>

#include "base/support/result.h"

namespace drywarp::compile {

// Corrected copies of files, which clang reads in their place under their own names.
class RespelledSources {
 public:
  // Corrects the errors in clang's `diagnostics`, with or without colours; false: none can be corrected.
  bool respell(const std::string& diagnostics);

  [[nodiscard]] const std::map<std::string, std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::string> texts_;  // absolute path -> corrected text
};

// Writes an overlay for -ivfsoverlay, with `texts` in place of files, and returns its path; empty: there are no texts.
// `stem`: the path prefix of the files that it writes.
Result<std::string> write_overlay(const std::string& stem, const std::map<std::string, std::string>& texts);

}  // namespace drywarp::compile
