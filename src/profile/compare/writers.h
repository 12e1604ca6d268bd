// Writes a comparison.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

#include "profile/compare/compare.h"
#include "profile/report/writers/report.h"

namespace drywarp::compare {

struct WriteOptions {
  unsigned lines = 10;  // text: source lines a kernel
  bool colour = false;  // text: for a terminal
};
using CompareFormats = report::Formats<Comparison, WriteOptions>;
[[nodiscard]] const CompareFormats& compare_formats();

void write_text(std::ostream& out, const Comparison& comparison, const WriteOptions& options);
// A row for each kernel or line, each of the other profiles, and each quantity with a difference.
void write_csv(std::ostream& out, const Comparison& comparison, const WriteOptions& options);
// What write_json() writes.
[[nodiscard]] nlohmann::ordered_json comparison_json(const Comparison& comparison);
void write_json(std::ostream& out, const Comparison& comparison, const WriteOptions& options);

}  // namespace drywarp::compare
