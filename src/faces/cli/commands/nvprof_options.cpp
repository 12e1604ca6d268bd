#include "faces/cli/commands/nvprof_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "faces/cli/commands/without_effect.h"
#include "faces/cli/pages/parse.h"

namespace drywarp::cli {
namespace {

constexpr const char* kOneByOne = "kernels run one after the other";
constexpr const char* kNoReplay = "every counter is collected in one run";
constexpr const char* kNoBuffer = "there are no device buffers";
constexpr const char* kNoHostCode = "the program's host code is not sampled";
constexpr const char* kNoDirectives = "OpenACC and OpenMP are not traced";
constexpr const char* kOneGpu = "there is one GPU and no link to another";
constexpr const char* kFirstProcess = "the process that uses CUDA is profiled, whether it is the program or a child";
constexpr const char* kBySource = "`drywarp profile --page source` shows counts and times by source line";
constexpr const char* kNoNames = "names are not printed";

constexpr NoEffect kNoEffect[] = {
    {"--aggregate-mode", "on|off", "values are those of the whole GPU"},
    {"--annotate-mpi", "off|openmpi|mpich", "MPI is not traced"},
    {"--concurrent-kernels", "on|off", kOneByOne},
    {"--context-name", "NAME", kNoNames},
    {"--continuous-sampling-interval", "MILLISECONDS", kNoReplay},
    {"--cpu-profiling", "on|off", kNoHostCode},
    {"--cpu-profiling-explain-ccff", "FILE", kNoHostCode},
    {"--cpu-profiling-frequency", "N", kNoHostCode},
    {"--cpu-profiling-max-depth", "N", kNoHostCode},
    {"--cpu-profiling-mode", "flat|top-down|bottom-up", kNoHostCode},
    {"--cpu-profiling-percentage-threshold", "N", kNoHostCode},
    {"--cpu-profiling-scope", "function|instruction", kNoHostCode},
    {"--cpu-profiling-show-ccff", "on|off", kNoHostCode},
    {"--cpu-profiling-show-library", "on|off", kNoHostCode},
    {"--cpu-profiling-thread-mode", "separated|aggregated", kNoHostCode},
    {"--cpu-profiling-unwind-stack", "on|off", kNoHostCode},
    {"--cpu-thread-tracing", "on|off", kNoHostCode},
    {"--dependency-analysis", nullptr, "dependencies between host and device are not followed"},
    {"--device-buffer-size", "MB", kNoBuffer},
    {"--device-cdp-buffer-size", "MB", kNoBuffer},
    {"--event-collection-mode", "kernel|continuous", kNoReplay},
    {"--kernel-latency-timestamps", "on|off", "a launch has no latency timestamps"},
    {"--openacc-profiling", "on|off", kNoDirectives},
    {"--openacc-summary-mode", "exclusive|inclusive", kNoDirectives},
    {"--openmp-profiling", "on|off", kNoDirectives},
    {"--pc-sampling-period", "N", kBySource},
    {"--print-dependency-analysis-trace", nullptr, "dependencies between host and device are not followed"},
    {"--print-nvlink-topology", nullptr, kOneGpu},
    {"--print-openacc-constructs", nullptr, kNoDirectives},
    {"--print-openacc-summary", nullptr, kNoDirectives},
    {"--print-openacc-trace", nullptr, kNoDirectives},
    {"--print-openmp-summary", nullptr, kNoDirectives},
    {"--print-pci-topology", nullptr, kOneGpu},
    {"--process-name", "NAME", kNoNames},
    {"--profile-all-processes", nullptr, "drywarp profiles only the program that it starts"},
    {"--profile-child-processes", nullptr, kFirstProcess},
    {"--profiling-semaphore-pool-size", "N", kNoBuffer},
    {"--replay-mode", "disabled|kernel|application", kNoReplay},
    {"--skip-kernel-replay-save-restore", "on|off", kNoReplay},
    {"-a,--source-level-analysis", "NAMES", kBySource},
    {"--stream-name", "NAME", kNoNames},
    {"--system-profiling", "on|off", "power, clocks and temperature are not modelled"},
    {"--track-memory-allocations", "on|off", "the API trace has the allocations"},
    {"--unified-memory-profiling", "per-process-device|off",
     "managed memory does not migrate: there are no page faults"},
};

void add_counter_options(CLI::App& app, NvprofOptions& o) {
  const auto add = [&](const char* names, const char* value, NvprofOptions::Word word, const char* help) {
    app.add_option_function<std::string>(
           names, [&o, word](const std::string& text) { o.counters.emplace_back(word, text); }, help)
        ->type_name(value)
        ->trigger_on_parse();  // their order counts
  };
  using Word = NvprofOptions::Word;
  add("-m,--metrics", "METRICS", Word::Metrics,
      "comma-separated metrics by nvprof's names, or those of `drywarp profile --metrics`; 'all' is every one of "
      "nvprof's");
  add("-e,--events", "EVENTS", Word::Events, "comma-separated events, or 'all'");
  add("--kernels", "KERNELS", Word::Kernels,
      "the kernels of the --metrics and --events behind it: a name, or context:stream:kernel:invocation, each a "
      "number, "
      "a regular expression or empty");
  app.add_flag("--analysis-metrics", o.analysis, "every metric; with -o, a profile has all of them anyway");
  app.add_flag("--query-metrics", o.query_metrics, "list nvprof's metrics, with the reason where one is n/a");
  app.add_flag("--query-events", o.query_events, "list nvprof's events, with the reason where one is n/a");
}

void add_table_options(CLI::App& app, NvprofOptions& o) {
  app.add_flag("--print-gpu-trace", o.gpu_trace, "a row a kernel and a copy; with counters, a row a launch");
  app.add_flag("--print-api-trace", o.api_trace, "a row a call of the CUDA API");
  app.add_flag("--print-gpu-summary", o.gpu_summary, "kernels and copies, the most time first");
  app.add_flag("--print-api-summary", o.api_summary, "functions of the CUDA API, the most time first");
  app.add_flag("-s,--print-summary", o.summary, "both summaries: what is printed without any of these options");
  app.add_flag("--print-summary-per-gpu", o.summary_per_gpu, "the same: there is one GPU");
  app.add_flag("--csv", o.csv, "comma-separated values");
  app.add_option("-u,--normalized-time-unit", o.unit,
                 "the unit of times: one for all, one a column, or each value's own")
      ->type_name("s|ms|us|ns|col|auto")
      ->check(CLI::IsMember({"s", "ms", "us", "ns", "col", "auto"}))
      ->capture_default_str();
  app.add_option("--demangling", o.demangling, "C++ names of kernels as in the source")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option(
         "--log-file", o.log_file,
         "write to this file, not to standard error; %p is the process, %h the host, %q{NAME} a variable of the "
         "environment, %% a percent sign; %1 is standard output")
      ->type_name("FILE");
  app.add_flag("--quiet", o.quiet, "print nothing but errors");
}

void add_run_choices(CLI::App& app, NvprofOptions& o) {
  app.add_option("--profile-from-start", o.from_start, "off: nothing is profiled before cudaProfilerStart()")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option("--profile-api-trace", o.api, "which calls are listed; the driver's are listed by the runtime's names")
      ->type_name("none|runtime|driver|all")
      ->check(CLI::IsMember({"none", "runtime", "driver", "all"}))
      ->capture_default_str();
  app.add_option("--trace", o.trace, "list only what the GPU does, or only the calls; both: gpu,api")
      ->type_name("TRACE");
  app.add_option("--devices", o.devices, "the GPUs whose kernels --metrics and --events count: 0, or 'all'")
      ->type_name("NUMBERS");
  app.add_option("-o,--export-profile", o.output,
                 "keep the profile in this file instead, in drywarp's own format: for -i, `drywarp show`, `query` and "
                 "`compare`; %p is drywarp's own process, %h and %q{NAME} as in --log-file")
      ->type_name("FILE");
  app.add_flag("-f,--force-overwrite", o.force, "let -o replace a file");
  app.add_option("-i,--import-profile", o.input, "print a kept profile instead of running a program")
      ->type_name("FILE");
  app.add_flag("-V,--version", o.version, "drywarp's version");
}

}  // namespace

void add_nvprof_options(CLI::App& app, NvprofOptions& o) {
  add_table_options(app, o);
  add_counter_options(app, o);
  add_run_choices(app, o);
  add_run_options(app, o.counted.run);
  app.remove_option(app.get_option("--timeout"));  // drywarp's own limits each kernel
  app.add_option("-t,--timeout", o.limit_seconds, "stop the program after this time, and print what it did until then")
      ->type_name("SECONDS")
      ->check(not_negative());
  add_compiled_options(app, o.counted.compiled);
  add_ptx_options(app, o.counted.ptx);
  add_without_effect(app, kNoEffect, o.notes);
}

}  // namespace drywarp::cli
