#include "base/events/counts.h"

#include <array>
#include <cstddef>

namespace drywarp {
namespace {

template <class T>
void add(std::vector<T>& to, const std::vector<T>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

constexpr std::array<const char*, kInstructionClasses> kClassNames = {
    "fp16",   "fp32",         "fp64",    "integer", "bit_convert", "control", "load_store",
    "atomic", "inter_thread", "barrier", "special", "matrix",      "texture", "misc",
};

}  // namespace

const char* name(InstructionClass c) { return kClassNames[static_cast<size_t>(c)]; }

const char* name(ResourceSource source) {
  constexpr std::array<const char*, 4> kNames = {"estimate", "cubin", "ptxas-info", "launch-bounds"};
  return kNames[static_cast<size_t>(source)];
}

void LaunchCounts::operator+=(const LaunchCounts& other) {
  blocks_run += other.blocks_run;
  warps_run += other.warps_run;
  threads_run += other.threads_run;
  add(blocks, other.blocks);
  add(predicates, other.predicates);
  add(branches, other.branches);
  add(accesses, other.accesses);
}

}  // namespace drywarp
