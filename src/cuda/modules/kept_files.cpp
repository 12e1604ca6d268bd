#include "cuda/modules/kept_files.h"

#include <filesystem>

#include "base/support/whole_file.h"
#include "engine/jit/build_identity.h"

namespace drywarp::cuda {

KeptFiles::KeptFiles(std::string folder) : build_(jit::build_identity()) {
  if (folder.empty() || build_.empty()) return;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (!problem) folder_ = std::move(folder);
}

Digester KeptFiles::name() const { return Digester().add(build_); }

std::optional<std::string> KeptFiles::find(const std::string& name, const char* kind) const {
  return name.empty() ? std::nullopt : read_whole(path(name, kind));
}

void KeptFiles::keep(const std::string& name, const char* kind, std::string_view bytes) const {
  if (!name.empty()) write_whole(path(name, kind), bytes);
}

}  // namespace drywarp::cuda
