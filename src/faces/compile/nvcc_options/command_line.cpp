#include "faces/compile/nvcc_options/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/support/digest.h"
#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::compile {
namespace {

// In our include folder; nvcc and NVRTC include them implicitly.
constexpr const char* kPreludes[] = {"drywarp_prelude.h", "drywarp_nvrtc_prelude.h"};
constexpr const char* kPtxFeature = "+ptx83";  // clang's default without a toolkit is too old for shfl.sync
// From SDK 11.8 on, clang registers with __cudaRegisterFatBinaryEnd and launches with cudaLaunchKernel; from 13.0 on,
// it falls back to the calls of CUDA 8.
constexpr const char* kSdkVersion = "-target-sdk-version=12.5";

void append(Arguments& to, const std::vector<std::string>& more) { to.insert(to.end(), more.begin(), more.end()); }

// A -I folder with NVIDIA's headers must not hide ours: searched last, it still provides the libraries that we lack.
std::string search_after_ours(const std::string& option) {
  if (!option.starts_with("-I")) return option;
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::path(option.substr(2)) / "cuda_runtime.h", ignored)) return option;
  return "-idirafter" + option.substr(2);
}

void preprocessor(Arguments& command, const Compilation& c, const Toolchain& tools) {
  append(command, {"-isystem", tools.installation.include});
  for (const std::string& option : c.preprocessor) command.push_back(search_after_ours(option));
  if (!c.standard.empty()) command.push_back("-std=" + c.standard);
}

// Host compiler options that change the preprocessed source, its diagnostics or its places, not the code generated.
bool affects_source(const std::string& option) {
  return option.starts_with("-D") || option.starts_with("-U") || option.starts_with("-I") ||
         option.starts_with("-std=") || option.starts_with("-ffile-prefix-map=") ||
         (option.starts_with("-W") && !option.starts_with("-Wl,"));
}

void diagnostics(Arguments& command, const Compilation& c, const Toolchain& tools) {
  command.push_back(tools.colors ? "-fcolor-diagnostics" : "-fno-color-diagnostics");
  // Programs are written for nvcc and gcc: no warnings about their options and pragmas.
  append(command,
         {"-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument", "-Wno-unused-command-line-argument"});
  // Errors in clang that are warnings in nvcc and gcc: dim3 grid{(n + 255) / 256}, and old C.
  append(command,
         {"-Wno-error=register", "-Wno-error=c++11-narrowing", "-Wno-error=implicit-function-declaration",
          "-Wno-error=implicit-int", "-Wno-error=int-conversion", "-Wno-error=incompatible-function-pointer-types"});
  // Accepted silently by nvcc and gcc: "%"PRIu64, and values without a name in an enumeration.
  append(command, {"-Wno-reserved-user-defined-literal", "-Wno-enum-constexpr-conversion"});
  if (c.suppress_warnings) command.push_back("-w");
}

Arguments cuda_command(const Compilation& c, const Toolchain& tools) {
  Arguments command = {tools.clang.cxx, "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent"};
  append(command, {"-include", kPreludes[c.without_host]});
  preprocessor(command, c, tools);
  diagnostics(command, c, tools);
  append(command, {"-Wno-unknown-cuda-version", "-Wno-pass-failed"});
  // Where C++20's modules are on, clang compares functions of our precompiled header with others' overloads of them,
  // and stops.
  append(command, {"-Xclang", "-fno-cxx-modules"});
  // x.template f(y) without <>: an error in clang, common in libraries for nvcc (CUB).
  append(command, {"-Wno-missing-template-arg-list-after-template-kw"});
  // f(...) in device code, as in nvcc: templates use it in unevaluated expressions.
  append(command, {"-Xclang", "-fcuda-allow-variadic-functions"});
  if (c.without_host) command.push_back("-Wno-macro-redefined");  // NAN, INT_MAX: no header has defined them there
  if (c.relocatable) append(command, {"-fgpu-rdc", "-D__CUDACC_RDC__=1"});
  // The macro is for our headers, whose intrinsics name the flushing explicitly.
  if (c.flush_denormals) append(command, {"-fgpu-flush-denormals-to-zero", "-D__CUDA_FTZ=1"});
  if (c.fast_math) append(command, {"-fgpu-approx-transcendentals", "-D__USE_FAST_MATH__=1"});
  if (c.per_thread_default_stream)
    append(command, {"-fgpu-default-stream=per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"});
  return command;
}

