// The option table of `drywarp nvprof`: nvprof's options, those that have no effect here among them.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "faces/cli/targets/counted_run.h"

namespace drywarp::cli {

struct NvprofOptions {
  CountedOptions counted;
  // --metrics, --events and --kernels in their order: a scope holds for the counters after it.
  enum class Word { Metrics, Events, Kernels };
  std::vector<std::pair<Word, std::string>> counters;
  bool gpu_trace = false, api_trace = false, gpu_summary = false, api_summary = false, summary = false,
       summary_per_gpu = false, analysis = false, query_metrics = false, query_events = false;
  double limit_seconds = 0;
  bool csv = false, quiet = false, force = false, version = false;
  std::string unit = "auto", demangling = "on", from_start = "on", api = "all", trace, devices, log_file, output, input;
  std::vector<std::string> notes;  // of options without effect, in their order
};

void add_nvprof_options(CLI::App& app, NvprofOptions& o);

}  // namespace drywarp::cli
