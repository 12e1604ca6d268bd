#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>
#include <string_view>

#include "base/support/near_names.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/command_page.h"
#include "faces/compile/nvcc_options/installation.h"

namespace drywarp::cli {
namespace {

int print_help(const Words& words);

int print_version(const Words&) {
  fmt::print("drywarp {}\n", compile::drywarp_version());
  return kSuccess;
}

Command help_command() { return {nullptr, print_help}; }
Command version_command() { return {nullptr, print_version}; }

constexpr Subcommand kSubcommands[] = {
    {"run", "run [options] app.cu [-- arguments]", "compile a CUDA program and run it", run_command},
    {"profile", "profile [options] app.cu | ./app | k.ptx", "run it and report what its kernels did", profile_command},
    {"check", "check [options] app.cu | ./app", "run it and report bad accesses, races and barriers", check_command},
    {"what-if", "what-if [options] app.cu | ./app | k.ptx", "how much faster each kernel would be without one cost",
     what_if_command},
    {"sweep", "sweep [options] app.cu -D BM=32,64 -- args", "find the best configuration by experiment", sweep_command},
    {"measure", "measure --json | [options] app.cu", "one configuration's time and resources, as JSON, for tuners",
     measure_command},
    {"show", "show [options] run.dwprof", "print the report of a kept profile", show_command},
    {"report", "report run.dwprof -o report.html", "write a kept profile as a page for a browser", report_command},
    {"query", "query run.dwprof \"SELECT ...\"", "ask a kept profile in SQL", query_command},
    {"compare", "compare before.dwprof after.dwprof", "what got better or worse, kernel by kernel", compare_command},
    {"grade", "grade [options] exercise.toml [app.cu]", "hold a program to an exercise: points, and what is missing",
     grade_command},
    {"occupancy", "occupancy --block B ... | app.cu | ./app | k.ptx",
     "how many blocks fit on a multiprocessor, and why", occupancy_command},
    {"nvcc", "nvcc [nvcc's options] file...", "compile as nvcc would: make NVCC=\"drywarp nvcc\"", nvcc_command},
    {"nvprof", "nvprof [nvprof's options] app.cu | ./app", "profile it, and print what nvprof would print",
     nvprof_command},
    {"ncu", "ncu [ncu's options] app.cu | ./app", "profile it, and print what Nsight Compute would print", ncu_command},
    {"compute-sanitizer", "compute-sanitizer [its options] app.cu | ./app",
     "check it, and print what compute-sanitizer would print", compute_sanitizer_command},
    {"cuda-memcheck", "cuda-memcheck [its options] app.cu | ./app", "the same under the name that it had before",
     cuda_memcheck_command},
    {"latency", "latency [options] [app.cu | ./app]", "latencies of a GPU, and the warps that hide them",
     latency_command},
    {"devices", "devices [NAME]", "the GPUs it knows, and where each number comes from", devices_command},
    {"calibrate", "calibrate --output FILE.toml", "measure this machine's GPU, write a device file", calibrate_command},
    {"explain", "explain access | banks | warps | divergence | ...", "draw how the machine works", explain_command},
    {"help", "help [subcommand]", "this text, or the help of a subcommand", help_command},
    {"version", "version", "drywarp's version", version_command},
};

// For the build; not listed in the help.
constexpr Subcommand kHidden = {"documentation", "documentation FOLDER", "write manual pages and shell completion",
                                documentation_command};

// Under the name of another program, as through a link, drywarp acts as that program: scripts and build systems want
// one word.
struct OtherName {
  std::string_view called;
  Command (*make)();
  int failed;  // the exit code if standard output cannot be written
};
constexpr OtherName kOtherNames[] = {{"nvcc", nvcc_command, kCompiler},
                                     {"drywarp-nvcc", nvcc_command, kCompiler},
                                     {"nvprof", nvprof_command, kFailed},
                                     {"ncu", ncu_command, kFailed},
                                     {"compute-sanitizer", compute_sanitizer_command, kFailed},
                                     {"cuda-memcheck", cuda_memcheck_command, kFailed}};

const Subcommand* find(std::string_view name) {
  if (name == kHidden.name) return &kHidden;
  for (const Subcommand& subcommand : kSubcommands) {
    if (name == subcommand.name) return &subcommand;
  }
  return nullptr;
}

std::string overview() {
  std::string text =
      "drywarp runs CUDA programs on a machine with no GPU and counts what a GPU's\n"
      "profiler would count. `drywarp profile app.cu` is the way to begin.\n\n";
  for (const Subcommand& subcommand : kSubcommands) {
    text += fmt::format("  {:<17}  {}\n", subcommand.name, subcommand.caption);
  }
  return text + "\n`drywarp SUBCOMMAND --help` says what follows it and lists its options.\n";
}

// What people type who know other tools, or who name the thing and not the command.
struct OtherWord {
  std::string_view word;
  const char* hint;
};
constexpr OtherWord kOtherWords[] = {
    {"advise", "`drywarp profile` gives advice with each kernel"},
    {"advice", "`drywarp profile` gives advice with each kernel"},
    {"analyze", "`drywarp profile` says what limits each kernel"},
    {"build", "`drywarp nvcc` compiles, with nvcc's options"},
    {"compile", "`drywarp nvcc` compiles, with nvcc's options"},
    {"diff", "`drywarp compare` compares two kept profiles"},
    {"exec", "`drywarp run` compiles and runs a program"},
    {"memcheck", "`drywarp check` has memcheck, racecheck, initcheck and synccheck"},
    {"nsys", "`drywarp profile` has the time line; `drywarp report` writes it as a page"},
    {"nsight", "`drywarp ncu` takes Nsight Compute's options"},
    {"racecheck", "`drywarp check` has memcheck, racecheck, initcheck and synccheck"},
    {"roofline", "`drywarp profile --details` draws the roofline"},
    {"sanitize", "`drywarp check` has memcheck, racecheck, initcheck and synccheck"},
    {"tune", "`drywarp sweep` finds the best configuration by experiment"},
};

// Words beginning with a dash are options, and what has a dot or a slash is a file: they follow a subcommand.
std::string hint_for(std::string_view word) {
  for (const OtherWord& other : kOtherWords)
    if (word == other.word) return other.hint;
  if (word.starts_with('-')) return "options follow a subcommand: `drywarp profile --help` lists those of profile";
  if (word.find_first_of("./") != word.npos)
    return fmt::format("a subcommand comes first: `drywarp {} {}`", word.ends_with(".dwprof") ? "show" : "profile",
                       word);
  std::vector<std::string> names;
  for (const Subcommand& subcommand : kSubcommands) names.emplace_back(subcommand.name);
  return fmt::format("`drywarp {}`? `drywarp help` lists all", nearest_first(word, std::move(names)).front());
}

int fail_unknown(std::string_view word) {
  return fail(error(fmt::format("there is no subcommand '{}'", word), hint_for(word)), kFailed);
}

int print_help(const Words& words) {
  if (words.empty()) return std::fputs(overview().c_str(), stdout), kSuccess;
  const Subcommand* subcommand = find(words[0]);
  if (!subcommand || subcommand->make == help_command) return fail_unknown(words[0]);
  return subcommand->make().run({"--help"});
}

// Returns `code`, or `failed` if writing to standard output failed, as on a full disk.
int if_written(int code, int failed) {
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  return written || code != kSuccess
             ? code
             : fail(error("the output is incomplete: writing to standard output failed"), failed);
}

// Opens /dev/null for each closed standard stream (`>&-`). Otherwise the next file opened, such as the profile, would
// become standard output. The direction is the wrong one, so that using the stream fails.
void keep_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int run_command_line(int argc, char** argv) {
  Words words(argv + 1, argv + argc);
  const std::string called = std::filesystem::path(argv[0]).filename().string();
  for (const OtherName& other : kOtherNames)
    if (called == other.called) return if_written(other.make().run(words), other.failed);
  if (words.empty()) return say(overview()), kFailed;
  if (words[0] == "--help" || words[0] == "-h") return if_written(print_help({}), kFailed);
  if (words[0] == "--version" || words[0] == "-V") return if_written(print_version({}), kFailed);
  const Subcommand* subcommand = find(words[0]);
  if (!subcommand) return fail_unknown(words[0]);
  words.erase(words.begin());
  return if_written(subcommand->make().run(words), subcommand->make == nvcc_command ? kCompiler : kFailed);
}

}  // namespace

std::span<const Subcommand> subcommands() { return kSubcommands; }

int main_command(int argc, char** argv) try {
  keep_standard_streams();
  return run_command_line(argc, argv);
} catch (const std::bad_alloc&) {
  return fail(error("not enough memory"), kFailed);
}

}  // namespace drywarp::cli
