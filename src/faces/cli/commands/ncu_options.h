// The option table of `drywarp ncu`: Nsight Compute's options, those that have no effect here among them.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "faces/cli/targets/counted_run.h"

namespace drywarp::cli {

struct NcuOptions {
  CountedOptions counted;
  std::vector<std::string> metrics, sections, sets, rules, nvtx_include, nvtx_exclude;
  bool list_sets = false, list_sections = false, list_chips = false, list_metrics = false, list_rules = false,
       query = false;
  std::string query_mode = "base";
  std::optional<std::string> chips, kernel, kernel_id;  // an empty text is not the same as none
  std::string page = "details", units = "auto", details = "header", label = "label", summary = "none",
              print_base = "demangled", print_source = "cuda";
  bool csv = false, fractions = false, quiet = false, exact_suffixes = false, nvtx = false, version = false;
  std::string apply_rules = "yes", base = "function", from_start = "on", devices, log_file, output, input;
  uint64_t skip = 0, count = 0, skip_before_match = 0;  // a count of 0: all
  bool force = false;
  std::vector<std::string> notes;  // of options without effect, in their order
};

void add_ncu_options(CLI::App& app, NcuOptions& o);

}  // namespace drywarp::cli
