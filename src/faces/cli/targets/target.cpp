#include "faces/cli/targets/target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/device/device_spec.h"
#include "cuda/launch/options.h"
#include "faces/cli/options/console.h"
#include "faces/cli/options/exit_codes.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/program_check.h"
#include "faces/compile/nvcc_options/architecture.h"
#include "faces/compile/nvcc_options/option_parser.h"

namespace drywarp::cli {
namespace fs = std::filesystem;
namespace {

Status check_run_options(const compile::Compilation& compilation) {
  if (compilation.stage != compile::Stage::Executable) {
    return error("an option asks for something else than a program to run",
                 "use `drywarp nvcc` to make objects, PTX or libraries");
  }
  if (!compilation.output.empty()) {
    return error(fmt::format("-o {}: the program is run, not kept", compilation.output),
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
  const bool chosen = compilation->architectures.empty();
  compile::compile_for_device(*compilation, static_cast<int>(device.compute_capability.number()));
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
          fmt::format("drywarp: note: compiled for compute_{}, since {} is of compute capability {}.{}; -arch sm_{} "
                      "compiles what newer GPUs can\n",
                      architecture, device.name, device.compute_capability.major, device.compute_capability.minor,
                      compile::kDefaultArchitecture));
    return TargetError{{}, kFailed, true};
  }
  Target target;
  target.request.path = built->path;
  target.request.arguments = {"./" + fs::path(compilation->inputs[0].path).stem().string()};
  if (built->home) target.home.emplace(std::move(*built->home));
  return target;
}

// Our libraries in place of those that the program would find in folders of its own, for LD_PRELOAD.
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
  return target;
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options) {
  app.add_option("--device", options.device,
                 "GPU to simulate: a name that `drywarp devices` lists, or a device file (default: h200)")
      ->type_name("DEVICE");
  app.add_option("--timeout", options.timeout_seconds,
                 "what takes longer is stopped: compiling the program (exit code 125), compiling a kernel, running it, "
                 "with the place where its warps are (the program sees cudaErrorLaunchTimeout), modelling its time (it "
                 "then has none)")
      ->type_name("SECONDS")
      ->check(not_negative());
  app.add_flag("--allow-divergent-barriers", options.divergent_barriers,
               "whole warps of a block may meet at different __syncthreads(), as on a GPU, which counts warps; "
               "otherwise that is an error, since CUDA gives it no meaning");
  app.add_flag("--quick-code", options.quick_code,
               "compile kernels quickly, as is done with the largest ones anyway: they run slower and count the same");
  app.add_option("--workers", options.workers, "threads that run blocks; 0: one a core. The counts do not depend on it")
      ->type_name("N");
  app.add_option("--cpu", options.cpu, "the most of this machine's instructions to use")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"avx512", "avx2", "sse"}));
}

void set_run_environment(ChildRequest& request, const RunOptions& options, const std::string& library) {
  auto& environment = request.environment;
  for (const char* name : cuda::kVariables) environment.emplace_back(name, "");  // not those of a drywarp around us
  const char* path = std::getenv("LD_LIBRARY_PATH");
  environment.emplace_back("LD_LIBRARY_PATH", path && *path ? library + ":" + path : library);
  environment.emplace_back("NVTX_INJECTION64_PATH", library + "/libcudart.so.13");  // ranges of nvcc's programs
  const std::string kernels = compile::BuildCache(compile::BuildCache::default_folder()).kernels();
  if (!kernels.empty()) environment.emplace_back(cuda::variable::code_cache, kernels);
  if (!options.device.empty()) environment.emplace_back(cuda::variable::device, options.device);
  if (!options.cpu.empty()) environment.emplace_back(cuda::variable::cpu, options.cpu);
  if (options.timeout_seconds > 0)
    environment.emplace_back(cuda::variable::timeout_seconds, fmt::format("{}", options.timeout_seconds));
  if (options.divergent_barriers) environment.emplace_back(cuda::variable::divergent_barriers, "1");
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
  // A finished program needs the runtime; only what is compiled needs headers.
  const bool compiles = split.program.empty();
  Result<compile::Installation> installation = compile::find_installation(compiles);
  if (!installation) return TargetError{installation.problem(), kFailed};
  std::variant<Target, TargetError> made =
      compiles ? build_target(split, options, *device, *installation) : given_target(split, installation->library);
  if (Target* target = std::get_if<Target>(&made)) {
    auto& arguments = target->request.arguments;
    arguments.insert(arguments.end(), split.arguments.begin(), split.arguments.end());
    set_run_environment(target->request, options, installation->library);
  }
  return made;
}

}  // namespace drywarp::cli
