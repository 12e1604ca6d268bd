#include "cuda/modules/lowering_cache.h"

#include <fmt/format.h>

#include "model/machine/code_codec.h"

namespace drywarp::cuda {

namespace {
constexpr const char* kKind = ".code";
}  // namespace

std::string LoweringCache::key(std::string_view ptx, std::string_view kernel, const sass::Options& options) const {
  if (!files_.any() || ptx.empty()) return {};
  const auto& [compute_capability, max_registers, multiprocessor_registers, multiprocessor_threads, registers, spills,
               texts, multiprocessor_shared, shared_reserved] = options;
  return files_.name()
      .add(ptx)
      .add(kernel)
      .add(fmt::format("{} {} {} {} {} {} {} {} {}", compute_capability, max_registers, multiprocessor_registers,
                       multiprocessor_threads, registers, spills, texts, multiprocessor_shared, shared_reserved))
      .hex();
}

std::optional<machine::MachineKernel> LoweringCache::find(const std::string& key) const {
  const auto bytes = files_.find(key, kKind);
  return bytes ? machine::decode_machine_code(*bytes) : std::nullopt;
}

void LoweringCache::keep(const std::string& key, const machine::MachineKernel& code) const {
  if (!key.empty()) files_.keep(key, kKind, machine::encode(code));
}

}  // namespace drywarp::cuda
