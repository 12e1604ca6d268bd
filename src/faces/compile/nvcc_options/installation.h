// Finds drywarp's files (headers, runtime) and clang.
#pragma once

#include <string>

#include "base/support/result.h"

namespace drywarp::compile {

struct Installation {
  std::string include;    // folder of cuda_runtime.h
  std::string library;    // folder of libcudart.so.13
  std::string toolkit{};  // folder laid out as a CUDA toolkit (bin/nvcc, include, lib64); empty: none
};

// Searches beside the running program, in an installed tree or a build tree. Without `with_headers`, `include` may be
// empty: a compiled program needs no headers.
Result<Installation> find_installation(bool with_headers = true);
// The same, with the headers, of one of our libraries in a running program: `library` is its path.
Result<Installation> installation_of_library(const std::string& library);

inline constexpr const char* kRuntimeName = "libcudart.so.13";
inline constexpr const char* kCheckPasses = "libdrywarp_check_passes.so";    // see src/faces/check_passes
inline constexpr const char* kDevicePasses = "libdrywarp_device_passes.so";  // see src/faces/device_passes

struct Clang {
  std::string c, cxx;    // paths of clang and clang++
  std::string identity;  // changes with the compiler: path, size and time of the real file
};

// DRYWARP_CLANG, or clang-19 on PATH, or a clang on PATH that is version 19.
Result<Clang> find_clang();

// The first executable of that name on PATH; empty: none.
std::string find_on_path(const std::string& name);

std::string drywarp_version();  // "0.1.0"

}  // namespace drywarp::compile
