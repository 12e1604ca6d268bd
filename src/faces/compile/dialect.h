// Corrects spellings that nvcc accepts and clang rejects, at the places of clang's errors. Sources that clang accepts
// are never corrected, and files on disk are never changed.
#pragma once

#include <map>
#include <string>

#include "base/support/result.h"

namespace drywarp::compile {

// Corrected copies of files, which clang reads in their place (-ivfsoverlay) under their own names.
class RespelledSources {
 public:
  // `stem`: the path prefix of the files that this class writes.
  explicit RespelledSources(std::string stem) : stem_(std::move(stem)) {}

  // Corrects the errors in clang's `diagnostics`, with or without colours; false: none can be corrected.
  Result<bool> respell(const std::string& diagnostics);

  // The overlay for -ivfsoverlay; empty if nothing was corrected.
  [[nodiscard]] std::string overlay() const { return texts_.empty() ? std::string() : stem_ + ".overlay"; }

 private:
  Status write() const;

  std::string stem_;
  std::map<std::string, std::string> texts_;  // absolute path -> corrected text
};

}  // namespace drywarp::compile
