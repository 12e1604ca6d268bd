// Caches machine code between runs, because lowering a large kernel takes seconds: registers are allocated again and
// again until the code fits. Machine code depends only on what the key digests. Each build of drywarp has its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/machine/machine_code.h"
#include "model/sass/lower.h"

namespace drywarp::cuda {

class LoweringCache {
 public:
  // `folder`: created if missing; empty: no cache.
  explicit LoweringCache(std::string folder);

  // `ptx`: a digest of the module's text. Empty: no cache.
  [[nodiscard]] std::string key(std::string_view ptx, std::string_view kernel, const sass::Options& options) const;
  [[nodiscard]] std::optional<machine::MachineKernel> find(const std::string& key) const;
  void keep(const std::string& key, const machine::MachineKernel& code) const;

 private:
  [[nodiscard]] std::string path(const std::string& key) const { return folder_ + "/" + key + ".code"; }

  std::string folder_;
  std::string build_;  // of drywarp
};

}  // namespace drywarp::cuda
