// nvcc's names of GPU architectures -> the compute capabilities to compile PTX for.
#pragma once

#include <string>
#include <string_view>

#include "base/support/result.h"
#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::compile {

inline constexpr int kDefaultArchitecture = 90;
inline constexpr int kNewestArchitecture = 90;  // of clang 19; newer ones are compiled as this one, with a warning
inline constexpr int kOldestArchitecture = 35;

Status add_architecture(Compilation& compilation, std::string_view value);  // -arch sm_80
Status add_gencode(Compilation& compilation,
                   std::string_view value);  // -gencode arch=compute_80,code=[sm_80,compute_80]

// Unless the options name an architecture, compiles for this compute capability (52), or for the nearest older one that
// clang knows; for older devices than those, for the oldest.
void compile_for_device(Compilation& compilation, int capability);

// The architectures to compile for, never empty.
std::vector<int> effective_architectures(const Compilation& compilation);
std::string architecture_list();  // "compute_35\n..." for --list-gpu-arch

}  // namespace drywarp::compile
