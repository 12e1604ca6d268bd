// Files that a run keeps for later ones, in a folder. A file's name digests all that its content depends on, the build
// of drywarp first, so what is found equals what would be computed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/support/digest.h"

namespace drywarp::cuda {

class KeptFiles {
 public:
  // `folder`: created if missing; empty: nothing is kept.
  explicit KeptFiles(std::string folder);

  [[nodiscard]] bool any() const { return !folder_.empty(); }
  // Begins a name; add what else the content depends on.
  [[nodiscard]] Digester name() const;
  // `kind`: the end of the file's name. Nothing is found or kept under an empty name.
  [[nodiscard]] std::optional<std::string> find(const std::string& name, const char* kind) const;
  // A failed write is no error: the next run computes the content again.
  void keep(const std::string& name, const char* kind, std::string_view bytes) const;

 private:
  [[nodiscard]] std::string path(const std::string& name, const char* kind) const {
    return folder_ + "/" + name + kind;
  }

  std::string folder_, build_;
};

}  // namespace drywarp::cuda
