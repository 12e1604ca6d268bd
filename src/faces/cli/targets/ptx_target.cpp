#include "faces/cli/targets/ptx_target.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/events/counts.h"
#include "faces/cli/options/console.h"
#include "faces/cli/targets/ptx_arguments.h"

namespace drywarp::cli {
namespace {

struct PtxLaunch {
  std::string path, text;  // of the PTX
  std::string entry;       // the kernel's name in it
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  uint32_t shared_bytes = 0;
  std::vector<KernelArgument> arguments;
  unsigned dump = 0;  // elements of each buffer to print afterwards
};

// The part of the CUDA runtime's C ABI that a launch needs, called as any program calls it.
struct Dim3 {
  unsigned x, y, z;
};
struct FatbinWrapper {
  unsigned magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  const void* more = nullptr;
};
constexpr int kHostToDevice = 1, kDeviceToHost = 2;

class Runtime {
 public:
  // False: the library cannot be loaded; the reason has been printed.
  bool load(const std::string& path) {
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library_) say(fmt::format("drywarp: error: {}\n", dlerror()));
    return library_ && find(register_image, "__cudaRegisterFatBinary") &&
           find(register_kernel, "__cudaRegisterFunction") && find(parameter, "cudaFuncGetParamInfo") &&
           find(allocate, "cudaMalloc") && find(copy, "cudaMemcpy") && find(launch, "cudaLaunchKernel") &&
           find(synchronize, "cudaDeviceSynchronize") && find(error_name, "cudaGetErrorName") &&
           find(error_text, "cudaGetErrorString") && find(last_error, "cudaGetLastError");
  }

  void** (*register_image)(void*) = nullptr;
  void (*register_kernel)(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*) = nullptr;
  int (*parameter)(const void*, size_t, size_t*, size_t*) = nullptr;
  int (*allocate)(void**, size_t) = nullptr;
  int (*copy)(void*, const void*, size_t, int) = nullptr;
  int (*launch)(const void*, Dim3, Dim3, void**, size_t, void*) = nullptr;
  int (*synchronize)() = nullptr;
  int (*last_error)() = nullptr;
  const char* (*error_name)(int) = nullptr;
  const char* (*error_text)(int) = nullptr;

 private:
  template <class F>
  bool find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library_, name));
    if (!function) say(fmt::format("drywarp: error: the runtime lacks {}\n", name));
    return function != nullptr;
  }
  void* library_ = nullptr;
};

class PtxRun {
 public:
  PtxRun(const PtxLaunch& launch, Runtime& runtime) : launch_(launch), runtime_(runtime) {}

  int run() {
    wrapper_.data = launch_.text.c_str();  // NUL-terminated, as PTX in memory must be
    void** image = runtime_.register_image(&wrapper_);
    runtime_.register_kernel(image, &stub_, const_cast<char*>(launch_.entry.c_str()), launch_.entry.c_str(), -1,
                             nullptr, nullptr, nullptr, nullptr, nullptr);
    if (!check_parameters() || !place_arguments()) return EXIT_FAILURE;
    int status =
        runtime_.launch(&stub_, dim(launch_.grid), dim(launch_.block), pointers_.data(), launch_.shared_bytes, nullptr);
    if (status == 0) status = runtime_.synchronize();
    if (status != 0) return failed(fmt::format("the launch of {}", launch_.entry), status);
    return show_buffers();
  }

 private:
  static Dim3 dim(const std::array<uint32_t, 3>& sides) { return {sides[0], sides[1], sides[2]}; }

  int failed(const std::string& what, int status) const {
    say(fmt::format("drywarp: error: {} failed: {}: {}\n", what, runtime_.error_name(status),
                    runtime_.error_text(status)));
    return EXIT_FAILURE;
  }

