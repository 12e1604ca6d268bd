#include "faces/cli/commands/sanitizer_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <regex>

#include "faces/cli/commands/without_effect.h"
#include "faces/cli/pages/parse.h"

namespace drywarp::cli {
namespace {

constexpr const char* kNoProcesses = "the process that uses CUDA is checked, whether it is the program or a child";
constexpr const char* kNoConnection = "the program's session writes to a file, and to no port";
constexpr const char* kNoInjection = "drywarp's libcudart does the work, and nothing is injected";
constexpr const char* kEachAlone = "launches run one by one, and every error of each is reported";
constexpr const char* kNoDump = "there are no core dumps of a GPU";
constexpr const char* kNoFrames = "findings have their line and no frames of the device's callers";
constexpr const char* kNoOptix = "OptiX programs do not run";
constexpr const char* kAlways = "it is always checked";
constexpr const char* kNoSession = "the report has no session";

constexpr NoEffect kOfNoEffect[] = {
    {"--backtrace-short", "yes|no", kNoFrames},
    {"--binary-patching", "yes|no", "nothing is patched"},
    {"--check-api-memory-access", "yes|no", "copies and fills are checked where they run"},
    {"--check-bulk-copy", "yes|no", kAlways},
    {"--check-cache-control", nullptr, "cache control has no address to check"},
    {"--check-device-heap", "yes|no", kAlways},
    {"--check-optix", nullptr, kNoOptix},
    {"--check-optix-leaks", nullptr, kNoOptix},
    {"--check-warpgroup-mma", "yes|no", kAlways},
    {"--coredump-behavior", "full|exit", kNoDump},
    {"--coredump-name", "FILE", kNoDump},
    {"--detect-missing-module-unload", nullptr, "modules are no memory of the device"},
    {"--dump-kernel-launches", nullptr, "`drywarp profile` lists launches"},
    {"--flush-to-disk", "yes|no", "the report is written at the end"},
    {"--force-blocking-launches", nullptr, kEachAlone},
    {"--force-synchronization-limit", "N", kEachAlone},
    {"--generate-coredump", nullptr, kNoDump},
    {"--ignore-getprocaddress-notfound", nullptr, "failed calls are not reported"},
    {"--injection-path", "PATH", kNoInjection},
    {"--injection-path32", "PATH", kNoInjection},
    {"--kill", nullptr, kNoConnection},
    {"--language", "c|fortran", "indices are C's"},
    {"--launch-timeout", "SECONDS", kNoConnection},
    {"--max-connections", "N", kNoConnection},
    {"--missing-barrier-init-is-fatal", "yes|no", "no finding of a barrier ends the launch"},
    {"--mode", "launch-and-attach|launch|attach", kNoConnection},
    {"--num-callers-device", "N", kNoFrames},
    {"--num-cuda-barriers", "N", "all barriers are followed"},
    {"--nvtx", "yes|no", "memory pools that NVTX describes are always known"},
    {"--padding", "BYTES", "an access is held to its allocation without padding"},
    {"--port", "N", kNoConnection},
    {"--preload-library", "FILES", kNoInjection},
    {"--print-session-details", nullptr, kNoSession},
    {"--racecheck-continue-on-deadlock", "yes|no", "a deadlock ends the launch"},
    {"--racecheck-deadlock-timeout", "MILLISECONDS", "a deadlock is found without waiting"},
    {"--racecheck-filter-cluster-id", "N", "all clusters are checked"},
    {"--racecheck-indirect-barrier-dependency", "yes|no", "all barriers are followed"},
    {"--racecheck-memcpy-async", "yes|no", kAlways},
    {"--racecheck-num-workers", "N", "--workers N says how many threads run blocks"},
    {"--racecheck-trace-sync", "yes|no", "synchronization is not listed"},
    {"--report-device-side-allocation-failure", "yes|no", "malloc() of the device that fails is not reported"},
    {"--save-session-details", nullptr, kNoSession},
    {"--support-32bit", nullptr, kNoProcesses},
    {"--target-processes", "application-only|all", kNoProcesses},
    {"--target-processes-filter", "NAMES", kNoProcesses},
    {"--track-stream-ordered-races", "all|use-before-alloc|use-after-free|no", kAlways},
    {"--unused-shared-memory-report-limit", "N", "memory that is never used is not reported"},
};

void add_choice(CLI::App& app, const char* name, std::string& value, std::vector<std::string> choices,
                const char* help) {
  app.add_option(name, value, help)
      ->type_name(fmt::format("{}", fmt::join(choices, "|")))
      ->check(CLI::IsMember(choices))
      ->capture_default_str();
}

void add_outputs(CLI::App& app, SanitizerOptions& o) {
  app.add_option("--log-file", o.log_file,
                 "write to this file, not to standard output; %p is drywarp's process, %q{NAME} a variable of the "
                 "environment, %% a percent sign")
      ->type_name("FILE");
  app.add_option("--save", o.save, "with --xml, the file for it")->type_name("FILE");
  app.add_flag("--xml{yes}", o.xml, "write XML to the file of --save")->check(CLI::IsMember({"yes", "no"}));
  app.add_option("--read", o.read, "refused: drywarp keeps no file that this could read")->type_name("FILE");
  app.add_option("--print-limit", o.limit, "print no more reports than this; 0: all")
      ->type_name("N")
      ->capture_default_str();
  add_choice(app, "--print-level", o.level, {"info", "auto", "warn", "error", "fatal"},
             "the least severe reports to print; auto is warn");
  app.add_option("--prefix", o.prefix, "in front of each line")->type_name("TEXT")->capture_default_str();
  add_choice(app, "--show-backtrace", o.backtrace, {"yes", "host", "device", "no"},
             "the host's calls that led to a launch, a failed call or an allocation");
  app.add_option("--num-callers-host", o.host_callers,
                 "of a launch, print no more of the host's calls than this; 0: all")
      ->type_name("N")
      ->capture_default_str();
  add_choice(app, "--demangle", o.demangle, {"full", "simple", "no"},
             "names of kernels: simple is without parameters; no is full");
  add_choice(app, "--strip-paths", o.strip_paths, {"yes", "no"}, "names of files without their folders");
  app.add_flag("-q,--quiet", o.quiet, "print nothing but errors");
}

void add_choices(CLI::App& app, SanitizerOptions& o) {
  add_choice(app, "--tool", o.tool, {"memcheck", "racecheck", "initcheck", "synccheck"}, "what to look for");
  add_choice(app, "--leak-check", o.leak_check, {"full", "no"}, "of memcheck: also memory that is never freed");
  add_choice(app, "--racecheck-report", o.races, {"hazard", "analysis", "all"}, "how races are reported");
  add_choice(app, "--racecheck-detect-level", o.detect_level, {"info", "warn", "error"}, "the least severe races");
  add_choice(app, "--report-api-errors", o.api_errors, {"all", "explicit", "no"},
             "of memcheck: calls of CUDA that fail, those that give the last error among them; no: none");
  app.add_flag("--track-unused-memory", o.track_unused,
               "of initcheck: allocations that the device never uses, or not wholly");
  app.add_option("--unused-memory-threshold", o.most_unused,
                 "nothing of an allocation of which no more than N percent are unused")
      ->type_name("N")
      ->check(CLI::Range(0.0, 100.0));
  add_choice(app, "--initcheck-address-space", o.spaces, {"global", "shared", "all"}, "which memory initcheck follows");
  app.add_option("--kernel-name,--kernel-regex,--filter", o.kernels,
                 "check only these kernels: kernel_name=, kernel_substring= (kne=, kns=) or regex= and a mangled name; "
                 "may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1);
  app.add_option("--kernel-name-exclude,--kernel-regex-exclude", o.excluded, "do not check these")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1);
  app.add_option("-s,--launch-skip", o.skip, "skip the first N matching launches")->type_name("N");
  app.add_option("-c,--launch-count", o.count, "then check N launches; 0: all")->type_name("N");
  app.add_option("--error-exitcode", o.error_exitcode,
                 "the exit code if there are errors and the program itself succeeded; 0: the program's")
      ->type_name("N")
      ->check(CLI::Range(0, 255))
      ->capture_default_str();
  add_choice(app, "--destroy-on-device-error", o.destroy, {"context", "kernel"},
             "context: the program sees the error of a bad access; kernel: it goes on without");
  add_choice(app, "--check-exit-code", o.check_exit_code, {"yes", "no"}, "say it if the program fails");
  add_choice(app, "--require-cuda-init", o.require_cuda, {"yes", "no"}, "a program that does not use CUDA is an error");
  app.add_option("--suppressions", o.suppressions.files,
                 fmt::format("a file of known findings, in drywarp's format: docs/check.md. {} is read by itself",
                             kSuppressionsFile))
      ->type_name("FILE")
      ->take_all()
      ->expected(1);
}

std::string escaped(const std::string& name) {
  std::string all;
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) all += '\\';
    all += c;
  }
  return all;
}

