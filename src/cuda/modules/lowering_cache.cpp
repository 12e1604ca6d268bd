#include "cuda/modules/lowering_cache.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/support/digest.h"
#include "base/support/whole_file.h"
#include "engine/jit/build_identity.h"
#include "model/machine/code_codec.h"

namespace drywarp::cuda {

LoweringCache::LoweringCache(std::string folder) : build_(jit::build_identity()) {
  if (folder.empty() || build_.empty()) return;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (!problem) folder_ = std::move(folder);
}

std::string LoweringCache::key(std::string_view ptx, std::string_view kernel, const sass::Options& options) const {
  if (folder_.empty() || ptx.empty()) return {};
  const auto& [compute_capability, max_registers, multiprocessor_registers, registers, spills, texts] = options;
  return Digester()
      .add(build_)
      .add(ptx)
      .add(kernel)
      .add(fmt::format("{} {} {} {} {} {}", compute_capability, max_registers, multiprocessor_registers, registers,
                       spills, texts))
      .hex();
}

std::optional<machine::MachineKernel> LoweringCache::find(const std::string& key) const {
  if (key.empty()) return std::nullopt;
  const auto bytes = read_whole(path(key));
  return bytes ? machine::decode_machine_code(*bytes) : std::nullopt;
}

// A failed write is no error: the next run lowers the kernel again.
void LoweringCache::keep(const std::string& key, const machine::MachineKernel& code) const {
  if (!key.empty()) write_whole(path(key), machine::encode(code));
}

}  // namespace drywarp::cuda
