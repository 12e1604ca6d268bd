#include "engine/check/toolkit_headers.h"

#include <algorithm>
#include <array>

namespace drywarp::check {
namespace {

constexpr std::string_view kInclude = "/include/";

// Folders whose `include` is a toolkit's: of NVIDIA's installers and conda, of packages for Python.
bool has_toolkit(std::string_view folder) {
  const size_t last = folder.rfind('/');
  if (last == std::string_view::npos) return false;
  const std::string_view name = folder.substr(last + 1), above = folder.substr(0, last);
  if (above.ends_with("/targets") || name == "cuda_runtime" || name == "cuda_nvcc" || name == "cuda_cccl") return true;
  if (folder == "/usr/local/cuda" || folder == "/opt/cuda") return true;
  const auto numbered = [&](std::string_view stem) {
    return name.size() > stem.size() && name.starts_with(stem) && name[stem.size()] >= '0' && name[stem.size()] <= '9';
  };
  return numbered("cuda-") || (above.ends_with("/nvidia") && numbered("cu"));
}

// What a toolkit that shares its `include` with others has there: device code that programs call.
constexpr auto kShared = std::to_array<std::string_view>({
    "crt/",
    "cccl/",
    "cooperative_groups/",
    "cooperative_groups.h",
    "cuda/std/",
    "cuda/__",
    "mma.h",
    "cuda_fp16.",
    "cuda_bf16.",
    "cuda_fp8.",
    "cuda_fp6.",
    "cuda_fp4.",
    "curand_",
    "cuda_pipeline_",
    "cuda_awbarrier",
    "device_atomic_functions.",
    "sm_20_",
    "sm_30_",
    "sm_32_",
    "sm_35_",
    "sm_60_",
    "sm_61_",
});

}  // namespace

bool is_toolkit_header(std::string_view path) {
  for (size_t at = path.find(kInclude); at != std::string_view::npos; at = path.find(kInclude, at + 1)) {
    const std::string_view inside = path.substr(at + kInclude.size());
    if (has_toolkit(path.substr(0, at))) return true;
    if (std::ranges::any_of(kShared, [&](std::string_view start) { return inside.starts_with(start); })) return true;
  }
  return false;
}

}  // namespace drywarp::check