// A lookahead for "key=value".
Result<std::string> component(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string key = text.substr(0, equals), value = equals == text.npos ? "" : text.substr(equals + 1);
  if (equals == text.npos || value.empty())
    return error(fmt::format("--kernel-name {}: not KEY=VALUE", text), "--kernel-name kernel_substring=reduce");
  if (key == "kernel_name" || key == "kne") return fmt::format("(?={}$)", escaped(value));
  if (key == "kernel_substring" || key == "kns") return fmt::format("(?=.*{})", escaped(value));
  if (key == "regex") return fmt::format("(?=.*(?:{}))", value);
  return error(fmt::format("--kernel-name {}: there is no key '{}'", text, key),
               "kernel_name (kne), kernel_substring (kns) or regex");
}

// All components of "key=value,key=value" at once. An expression may have commas.
Result<std::string> specification(const std::string& text) {
  std::string all;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t comma = rest.starts_with("regex=") ? rest.npos : rest.find(',');
    const Result<std::string> one = component(std::string(rest.substr(0, comma)));
    if (!one) return one.problem();
    all += *one;
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
  }
  return all;
}

}  // namespace

Result<std::string> kernel_expression(const std::vector<std::string>& taken, const std::vector<std::string>& excluded) {
  if (taken.empty() && excluded.empty()) return std::string();
  std::string expression = "^";
  for (const std::string& text : excluded) {
    // Any of its components excludes a kernel.
    const Result<std::string> one = specification(text);
    if (!one) return one.problem();
    std::string any = *one;
    for (size_t at; (at = any.find(")(?=")) != any.npos;) any.replace(at, 2, ")|(");
    expression += fmt::format("(?!{})", any);
  }
  std::vector<std::string> alternatives;
  for (const std::string& text : taken) {
    Result<std::string> one = specification(text);
    if (!one) return one.problem();
    alternatives.push_back(std::move(*one));
  }
  if (!alternatives.empty()) expression += fmt::format("(?:{})", fmt::join(alternatives, "|"));
  try {
    const std::regex valid(expression, std::regex::ECMAScript);
  } catch (const std::regex_error& problem) {
    return error(fmt::format("--kernel-name: not a regular expression: {}", problem.what()));
  }
  return expression;
}

