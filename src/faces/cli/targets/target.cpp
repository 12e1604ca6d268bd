#include "faces/cli/targets/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/device/device_spec.h"
#include "cuda/fatbin/program_file.h"
#include "cuda/launch/options.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/compile/nvcc_options/compilation.h"
#include "faces/compile/nvcc_options/option_parser.h"

namespace drywarp::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kRelink = "rebuild it with `nvcc -cudart shared`, or with `drywarp nvcc`";

std::string architectures(const std::vector<unsigned>& targets) {
  std::vector<std::string> names;
  for (unsigned target : targets) names.push_back(fmt::format("sm_{}", target));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Fails for programs whose kernels drywarp would not see, with the reason and how to rebuild: NVIDIA's static runtime,
// machine code without PTX, another processor's program.
// `library`: the folder of our runtime, which replaces several versions of NVIDIA's.
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
  return program;
}

Status check_run_options(const compile::Compilation& compilation) {
  if (compilation.stage != compile::Stage::Executable) {
    return error("an option asks for an output other than a program",
                 "use `drywarp nvcc` to make objects, PTX or libraries");
  }
  if (!compilation.output.empty()) {
    return error(fmt::format("-o {}: the program is run and not kept", compilation.output),
                 "use `drywarp nvcc` to keep it, or --output to name the report's file");
  }
  return {};
}

std::variant<Target, TargetError> build_target(const SplitArguments& split, const RunOptions& options,
                                               const device::DeviceSpec& device,
                                               const compile::Installation& installation) {
  Result<compile::Compilation> compilation = compile::parse_options(split.compiler);
  if (!compilation) return TargetError{compilation.problem(), kFailed};
  for (const std::string& text : compilation->warnings) warn(text);
  if (Status status = check_run_options(*compilation); !status) return TargetError{status.problem(), kFailed};
  if (compilation->inputs.empty()) {
    return TargetError{error("nothing to run", "name a .cu file, a .ptx file or a program"), kFailed};
  }
  for (const compile::Input& input : compilation->inputs) {
    std::error_code code;
    if (!fs::exists(input.path, code))
      return TargetError{error(fmt::format("there is no file '{}'", input.path)), kNotFound};
  }
  compilation->red_zones = options.red_zones;
  compilation->own_lines = options.own_lines;
  const bool chosen = compilation->architectures.empty();
  compile::compile_for_device(*compilation, static_cast<int>(std::min<unsigned>(device.compute_capability.number(),
                                                                                options.compute_capability)));
  Result<compile::Clang> clang = compile::find_clang();
  if (!clang) return TargetError{clang.problem(), kFailed};
  compile::Toolchain tools{*clang, installation, takes_colour(STDERR_FILENO), options.timeout_seconds};
  compile::BuildCache cache(compile::BuildCache::default_folder());
  Result<compile::BuiltProgram> built =
      with_progress({.doing = "compiling", .what = fs::path(compilation->inputs[0].path).filename().string()},
                    [&] { return compile::build_program(*compilation, tools, cache); });
  if (!built) return TargetError{built.problem(), kFailed};
  say(built->result.diagnostics);
  if (built->path.empty()) {
    if (const int architecture = compilation->architectures[0]; chosen && architecture < compile::kDefaultArchitecture)
      say(
          fmt::format("drywarp: note: compiled for compute_{}, since {} has compute capability {}.{}; -arch sm_{} "
                      "compiles code for newer GPUs\n",
                      architecture, device.name, device.compute_capability.major, device.compute_capability.minor,
                      compile::kDefaultArchitecture));
    return TargetError{{}, kFailed, true};
  }
  Target target;
  target.request.path = built->path;
  target.request.arguments = {"./" + fs::path(compilation->inputs[0].path).stem().string()};
  if (built->folder) target.folder.emplace(std::move(*built->folder));
  return target;
}

// LD_PRELOAD for programs that search their own folders first: our libraries of the same names.
std::string preloaded(const fatbin::ProgramFile& program, const std::string& library) {
  std::string list;
  for (const std::string& name : program.needed) {
    std::error_code code;
    if (const fs::path ours = fs::path(library) / name; fs::exists(ours, code)) list += ours.string() + ':';
  }
  const char* others = std::getenv("LD_PRELOAD");
  return list + (others ? others : "");
}

std::variant<Target, TargetError> given_target(const SplitArguments& split, const std::string& library) {
  std::string path = split.program;
  if (path.find('/') == std::string::npos && access(path.c_str(), F_OK) != 0) path = compile::find_on_path(path);
  if (path.empty() || access(path.c_str(), F_OK) != 0) {
    return TargetError{error(fmt::format("there is no program '{}'", split.program)), kNotFound};
  }
  const Result<fatbin::ProgramFile> program = check_program(path, library);
  if (!program) return TargetError{program.problem(), kCannotRun};
  Target target;
  if (program->rpath_overrides_environment)
    target.request.environment.emplace_back("LD_PRELOAD", preloaded(*program, library));
  target.request.path = path;
  target.request.arguments = {split.program};
  target.shows_cuda = program->runtime != fatbin::CudaRuntime::None || program->has_device_code;
  return target;
}

