// Outcomes in the formats that people, CI servers and code hosts read.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "profile/gates/check.h"

namespace drywarp::gates {

// For people: what holds in one line each, and of what is broken what was found where.
void write_text(std::ostream& out, std::span<const Outcome> outcomes);
// JUnit XML: a test case for each expectation and kernel.
void write_junit(std::ostream& out, std::span<const Outcome> outcomes, const std::string& program);
// SARIF 2.1.0: a rule for each expectation, a result for each broken finding, at its worst lines. Files below `root`
// are relative to it, as code hosts need them.
void write_sarif(std::ostream& out, std::span<const Outcome> outcomes, const std::string& version,
                 const std::string& root);
// Workflow commands that GitHub shows beside the line: ::error file=...,line=...,title=...::...
void write_github(std::ostream& out, std::span<const Outcome> outcomes, const std::string& root);

}  // namespace drywarp::gates
