// The options that make `drywarp profile` a gate: what is expected of the kernels, and where the verdicts go.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/support/result.h"
#include "profile/gates/expectation.h"
#include "profile/record/profile.h"

namespace drywarp::cli {

struct GateOptions {
  std::vector<std::string> expect, contracts;
  std::string baseline, junit, sarif, annotations;
  [[nodiscard]] bool given() const { return !expect.empty() || !contracts.empty(); }
};
void add_gate_options(CLI::App& app, GateOptions& o);

// What the options say, read before the program runs.
struct Gates {
  std::vector<gates::Expectation> expectations;
  std::optional<record::Profile> baseline;
  // The first expectation of a modelled time; null: none.
  [[nodiscard]] const gates::Expectation* needs_time() const;
};
Result<Gates> read_gates(const GateOptions& o);

// Writes the verdicts, text and annotations to standard error. False: an expectation is broken. Fails if one cannot be
// held to the profile, or if a file cannot be written.
Result<bool> judge(const GateOptions& o, const Gates& gates, const record::Profile& profile);

}  // namespace drywarp::cli