std::vector<std::string> files(const CompiledOptions& options) {
  std::vector<std::string> all = options.cubins;
  all.insert(all.end(), options.ptxas_infos.begin(), options.ptxas_infos.end());
  return all;
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options) {
  app.add_option("--device", options.device,
                 "GPU to simulate: a name that `drywarp devices` lists, or a device file (default: h200)")
      ->type_name("DEVICE");
  app.add_option(
         "--timeout", options.timeout_seconds,
         "time limit for each of: compiling the program (exit code 125), compiling a kernel, running it (the program "
         "sees cudaErrorLaunchTimeout, and the message says where the warps were), modelling its time (the "
         "launch then has none)")
      ->type_name("SECONDS")
      ->check(not_negative());
  app.add_flag("--strict", options.strict,
               "a launch stops at its first access outside of every allocation, barrier that warps reach at different "
               "places, use of what is no barrier object, copy of many bytes that are no multiple of 16, or barrier of "
               "the grid if it is not "
               "cooperative, though a GPU may let it through; otherwise a warning says so");
  app.add_flag("--allow-divergent-barriers", options.divergent_barriers,
               "whole warps of a block may wait at different __syncthreads(), as on a GPU, which counts warps, with "
               "--strict and under synccheck too. While the program runs, nothing is said of barriers that not every "
               "thread reaches; reports have them");
  app.add_flag("--quick-code", options.quick_code,
               "compile kernels faster, as the largest always are: they run slower, and the counts are the same");
  app.add_option("--workers", options.workers,
                 "threads that run blocks; 0: one per core. The counts do not depend on it")
      ->type_name("N");
  app.add_option("--cpu", options.cpu, "the highest level of vector instructions of this machine to use")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"avx512", "avx2", "sse"}));
}

void add_clock_option(CLI::App& app, RunOptions& options) {
  app.add_option("--clock", options.clock,
                 "the clock of the program's events (cudaEventElapsedTime): this machine's, or the modelled GPU's, "
                 "for which every launch is timed")
      ->type_name("host|model")
      ->check(CLI::IsMember({"host", "model"}))
      ->capture_default_str();
}

void set_run_environment(ChildRequest& request, const RunOptions& options, const compile::Installation& installation) {
  const std::string& library = installation.library;
  auto& environment = request.environment;
  for (const char* name : cuda::kVariables) environment.emplace_back(name, "");  // unset those of an outer drywarp
  const char* path = std::getenv("LD_LIBRARY_PATH");
  environment.emplace_back("LD_LIBRARY_PATH", path && *path ? library + ":" + path : library);
  environment.emplace_back("NVTX_INJECTION64_PATH",
                           library + "/libcudart.so.13");  // NVTX ranges of programs that nvcc compiled
  const std::string kernels = compile::BuildCache(compile::BuildCache::default_folder()).kernels();
  if (!kernels.empty()) environment.emplace_back(cuda::variable::code_cache, kernels);
  if (!options.device.empty()) environment.emplace_back(cuda::variable::device, options.device);
  if (!options.cpu.empty()) environment.emplace_back(cuda::variable::cpu, options.cpu);
  if (options.timeout_seconds > 0)
    environment.emplace_back(cuda::variable::timeout_seconds, fmt::format("{}", options.timeout_seconds));
  if (!installation.include.empty()) environment.emplace_back(cuda::variable::headers, installation.include);
  if (options.strict) environment.emplace_back(cuda::variable::strict, "1");
  if (options.divergent_barriers) environment.emplace_back(cuda::variable::divergent_barriers, "1");
  if (options.clock == "model") environment.emplace_back(cuda::variable::model_clock, "1");
  if (options.quick_code) environment.emplace_back(cuda::variable::quick_code, "1");
  if (options.workers > 0) environment.emplace_back(cuda::variable::workers, std::to_string(options.workers));
  if (ProgressLine::can_show(STDERR_FILENO)) environment.emplace_back(cuda::variable::progress, "1");
}

Status check_device(const RunOptions& options) {
  const Result<device::DeviceSpec> spec = device::load_device(options.device);
  return spec ? Status() : Status(spec.problem());
}

std::variant<Target, TargetError> prepare_target(const SplitArguments& split, const RunOptions& options) {
  const Result<device::DeviceSpec> device = device::load_device(options.device);
  if (!device) return TargetError{device.problem(), kFailed};
  // A compiled program needs only the runtime; sources need the headers too.
  const bool compiles = split.program.empty();
  Result<compile::Installation> installation = compile::find_installation(compiles);
  if (!installation) return TargetError{installation.problem(), kFailed};
  std::variant<Target, TargetError> made =
      compiles ? build_target(split, options, *device, *installation) : given_target(split, installation->library);
  if (Target* target = std::get_if<Target>(&made)) {
    auto& arguments = target->request.arguments;
    arguments.insert(arguments.end(), split.arguments.begin(), split.arguments.end());
    set_run_environment(target->request, options, *installation);
  }
  return made;
}

void add_compiled_options(CLI::App& app, CompiledOptions& options) {
  app.add_option("--cubin", options.cubins, "take registers, shared and local memory from this machine code")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--ptxas-info", options.ptxas_infos, "take them from the output of `ptxas -v` or `nvcc -Xptxas -v`")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

Result<fatbin::CompiledTable> read_compiled(const CompiledOptions& options) {
  fatbin::CompiledTable table;
  for (const std::string& path : files(options))
    if (Status status = table.add_file(path); !status) return status.problem();
  return table;
}

void pass_compiled(ChildRequest& request, const CompiledOptions& options) {
  std::string paths;
  for (const std::string& path : files(options)) {
    std::error_code code;
    // Absolute, since the program may change its folder before the session reads the files.
    const std::string whole = std::filesystem::absolute(path, code).string();
    paths += (paths.empty() ? "" : ":") + (code ? path : whole);
  }
  if (!paths.empty()) request.environment.emplace_back(cuda::variable::compiled, paths);
}
}  // namespace drywarp::cli
