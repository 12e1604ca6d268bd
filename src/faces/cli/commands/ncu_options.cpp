#include "faces/cli/commands/ncu_options.h"

#include <CLI/CLI.hpp>

#include "faces/cli/commands/without_effect.h"
#include "faces/cli/pages/parse.h"

namespace drywarp::cli {
namespace {

constexpr const char* kOneRun = "every counter is collected in one run";
constexpr const char* kNoClocks = "times are modelled at the device file's clocks";
constexpr const char* kStarts = "drywarp starts the program and profiles it";
constexpr const char* kUsesCuda = "the process that uses CUDA is profiled, whether it is the program or a child";
constexpr const char* kBuiltIn = "the sections are built in";
constexpr const char* kNoSampling = "nothing is sampled: stalls are modelled";
constexpr const char* kNoStacks = "call stacks of the host are not recorded";
constexpr const char* kNoMps = "there is no GPU to share";
constexpr const char* kOwnNames = "kernels are printed by their own names";
constexpr const char* kNoInstances = "counts are those of the whole GPU";
constexpr const char* kNoConfig = "no configuration file is read";
constexpr const char* kKept = "a kept profile has the kernels' source text";

constexpr NoEffect kNcuNoEffect[] = {
    {"--mode", "launch-and-attach|launch|attach", kStarts},
    {"-p,--port", "N", kStarts},
    {"--max-connections", "N", kStarts},
    {"--hostname", "NAME", kStarts},
    {"--config-file", "yes|no", kNoConfig},
    {"--config-file-path", "FILE", kNoConfig},
    {"--mps", "MODE", kNoMps},
    {"--mps-num-clients", "N", kNoMps},
    {"--mps-timeout", "SECONDS", kNoMps},
    {"--check-exit-code", "yes|no", "a program that fails is always said"},
    {"--forward-signals", nullptr, "signals are always forwarded"},
    {"--injection-path-32", "FOLDER", "drywarp is the CUDA runtime"},
    {"--injection-path-64", "FOLDER", "drywarp is the CUDA runtime"},
    {"--preload-library", "FILE", "drywarp is the CUDA runtime"},
    {"--call-stack", nullptr, kNoStacks},
    {"--call-stack-type", "native|python", kNoStacks},
    {"--native-include", "FILTER", kNoStacks},
    {"--native-exclude", "FILTER", kNoStacks},
    {"--python-include", "FILTER", kNoStacks},
    {"--python-exclude", "FILTER", kNoStacks},
    {"--support-32bit", nullptr, "programs have 64 bits"},
    {"--target-processes", "application-only|all", kUsesCuda},
    {"--target-processes-filter", "FILTER", kUsesCuda},
    {"--null-stdin", nullptr, "the program keeps its standard input"},
    {"--nvtx-push-pop-scope", "thread|process", "a range is open in its thread"},
    {"--kill", "yes|no", "the program runs to its end"},
    {"--replay-mode", "kernel|application|range|app-range", kOneRun},
    {"--app-replay-buffer", "file|memory", kOneRun},
    {"--app-replay-match", "name|grid|all", kOneRun},
    {"--app-replay-mode", "strict|balanced|relaxed", kOneRun},
    {"--range-replay-options", "OPTIONS", kOneRun},
    {"--range-filter", "FILTER", "launches are profiled, not ranges; --nvtx-include chooses them"},
    {"--graph-profiling", "node|graph", "each kernel of a graph is profiled"},
    {"--section-folder", "FOLDER", kBuiltIn},
    {"--section-folder-recursive", "FOLDER", kBuiltIn},
    {"--section-folder-restore", nullptr, kBuiltIn},
    {"--print-rule-details", nullptr, "a rule's text has the numbers that it was decided by"},
    {"--import-sass", "yes|no", "there is no SASS"},
    {"--import-source", "yes|no", kKept},
    {"--source-folders", "FOLDERS", kKept},
    {"--resolve-source-file", "FILES", kKept},
    {"--query-metrics-collection", "KIND", "the metrics of profiling are listed"},
    {"--disable-profiler-start-stop", nullptr, "cudaProfilerStop() ends the counting"},
    {"--verbose", nullptr, "there is no more to say"},
    {"--cache-control", "all|none", "each launch is modelled with cold caches"},
    {"--clock-control", "base|none|reset", kNoClocks},
    {"--pipeline-boost-state", "stable|dynamic", kNoClocks},
    {"--filter-mode", "global|per-gpu|per-launch-config", "filters count launches of the whole program"},
    {"--rename-kernels", "yes|no", kOwnNames},
    {"--rename-kernels-export", "yes|no", kOwnNames},
    {"--rename-kernels-path", "FILE", kOwnNames},
    {"--print-nvtx-rename", "none|kernel", kOwnNames},
    {"--print-metric-instances", "none|values|details", kNoInstances},
    {"--print-metric-attribution", nullptr, kNoInstances},
    {"--pm-sampling-interval", "N", kNoSampling},
    {"--pm-sampling-buffer-size", "BYTES", kNoSampling},
    {"--pm-sampling-max-passes", "N", kNoSampling},
    {"--warp-sampling-interval", "N", kNoSampling},
    {"--warp-sampling-max-passes", "N", kNoSampling},
    {"--warp-sampling-buffer-size", "BYTES", kNoSampling},
    {"--open-in-ui", nullptr, "there is no user interface"},
};

void add_collection(CLI::App& app, NcuOptions& o) {
  const auto several = [](CLI::Option* option, const char* type) { option->type_name(type)->take_all()->expected(1); };
  several(app.add_option("--metrics", o.metrics,
                         "comma-separated metrics by Nsight Compute's names, also 'regex:EXPRESSION', 'group:NAME' and "
                         "'breakdown:THROUGHPUT'; a name without a suffix has all of its first level; one that "
                         "drywarp does not know is n/a"),
          "METRICS");
  several(app.add_option("--section", o.sections, "a section's identifier, or 'regex:EXPRESSION'; may be repeated"),
          "SECTION");
  several(app.add_option("--set", o.sets, "a set of sections; the default is basic; may be repeated"), "SET");
  app.add_option("--apply-rules", o.apply_rules, "no: sections without drywarp's limiter and advice")
      ->type_name("yes|no")
      ->check(CLI::IsMember({"yes", "no", "on", "off", "1", "0"}))
      ->capture_default_str();
  several(app.add_option("--rule", o.rules,
                         "only this rule of drywarp's, by its name or by that of ncu's rule on the same matter; may be "
                         "repeated"),
          "NAME");
  app.add_flag("--disable-extra-suffixes", o.exact_suffixes, "only the metrics whose full names are given");
  app.add_flag("--list-sets", o.list_sets, "list the sets");
  app.add_flag("--list-sections", o.list_sections, "list the sections");
  app.add_flag("--list-rules", o.list_rules, "list drywarp's rules");
  app.add_flag("--list-metrics", o.list_metrics, "list the metrics of the chosen sections");
  app.add_flag("--list-chips", o.list_chips, "list the devices that drywarp knows");
  app.add_flag("--query-metrics", o.query, "list the metrics: what they count, which are modelled or n/a");
  app.add_option("--query-metrics-mode", o.query_mode,
                 "names without suffix, the suffixes of those that --metrics names, or all names; implies "
                 "--query-metrics")
      ->type_name("base|suffix|all");
  app.add_option("--chips", o.chips,
                 "the devices in the headings of --query-metrics, comma-separated: all have the same metrics")
      ->type_name("CHIPS");
}

void add_filters(CLI::App& app, NcuOptions& o) {
  app.add_option("-k,--kernel-name", o.kernel, "only kernels of this name, exactly, or 'regex:EXPRESSION'")
      ->type_name("NAME");
  app.add_option("--kernel-name-base", o.base, "what the name is compared with")
      ->type_name("function|demangled|mangled")
      ->check(CLI::IsMember({"function", "demangled", "mangled"}))
      ->capture_default_str();
  app.add_option("--kernel-id", o.kernel_id,
                 "only launches of 'context:stream:[regex:]kernel:invocation'; an empty part is anything, and "
                 "'::add:2' the second launch of add")
      ->type_name("ID");
  app.add_option("-s,--launch-skip", o.skip, "skip the first N of the matching launches")
      ->type_name("N")
      ->check(integer(0));
  app.add_option("-c,--launch-count", o.count, "then take N launches")->type_name("N")->check(integer(1));
  app.add_option("--launch-skip-before-match", o.skip_before_match, "skip the first N launches, matching or not")
      ->type_name("N")
      ->check(integer(0));
  app.add_flag("--nvtx", o.nvtx, "follow NVTX ranges; they always are");
  const auto range = [](CLI::Option* option) { option->type_name("RANGE")->take_all()->expected(1); };
  range(app.add_option("--nvtx-include", o.nvtx_include,
                       "only launches inside this NVTX range; 'A/B' is B inside A; domains are not compared"));
  range(app.add_option("--nvtx-exclude", o.nvtx_exclude, "no launch inside this NVTX range"));
  app.add_option("--devices", o.devices, "the GPUs to profile: there is one, 0")->type_name("NUMBERS");
  app.add_option("--profile-from-start", o.from_start, "off: nothing is profiled before cudaProfilerStart()")
      ->type_name("on|off|yes|no")
      ->check(CLI::IsMember({"on", "off", "yes", "no", "1", "0"}))
      ->capture_default_str();
}

void add_output(CLI::App& app, NcuOptions& o) {
  app.add_option("--page", o.page, "sections, all metrics by name, counts by source line, or how it was run")
      ->type_name("details|raw|source|session")
      ->capture_default_str();
  app.add_flag("--csv", o.csv,
               "comma-separated values; of a program that runs, in base units unless --print-units says otherwise");
  app.add_option("--print-units", o.units, "base: bytes, ns and hz, however large the number")
      ->type_name("auto|base")
      ->check(CLI::IsMember({"auto", "base"}));
  app.add_option("--print-details", o.details,
                 "which part of a section: the metrics of its header, the tables of its body, or all")
      ->type_name("header|body|all")
      ->check(CLI::IsMember({"header", "body", "all"}))
      ->capture_default_str();
  app.add_option("--print-metric-name", o.label, "a row's label, the metric's name, or both")
      ->type_name("label|name|label-name")
      ->capture_default_str();
  app.add_option("--print-summary", o.summary, "least, greatest and mean over the launches of a kernel")
      ->type_name("none|per-gpu|per-kernel|per-nvtx")
      ->check(CLI::IsMember({"none", "per-gpu", "per-kernel", "per-nvtx"}))
      ->capture_default_str();
  app.add_option("--print-kernel-base", o.print_base, "which name of a kernel is printed")
      ->type_name("function|demangled|mangled")
      ->check(CLI::IsMember({"function", "demangled", "mangled"}))
      ->capture_default_str();
  app.add_option("--print-source", o.print_source, "the view of --page source: drywarp has CUDA source lines")
      ->type_name("sass|ptx|cuda|cuda,sass");
  app.add_flag("--print-fp", o.fractions, "whole numbers with decimals, too");
  app.add_flag("--quiet", o.quiet, "no lines of ==PROF==");
  app.add_option("--log-file", o.log_file, "write to this file; also 'stdout', the default, or 'stderr'")
      ->type_name("FILE");
  app.add_option("-o,--export", o.output,
                 "keep the profile in this file instead, in drywarp's own format (.dwprof): for --import, `drywarp "
                 "show`, `query` and `compare`")
      ->type_name("FILE");
  app.add_flag("-f,--force-overwrite", o.force, "let -o replace a file");
  app.add_option("-i,--import", o.input, "print a kept profile instead of running a program")->type_name("FILE");
  app.add_flag("-v,--version", o.version, "drywarp's version");
}

}  // namespace

void add_ncu_options(CLI::App& app, NcuOptions& o) {
  add_collection(app, o);
  add_filters(app, o);
  add_output(app, o);
  add_run_options(app, o.counted.run);
  add_compiled_options(app, o.counted.compiled);
  add_ptx_options(app, o.counted.ptx);
  add_without_effect(app, kNcuNoEffect, o.notes);
}

}  // namespace drywarp::cli