// In relocatable code, clang makes static kernels and variables global, with the unit's id in their names. The device
// and host passes must agree on it. clang's default is derived from all options, which differ between the passes.
void unit_name(Arguments& command, const Compilation& c, const std::string& source) {
  if (!c.relocatable) return;
  // clang's driver passes -cuid only to the device compilation: -Xclang passes it to the host's too.
  const std::string unit = "-cuid=" + unit_id(c, source);
  append(command, {unit, "-Xclang", unit});
}

void dependencies(Arguments& command, const std::string& depfile) {
  if (!depfile.empty()) append(command, {"-MD", "-MF", depfile, "-MT", "drywarp"});
}

void host_options(Arguments& command, const Compilation& c) {
  command.push_back("-O" + (c.host_optimization.empty() ? std::string("2") : c.host_optimization));
  if (c.host_debug) command.push_back("-g");
  // nvcc does not optimise host code by default, so overflow of an int wraps, and programs rely on it in their
  // references. The user's options come later and take precedence.
  command.push_back("-fwrapv");
  // No fused multiply-adds, as in gcc for x86-64: clang would fuse them when it folds constants, and the host's
  // references would then equal the device's results.
  command.push_back("-ffp-contract=off");
  append(command, c.host_options);
}

}  // namespace

std::string unit_id(const Compilation& c, const std::string& source) {
  std::error_code ignored;
  std::string words = std::filesystem::absolute(source, ignored).string();
  for (const std::string& option : c.preprocessor) words += '\n' + option;
  return Digester().add(words).hex();
}

Arguments device_command(const Compilation& c, const Toolchain& tools, const std::string& source, int architecture,
                         const std::string& ptx, const std::string& depfile) {
  Arguments command = cuda_command(c, tools);
  const char* suffix = c.accelerated_features && architecture == 90 ? "a" : "";
  append(command, {"--cuda-device-only", fmt::format("--cuda-gpu-arch=sm_{}{}", architecture, suffix), "-S"});
  command.push_back(fmt::format("--cuda-feature={}", kPtxFeature));
  if (c.device_debug)
    append(command, {"-O0", "-g", "--cuda-noopt-device-debug", "-D__CUDACC_DEBUG__=1"});
  else
    append(command, {c.fast_compile_device ? "-O0" : "-O3", "-gline-tables-only"});
  if (!c.fuse_multiply_add) command.push_back("-ffp-contract=off");
  append(command, {"-mllvm", fmt::format("-nvptx-prec-divf32={}", c.precise_division ? 2 : c.fast_math ? 0 : 1)});
  append(command, {"-mllvm", fmt::format("-nvptx-prec-sqrtf32={}", c.precise_square_root ? 1 : 0)});
  // nvcc inlines functions that are 20 times longer than clang's longest. (Of functions of 50 to 3,000 steps x = x * a
  // + p[i], with a comparison each, nvcc 13 inlines those of 1,000 at one and at two calls, and none of 3,000.) A
  // function that is called keeps its caller's arrays in local memory.
  append(command, {"-mllvm", "-inline-threshold=4500"});
  // Our passes decide what is unrolled.
  append(command, {"-mllvm", "-unroll-runtime=0", "-mllvm", "-unroll-allow-partial=0"});
  // A float4 of which two members are used is one 16-byte access, as in nvcc, not two of 4 bytes.
  append(command, {"-mllvm", "-disable-vector-combine"});
  for (const std::string& option : c.host_options) {
    if (affects_source(option)) command.push_back(option);
  }
  append(command, c.device_options);
  // Our passes over the device code, if installed.
  const auto load = [&](const char* plugin) {
    const std::string passes = tools.installation.library + "/" + plugin;
    if (std::error_code ignored; std::filesystem::exists(passes, ignored)) command.push_back("-fpass-plugin=" + passes);
  };
  load(kDevicePasses);
  if (c.red_zones) {
    load(kCheckPasses);
    append(command, {"-fno-discard-value-names"});  // findings name arrays
  }
  // What clang's backend moves into a branch loses its line.
  if (c.own_lines) append(command, {"-mllvm", "-sink-common-insts=false", "-mllvm", "-disable-machine-sink"});
  unit_name(command, c, source);
  dependencies(command, depfile);
  append(command, {source, "-o", ptx});
  return command;
}

