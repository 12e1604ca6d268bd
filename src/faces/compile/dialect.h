// Spellings that nvcc accepts and clang refuses, respelled where clang points at them. Nothing is guessed beforehand:
// a source that clang takes as it is never comes here, and the file on disk is never touched.
#pragma once

#include <map>
#include <string>

#include "base/support/result.h"

namespace drywarp::compile {

// Corrected copies of files, which clang reads in their place (-ivfsoverlay) under their own names.
class RespelledSources {
 public:
  // `stem`: the beginning of the names of the files that this writes.
  explicit RespelledSources(std::string stem) : stem_(std::move(stem)) {}

  // Corrects what clang's `diagnostics` (colors and all) name; false: there is nothing that this could correct.
  Result<bool> respell(const std::string& diagnostics);

  // The overlay for -ivfsoverlay; empty as long as nothing was corrected.
  [[nodiscard]] std::string overlay() const { return texts_.empty() ? std::string() : stem_ + ".overlay"; }

 private:
  Status write() const;

  std::string stem_;
  std::map<std::string, std::string> texts_;  // absolute path -> corrected text
};

}  // namespace drywarp::compile
