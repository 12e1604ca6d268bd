#include "faces/cli/targets/gates.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/support/whole_file.h"
#include "faces/cli/options/console.h"
#include "profile/gates/check.h"
#include "profile/gates/contract.h"
#include "profile/gates/writers.h"
#include "profile/store/profile_reader.h"

namespace drywarp::cli {
namespace {

Status write_file(const std::string& path, const std::string& text) {
  if (path.empty() || write_whole(path, text)) return {};
  return error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

Status read_contract(const std::string& path, Gates& gates, std::string& baseline) {
  const std::optional<std::string> text = read_whole(path);
  if (!text) return error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  Result<gates::Contract> contract = gates::parse_contract(*text, path);
  if (!contract) return contract.problem();
  if (!contract->baseline.empty() && !baseline.empty() && contract->baseline != baseline)
    return error(fmt::format("two contracts name a baseline: '{}' and '{}'", baseline, contract->baseline),
                 "--baseline FILE replaces both");
  if (!contract->baseline.empty()) baseline = contract->baseline;
  std::ranges::move(contract->expectations, std::back_inserter(gates.expectations));
  return {};
}

}  // namespace

void add_gate_options(CLI::App& app, GateOptions& o) {
  constexpr const char* kGroup = "For gates";
  app.add_option(
         "--expect", o.expect,
         "what every launch must meet: [kernel:PATTERN] [launch:N-M] [line:FILE:A-B] [modelled:]METRIC COMPARISON "
         "BOUND, as in "
         "'kernel:transpose* gld_efficiency >= 90' or 'gld_transactions <= baseline + 2%'; may be repeated. The "
         "exit code is 123 if one is broken")
      ->type_name("EXPECTATION")
      ->take_all()
      ->expected(1)
      ->group(kGroup);
  app.add_option("--contract", o.contracts, "a file of expectations (docs/gates.md); may be repeated")
      ->type_name("FILE")
      ->take_all()
      ->expected(1)
      ->group(kGroup);
  app.add_option("--baseline", o.baseline, "the profile that 'baseline' means in expectations")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_option("--junit", o.junit, "write the verdicts as JUnit XML")->type_name("FILE")->group(kGroup);
  app.add_option("--sarif", o.sarif, "write what is broken as SARIF 2.1.0, with source lines")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_option("--annotations", o.annotations,
                 "print what is broken in the form that this host shows beside the source line")
      ->type_name("github")
      ->check(CLI::IsMember({"github"}))
      ->group(kGroup);
}

const gates::Expectation* Gates::needs_time() const {
  const auto found = std::ranges::find_if(expectations, &gates::Expectation::needs_time);
  return found == expectations.end() ? nullptr : &*found;
}

Result<Gates> read_gates(const GateOptions& o) {
  Gates gates;
  std::string baseline;
  for (const std::string& text : o.expect) {
    Result<gates::Expectation> e = gates::parse_expectation(text, {"--expect", 0, 0});
    if (!e) {
      // A caret says where, as compilers do.
      const auto column = e.problem().location.column;
      return error(fmt::format("--expect: {}\n  {}\n  {}^", e.problem().message, text, std::string(column - 1, ' ')),
                   e.problem().hint);
    }
    e->where = {};
    gates.expectations.push_back(std::move(*e));
  }
  for (const std::string& path : o.contracts)
    if (Status status = read_contract(path, gates, baseline); !status) return status.problem();
  if (!o.baseline.empty()) baseline = o.baseline;
  if (!o.given()) {
    for (const auto& [option, value] : {std::pair{"--baseline", &o.baseline},
                                        {"--junit", &o.junit},
                                        {"--sarif", &o.sarif},
                                        {"--annotations", &o.annotations}})
      if (!value->empty()) return error(fmt::format("{} needs something to expect", option), "--expect or --contract");
    return gates;
  }
  const auto compares =
      std::ranges::find_if(gates.expectations, [](const gates::Expectation& e) { return e.bound.baseline; });
  if (compares != gates.expectations.end() && baseline.empty())
    return error_at(compares->where, fmt::format("'{}' needs a baseline", compares->full_text()),
                    "name a profile: --baseline main.dwprof");
  if (!baseline.empty()) {
    Result<record::Profile> profile = store::read_profile(baseline);
    if (!profile) return profile.problem();
    gates.baseline = std::move(*profile);
  }
  return gates;
}

Result<bool> judge(const GateOptions& o, const Gates& gates, const record::Profile& profile) {
  const auto outcomes = gates::check(gates.expectations, profile, gates.baseline ? &*gates.baseline : nullptr);
  if (!outcomes) return outcomes.problem();
  std::error_code unknown;
  const std::string root = std::filesystem::current_path(unknown).string();
  std::ostringstream text, junit, sarif;
  gates::write_text(text, *outcomes);
  if (!o.annotations.empty()) gates::write_github(text, *outcomes, root);
  say(text.str());
  gates::write_junit(junit, *outcomes, profile.program);
  gates::write_sarif(sarif, *outcomes, profile.drywarp_version, root);
  if (Status status = write_file(o.junit, junit.str()); !status) return status.problem();
  if (Status status = write_file(o.sarif, sarif.str()); !status) return status.problem();
  return std::ranges::all_of(*outcomes, &gates::Outcome::holds);
}

}  // namespace drywarp::cli
