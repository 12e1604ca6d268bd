#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string_view>

#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/options/exit_codes.h"
#include "faces/cli/pages/page_writers.h"
#include "faces/compile/nvcc_options/installation.h"

namespace drywarp::cli {
namespace {

int print_help(const Words& words);

int print_version(const Words&) {
  fmt::print("drywarp {}\n", frontend::drywarp_version());
  return kSuccess;
}

Command help_command() { return {nullptr, print_help}; }
Command version_command() { return {nullptr, print_version}; }

constexpr Subcommand kSubcommands[] = {
    {"run", "run [options] app.cu [-- arguments]", "compile a CUDA program and run it", run_command},
    {"profile", "profile [options] app.cu | ./app | k.ptx", "run it and report what its kernels did", profile_command},
    {"occupancy", "occupancy --block B ... | app.cu | ./app | k.ptx",
     "how many blocks fit on a multiprocessor, and why", occupancy_command},
    {"nvcc", "nvcc [nvcc's options] file...", "compile as nvcc would: make NVCC=\"drywarp nvcc\"", nvcc_command},
    {"latency", "latency [options] [app.cu | ./app]", "latencies of a GPU, and the warps that hide them",
     latency_command},
    {"devices", "devices [NAME]", "the GPUs that drywarp knows, and where each number comes from", devices_command},
    {"calibrate", "calibrate --output FILE.toml", "measure this machine's GPU, write a device file", calibrate_command},
    {"explain", "explain access | banks | warps | divergence | ...", "draw how the machine works", explain_command},
    {"help", "help [subcommand]", "this text, or that of a subcommand", help_command},
    {"version", "version", "drywarp's version", version_command},
};

// For the build, and named nowhere.
constexpr Subcommand kHidden = {"documentation", "documentation FOLDER", "write manual pages and shell completion",
                                documentation_command};

const Subcommand* find(std::string_view name) {
  if (name == kHidden.name) return &kHidden;
  for (const Subcommand& subcommand : kSubcommands) {
    if (name == subcommand.name) return &subcommand;
  }
  return nullptr;
}

std::string overview() {
  std::string text =
      "drywarp runs CUDA programs on a machine with no GPU and counts what a GPU's profiler would count.\n\n";
  for (const Subcommand& subcommand : kSubcommands) {
    text += fmt::format("  drywarp {:<42} {}\n", subcommand.usage, subcommand.caption);
  }
  return text + "\n`drywarp SUBCOMMAND --help` lists its options.\n";
}

int print_help(const Words& words) {
  if (words.empty()) return std::fputs(overview().c_str(), stdout), kSuccess;
  const Subcommand* subcommand = find(words[0]);
  if (!subcommand || subcommand->make == help_command) {
    return fail(error(fmt::format("there is no subcommand '{}'", words[0]), "`drywarp help` lists them"), kFailed);
  }
  return subcommand->make().run({"--help"});
}

}  // namespace

std::span<const Subcommand> subcommands() { return kSubcommands; }

int main_command(int argc, char** argv) {
  Words words(argv + 1, argv + argc);
  // Linked or copied under nvcc's name, the program is that compiler driver: build systems want one word.
  std::string called = std::filesystem::path(argv[0]).filename().string();
  if (called == "nvcc" || called == "drywarp-nvcc") return nvcc_command().run(words);
  if (words.empty()) return say(overview()), kFailed;
  if (words[0] == "--help" || words[0] == "-h") return print_help({});
  if (words[0] == "--version" || words[0] == "-V") return print_version({});
  const Subcommand* subcommand = find(words[0]);
  if (!subcommand) {
    return fail(error(fmt::format("there is no subcommand '{}'", words[0]), "`drywarp help` lists them"), kFailed);
  }
  words.erase(words.begin());
  return subcommand->make().run(words);
}

}  // namespace drywarp::cli
