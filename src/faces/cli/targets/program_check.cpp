#include "faces/cli/targets/program_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace drywarp::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kRelink = "rebuild it with `nvcc -cudart shared`, or with `drywarp nvcc`";

std::string architectures(const std::vector<unsigned>& targets) {
  std::vector<std::string> names;
  for (unsigned target : targets) names.push_back(fmt::format("sm_{}", target));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Whether the program needs other than system libraries: those may make the CUDA calls.
bool has_own_libraries(const fatbin::ProgramFile& program) {
  return std::ranges::any_of(program.needed, [](const std::string& name) {
    static constexpr const char* kSystem[] = {"libc.so",       "libm.so",      "libstdc++.so", "libgcc_s.so",
                                              "libpthread.so", "libdl.so",     "librt.so",     "ld-linux",
                                              "linux-vdso",    "libatomic.so", "libgomp.so"};
    return std::ranges::none_of(kSystem, [&](const char* system) { return name.starts_with(system); });
  });
}

}  // namespace

Result<fatbin::ProgramFile> check_program(const std::string& path, const std::string& library) {
  std::error_code code;
  if (fs::is_directory(path, code)) return error(fmt::format("'{}' is a folder", path), "name a program or a .cu file");
  Result<fatbin::ProgramFile> program = fatbin::inspect_program(path);
  if (!program) return program.problem();
  if (access(path.c_str(), X_OK) != 0) {
    return error(fmt::format("'{}' is not executable", path), "name a program, a .ptx file, or sources with -x cu");
  }
  if (!program->elf) return program;  // a script: the programs that it starts inherit the environment
  if (!program->x86_64)
    return error(fmt::format("'{}' is a program for another processor", path), "rebuild it for x86-64");
  if (program->runtime == fatbin::CudaRuntime::Static) {
    return error(fmt::format("'{}' is linked statically with NVIDIA's CUDA runtime, which bypasses drywarp", path),
                 kRelink);
  }
  if (program->runtime == fatbin::CudaRuntime::Shared &&
      !fs::exists(fs::path(library) / program->runtime_soname, code)) {
    return error(fmt::format("'{}' needs {}, which drywarp does not replace", path, program->runtime_soname),
                 "rebuild it with CUDA 11 or later and -cudart shared, or with `drywarp nvcc`");
  }
  if (program->has_sass_only()) {
    return error(fmt::format("'{}' carries machine code for {} and no PTX", path, architectures(program->sass_targets)),
                 "rebuild it with PTX inside: -gencode arch=compute_90,code=compute_90");
  }
  if (program->runtime == fatbin::CudaRuntime::None && !program->has_device_code && !has_own_libraries(*program)) {
    return error(
        fmt::format("'{}' is not a CUDA program: it uses neither the CUDA runtime nor a library that might", path),
        "name a program that links libcudart, or a .cu file");
  }
  return program;
}

}  // namespace drywarp::cli