  bool check_parameters() {
    size_t count = 0;
    for (;; ++count) {
      size_t offset = 0, size = 0;
      int status = runtime_.parameter(&stub_, count, &offset, &size);
      if (status != 0 && count == 0 && launch_.arguments.empty()) break;
      if (status != 0) break;
      if (count >= launch_.arguments.size()) continue;
      const KernelArgument& argument = launch_.arguments[count];
      size_t given = argument.is_buffer ? sizeof(void*) : argument.bytes.size();
      if (given != size) {
        say(fmt::format("drywarp: error: argument {} of {} takes {} bytes, but --arg gives {}\n", count + 1,
                        launch_.entry, size, given));
        return false;
      }
    }
    runtime_.last_error();
    if (count != launch_.arguments.size()) {
      say(fmt::format("drywarp: error: {} takes {} arguments, but --arg gives {}\n", launch_.entry, count,
                      launch_.arguments.size()));
      return false;
    }
    return true;
  }

  bool place_arguments() {
    addresses_.resize(launch_.arguments.size());
    for (size_t i = 0; i < launch_.arguments.size(); ++i) {
      const KernelArgument& argument = launch_.arguments[i];
      if (!argument.is_buffer) {
        pointers_.push_back(const_cast<uint8_t*>(argument.bytes.data()));
        continue;
      }
      int status = runtime_.allocate(&addresses_[i], argument.bytes.size());
      if (status == 0)
        status = runtime_.copy(addresses_[i], argument.bytes.data(), argument.bytes.size(), kHostToDevice);
      if (status != 0) return failed(fmt::format("making the buffer of argument {}", i + 1), status), false;
      pointers_.push_back(&addresses_[i]);
    }
    return true;
  }

  int show_buffers() {
    for (size_t i = 0; i < launch_.arguments.size() && launch_.dump > 0; ++i) {
      const KernelArgument& argument = launch_.arguments[i];
      if (!argument.is_buffer) continue;
      std::vector<uint8_t> bytes(
          std::min<size_t>(argument.bytes.size(), size_t(launch_.dump) * size_of(argument.type)));
      int status = runtime_.copy(bytes.data(), addresses_[i], bytes.size(), kDeviceToHost);
      if (status != 0) return failed("reading a buffer", status);
      fmt::print("argument {} ({}): {}\n", i + 1, name_of(argument.type),
                 format_elements(bytes.data(), bytes.size(), argument.type, launch_.dump));
    }
    return EXIT_SUCCESS;
  }

  const PtxLaunch& launch_;
  Runtime& runtime_;
  FatbinWrapper wrapper_;
  char stub_ = 0;  // its address identifies the kernel, as a host stub's does
  std::vector<void*> addresses_, pointers_;
};

// Allocates the kernel's arguments, launches it once and prints its buffers. Runs in the child process
// (ChildRequest::body), whose environment configures the session. `path` is libcudart's. Returns the exit code: 0, or 1
// if the launch failed.
int run_ptx(const PtxLaunch& launch, const std::string& path) {
  Runtime runtime;
  if (!runtime.load(path)) return EXIT_FAILURE;
  return PtxRun(launch, runtime).run();
}

// Whether `wanted` names the kernel: "add", "reduce<4>", "add(float const*, int)".
bool is_called(const std::string& mangled, std::string_view wanted) {
  const std::string shown = display_name(mangled);
  std::string_view name = shown;
  if (name.starts_with("void ")) name.remove_prefix(5);
  return name == wanted || (name.starts_with(wanted) && (name[wanted.size()] == '(' || name[wanted.size()] == '<'));
}