Arguments host_command(const Compilation& c, const Toolchain& tools, const std::string& source,
                       const std::string& image, const std::string& object, const std::string& depfile) {
  Arguments command = cuda_command(c, tools);
  append(command, {"--cuda-host-only", "-c", "-Xclang", kSdkVersion});
  append(command, {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", image});
  host_options(command, c);
  unit_name(command, c, source);
  dependencies(command, depfile);
  append(command, {source, "-o", object});
  return command;
}

Arguments precompile_command(Arguments pass, const std::string& header, const std::string& depfile) {
  // The header keeps no times of files: the cache compares their contents.
  append(pass, {"-Xclang", "-emit-pch", "-Xclang", "-fno-pch-timestamp"});
  dependencies(pass, depfile);
  append(pass, {"-o", header});
  return pass;
}

Arguments with_precompiled(Arguments pass, const std::string& header) {
  const auto prelude = std::ranges::find_first_of(pass, kPreludes);
  if (header.empty() || prelude == pass.end()) return pass;
  *std::prev(prelude) = "-include-pch";
  *prelude = header;
  return pass;
}

Arguments plain_command(const Compilation& c, const Toolchain& tools, const Input& source, const std::string& object,
                        const std::string& depfile) {
  bool cxx = source.language != Language::C;
  Arguments command = {cxx ? tools.clang.cxx : tools.clang.c, "-x", cxx ? "c++" : "c"};
  Compilation adjusted = c;
  if (!cxx && c.standard.starts_with("c++")) adjusted.standard.clear();
  preprocessor(command, adjusted, tools);
  diagnostics(command, c, tools);
  command.push_back("-c");
  host_options(command, c);
  dependencies(command, depfile);
  append(command, {source.path, "-o", object});
  return command;
}

Arguments preprocess_command(const Compilation& c, const Toolchain& tools, const Input& source,
                             const std::string& output, const std::string& depfile) {
  Arguments command;
  if (source.language == Language::Cuda) {
    command = cuda_command(c, tools);
    append(command, {"--cuda-host-only", "-Xclang", kSdkVersion});
    host_options(command, c);
  } else {
    command = plain_command(c, tools, source, "", "");
    command.resize(command.size() - 3);
    std::erase(command, "-c");
  }
  command.push_back("-E");
  dependencies(command, depfile);
  command.push_back(source.path);
  if (!output.empty()) append(command, {"-o", output});
  return command;
}

Arguments link_command(const Compilation& c, const Toolchain& tools, const std::vector<std::string>& items,
                       const std::string& output, const std::string& depfile) {
  Arguments command = {tools.clang.cxx, "-Wno-unused-command-line-argument"};
  std::string lld = find_on_path("ld.lld-19");
  command.push_back(lld.empty() ? "-fuse-ld=lld" : "--ld-path=" + lld);
  if (c.stage == Stage::SharedLibrary) command.push_back("-shared");
  for (const std::string& option : c.host_options) {
    if (option.starts_with("-f") || option == "-pg") command.push_back(option);
  }
  // Before the program's own folders, which may hold NVIDIA's runtime.
  if (c.link_runtime) command.push_back("-L" + tools.installation.library);
  append(command, items);
  if (c.link_runtime) append(command, {"-lcudart", "-Wl,-rpath," + tools.installation.library});
#ifdef DRYWARP_PROGRAM_SANITIZERS
  // A runtime built with sanitizers needs their runtime in the program.
  if (c.link_runtime) command.push_back("-fsanitize=" DRYWARP_PROGRAM_SANITIZERS);
#endif
  append(command, {"-ldl", "-lrt", "-lpthread"});
  if (!depfile.empty()) command.push_back("-Wl,--dependency-file=" + depfile);
  append(command, {"-o", output});
  return command;
}

std::string environment_text(const Compilation& c, const Toolchain& tools) {
  const Installation& ours = tools.installation;
  const char* path = std::getenv("PATH");
  std::string text = fmt::format("#$ PATH={}\n", path ? path : "");
  if (!ours.toolkit.empty())
    text += fmt::format("#$ TOP={0}\n#$ NVVMIR_LIBRARY_DIR={0}/nvvm/libdevice\n", ours.toolkit);
  text += fmt::format("#$ INCLUDES=-I{}\n#$ LIBRARIES=-L{}\n#$ DEVICE=", ours.include, ours.library);
  for (int architecture : effective_architectures(c)) text += fmt::format("-arch compute_{} ", architecture);
  text.back() = '\n';
  return text;
}

Arguments stub_command(const Toolchain& tools, const std::string& source, const std::string& object) {
  return {tools.clang.cxx, "-x", "c++", "-std=c++17", "-O1", "-fPIC", "-c", source, "-o", object};
}

Arguments archive_command(const std::vector<std::string>& objects, const std::string& output) {
  Arguments command = {"ar", "rcs", output};
  append(command, objects);
  return command;
}

}  // namespace drywarp::compile
