#include "faces/compile/nvcc_options/compilation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace drywarp::compile {
namespace {

constexpr std::array kKnown = {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};

void add(Compilation& compilation, int capability) {
  if (std::ranges::find(compilation.architectures, capability) == compilation.architectures.end()) {
    compilation.architectures.push_back(capability);
  }
}

void warn_once(Compilation& compilation, std::string text) {
  if (std::ranges::find(compilation.warnings, text) == compilation.warnings.end()) {
    compilation.warnings.push_back(std::move(text));
  }
}

Status add_name(Compilation& compilation, std::string_view name) {
  if (name == "native" || name == "all" || name == "all-major") {
    add(compilation, kDefaultArchitecture);
    return {};
  }
  std::string_view digits = name;
  for (std::string_view prefix : {"sm_", "compute_", "lto_"}) {
    if (digits.starts_with(prefix)) {
      digits.remove_prefix(prefix.size());
      break;
    }
  }
  int capability = 0;
  auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), capability);
  std::string_view suffix(end, size_t(digits.data() + digits.size() - end));
  if (code != std::errc() || digits.size() == name.size() || (!suffix.empty() && suffix != "a" && suffix != "f")) {
    return error(fmt::format("'{}' is not a GPU architecture", name), "write sm_90, compute_80, native or all");
  }
  if (capability > kNewestArchitecture) {
    warn_once(compilation, fmt::format("{}: too new for clang 19; compiled as sm_{}", name, kNewestArchitecture));
    capability = kNewestArchitecture;
  } else if (capability < kOldestArchitecture) {
    warn_once(compilation, fmt::format("{}: too old; compiled as sm_{}", name, kOldestArchitecture));
    capability = kOldestArchitecture;
  } else if (std::ranges::find(kKnown, capability) == kKnown.end()) {
    int nearest = *std::prev(std::ranges::upper_bound(kKnown, capability));
    warn_once(compilation, fmt::format("{}: unknown to clang 19; compiled as sm_{}", name, nearest));
    capability = nearest;
  } else if (suffix == "a") {
    compilation.accelerated_features = true;
  }
  add(compilation, capability);
  return {};
}

}  // namespace

Status add_architecture(Compilation& compilation, std::string_view value) { return add_name(compilation, value); }

Status add_gencode(Compilation& compilation, std::string_view value) {
  // Only the virtual architecture matters: the PTX is for `arch`, whatever `code` says.
  size_t at = value.find("arch=");
  if (at == std::string_view::npos) {
    return error(fmt::format("-gencode {}: arch= is missing", value), "write arch=compute_90,code=sm_90");
  }
  std::string_view name = value.substr(at + 5);
  name = name.substr(0, name.find(','));
  if (name.starts_with('"') || name.starts_with('\'')) name.remove_prefix(1);
  return add_name(compilation, name);
}

void compile_for_device(Compilation& compilation, int capability) {
  if (!compilation.architectures.empty()) return;
  const auto* const newer = std::ranges::upper_bound(kKnown, capability);
  compilation.architectures = {newer == kKnown.begin() ? kOldestArchitecture : *std::prev(newer)};
}

std::vector<int> effective_architectures(const Compilation& compilation) {
  if (compilation.architectures.empty()) return {kDefaultArchitecture};
  std::vector<int> sorted = compilation.architectures;
  std::ranges::sort(sorted);
  return sorted;
}

std::span<const int> known_architectures() { return kKnown; }

std::string architecture_list() {
  std::string text;
  for (int capability : kKnown) text += fmt::format("compute_{}\n", capability);
  return text;
}

}  // namespace drywarp::compile
