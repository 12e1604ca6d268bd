#include "faces/cli/targets/ptx_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "base/events/counts.h"
#include "faces/cli/options/exit_codes.h"
#include "faces/cli/targets/ptx_program.h"

namespace drywarp::cli {
namespace {

// `wanted` is what people call a kernel: "add", "reduce<4>", "add(float const*, int)".
bool is_called(const std::string& mangled, std::string_view wanted) {
  const std::string shown = display_name(mangled);
  std::string_view name = shown;
  if (name.starts_with("void ")) name.remove_prefix(5);
  return name == wanted || (name.starts_with(wanted) && (name[wanted.size()] == '(' || name[wanted.size()] == '<'));
}

Status choose_entry(PtxLaunch& launch, const std::string& wanted) {
  std::vector<std::string> names = kernel_names(launch.text);
  if (names.empty()) return error(fmt::format("'{}' has no kernel: there is no .entry in it", launch.path));
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
                 "the kernel's name in the PTX or in its source; may be left out if there is one only")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--grid", options.grid, "blocks: 64, 8x8 or 4x4x4")->type_name("G")->group(group);
  app.add_option("--block", options.block, "threads a block: 256, 16x16 or 8x8x4")->type_name("B")->group(group);
  app.add_option("--shared", options.shared, "dynamic shared memory in bytes")->type_name("N")->group(group);
  app.add_option(
         "--arg", options.arguments,
         "one for each parameter: i32:5, f32:2.5, buf:4096:zero, buf:1M:u32:iota, buf:1M:random, buf:4096:float:1.0")
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
    return TargetError{error(fmt::format("'{}' has no meaning beside a PTX file", first)), kFailed};
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
  set_run_environment(target.request, run_options, installation->library);
  return target;
}

}  // namespace drywarp::cli