Status choose_entry(PtxLaunch& launch, const std::string& wanted) {
  std::vector<std::string> names = kernel_names(launch.text);
  if (names.empty()) return error(fmt::format("'{}' has no kernel: it has no .entry", launch.path));
  if (wanted.empty() && names.size() == 1) {
    launch.entry = names[0];
    return {};
  }
  std::string hint = fmt::format("its kernels are {}", fmt::join(names, ", "));
  if (wanted.empty())
    return error(fmt::format("'{}' has {} kernels", launch.path, names.size()), "choose one with --entry; " + hint);
  if (std::ranges::find(names, wanted) == names.end()) {
    std::erase_if(names, [&](const std::string& name) { return !is_called(name, wanted); });
    if (names.empty()) return error(fmt::format("'{}' has no kernel '{}'", launch.path, wanted), hint);
    if (names.size() > 1)
      return error(fmt::format("'{}' has {} kernels '{}'", launch.path, names.size(), wanted),
                   fmt::format("choose one of them: {}", fmt::join(names, ", ")));
  }
  launch.entry = names.size() == 1 ? names[0] : wanted;
  return {};
}

Result<PtxLaunch> read_launch(const std::string& path, const PtxOptions& options) {
  Result<std::string> text = compile::read_file(path);
  if (!text) return text.problem();
  PtxLaunch launch;
  launch.path = path;
  launch.text = std::move(*text);
  if (Status status = choose_entry(launch, options.entry); !status) return status.problem();
  if (options.grid.empty() || options.block.empty()) {
    return error("a launch needs --grid and --block", "for example --grid 64 --block 16x16");
  }
  auto grid = parse_extent(options.grid), block = parse_extent(options.block);
  if (!grid) return grid.problem();
  if (!block) return block.problem();
  launch.grid = *grid;
  launch.block = *block;
  launch.shared_bytes = options.shared;
  launch.dump = options.dump;
  for (const std::string& argument : options.arguments) {
    Result<KernelArgument> parsed = parse_argument(argument);
    if (!parsed) return parsed.problem();
    launch.arguments.push_back(std::move(*parsed));
  }
  return launch;
}

}  // namespace

void add_ptx_options(CLI::App& app, PtxOptions& options) {
  const char* group = "For a PTX file";
  app.add_option("--entry", options.entry,
                 "the kernel's name in the PTX or in its source; optional if there is only one")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--grid", options.grid, "blocks: 64, 8x8 or 4x4x4")->type_name("G")->group(group);
  app.add_option("--block", options.block, "threads per block: 256, 16x16 or 8x8x4")->type_name("B")->group(group);
  app.add_option("--shared", options.shared, "dynamic shared memory in bytes")->type_name("N")->group(group);
  app.add_option("--arg", options.arguments,
                 "an argument, one option per parameter: i32:5, f32:2.5, buf:4096:zero, buf:1M:u32:iota, "
                 "buf:1M:random, buf:4096:float:1.0")
      ->type_name("A")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--dump", options.dump, "print the first elements of each buffer afterwards")
      ->type_name("N")
      ->group(group);
}

std::variant<Target, TargetError> prepare_ptx_target(const SplitArguments& split, const PtxOptions& options,
                                                     const RunOptions& run_options) {
  if (Status known = check_device(run_options); !known) return TargetError{known.problem(), kFailed};
  if (!split.compiler.empty() || !split.arguments.empty()) {
    const std::string& first = split.compiler.empty() ? split.arguments[0] : split.compiler[0];
    return TargetError{error(fmt::format("'{}' has no meaning for a PTX file", first)), kFailed};
  }
  if (access(split.program.c_str(), F_OK) != 0) {
    return TargetError{error(fmt::format("there is no file '{}'", split.program)), kNotFound};
  }
  Result<compile::Installation> installation = compile::find_installation(false);
  if (!installation) return TargetError{installation.problem(), kFailed};
  Result<PtxLaunch> launch = read_launch(split.program, options);
  if (!launch) return TargetError{launch.problem(), kFailed};
  Target target;
  std::string runtime = installation->library + "/" + compile::kRuntimeName;
  target.request.body = [launch = std::move(*launch), runtime] { return run_ptx(launch, runtime); };
  set_run_environment(target.request, run_options, *installation);
  return target;
}
}  // namespace drywarp::cli
