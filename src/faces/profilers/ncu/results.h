// What Nsight Compute shows of a profile: for each launch the values of sections and metrics, before any layout.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faces/profilers/kernel_filter.h"
#include "faces/profilers/ncu/catalogue.h"
#include "faces/profilers/ncu/tables.h"
#include "profile/record/profile.h"

namespace drywarp::profilers::ncu {

struct Value {
  std::string label, metric, unit;  // the unit is the base unit
  std::optional<double> number;     // none: n/a
  std::string text = {};            // instead of a number: "PolicySpread"
};
// What a rule says of a launch.
struct RuleResult {
  std::string name, type, text;   // "uncoalesced", "OPT" or "INF"
  std::optional<double> speedup;  // the share of the kernel's time that the change saves, in percent
};
struct FilledTable {
  BodyTable table;
  std::vector<Value> values;
};
struct Block {
  std::string title;
  std::vector<Value> values;
  std::string section = {};  // its identifier; empty: no section
  std::vector<RuleResult> rules = {};
  std::vector<FilledTable> tables = {};
};
struct KernelResult {
  uint64_t id = 0;
  size_t launch = 0;  // index into the profile's launches; of a summary the first
  std::string kernel, function;
  record::Extent grid, block;
  unsigned stream = 7;
  std::vector<Block> blocks;
  std::vector<Value> launch_facts;  // grid and block by dimension, for the raw page
};

enum class Details : uint8_t { Header, Body, All };

struct Choice {
  std::vector<const Section*> sections;
  std::vector<Chosen> metrics;  // "Command line profiler metrics", before the sections
  LaunchFilter filter;
  Details details = Details::Header;    // which parts of the sections
  bool rules = true;                    // apply them to the sections
  std::vector<std::string> only_rules;  // by name; empty: all
  NameBase printed = NameBase::Demangled;
};

struct Results {
  int pid = 0;
  std::string process, compute_capability;
  bool rules = false;  // sections were collected, so CSV has the columns of rules
  std::vector<KernelResult> kernels;
  std::vector<std::string> modelled, missing;  // metrics with modelled values; shown metrics without any value
};

[[nodiscard]] Results results_of(const record::Profile& profile, const Choice& choice);

}  // namespace drywarp::profilers::ncu