Words join_flag_values(const Words& words) {
  constexpr std::string_view kFlags[] = {"--xml",
                                         "--track-unused-memory",
                                         "--force-blocking-launches",
                                         "--check-cache-control",
                                         "--check-optix",
                                         "--check-optix-leaks",
                                         "--generate-coredump",
                                         "--print-session-details",
                                         "--save-session-details",
                                         "--kill",
                                         "--quiet"};
  constexpr std::string_view kYes[] = {"yes", "on", "true", "1"}, kNo[] = {"no", "off", "false", "0"};
  Words joined;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool flag = std::ranges::find(kFlags, words[i]) != std::end(kFlags);
    const bool yes = flag && i + 1 < words.size() && std::ranges::find(kYes, words[i + 1]) != std::end(kYes);
    const bool no = flag && i + 1 < words.size() && std::ranges::find(kNo, words[i + 1]) != std::end(kNo);
    if (words[i] == "--") {
      joined.insert(joined.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (!no) joined.push_back(words[i]);
    i += yes || no ? 1 : 0;
  }
  return joined;
}

void add_sanitizer_options(CLI::App& app, SanitizerOptions& o) {
  add_choices(app, o);
  add_outputs(app, o);
  app.add_flag("-v,--version", o.version, "drywarp's version");
  add_run_options(app, o.run);
  add_without_effect(app, kOfNoEffect, o.notes);
}

}  // namespace drywarp::cli
