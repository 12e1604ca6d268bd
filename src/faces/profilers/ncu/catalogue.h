// Nsight Compute's sections, sets and metrics by name, and the lists of them.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"
#include "profile/metrics/evaluate.h"

namespace drywarp::profilers::ncu {

[[nodiscard]] std::vector<std::string> comma_separated(std::string_view list);  // without blanks and empty words

struct Row {
  std::string_view section, label, metric, unit;
};
struct Section {
  std::string_view id, title;
  [[nodiscard]] std::vector<Row> rows() const;
  [[nodiscard]] std::vector<Row> all_rows() const;  // of --print-details all, by the metric's name
};
struct Set {
  std::string_view id, sections;  // comma-separated
};
[[nodiscard]] std::span<const Set> all_sets();
[[nodiscard]] std::span<const Section> all_sections();  // as the details page orders them

// By identifiers or "regex:EXPRESSION", and by sets; neither: the set `basic`. An unknown name is an error that
// suggests the nearest ones.
Result<std::vector<const Section*>> select_sections(std::span<const std::string> sections,
                                                    std::span<const std::string> sets);

// A metric that the user named, with each of its roll-ups if the name has none.
struct Chosen {
  std::string name;
  const metrics::Metric* metric = nullptr;  // null: drywarp does not know it
};
// Comma-separated names, "regex:EXPRESSION" and groups (groups.h) among them. What is not known stays in the list, as
// Nsight Compute shows it as n/a, and a sentence about it is appended to `notes`.
Result<std::vector<Chosen>> select_metrics(std::string_view list, bool extra_suffixes, std::vector<std::string>& notes);

// The unit by Nsight Compute's name: "register/thread" where drywarp has "register".
[[nodiscard]] std::string unit_of(const Chosen& chosen);

void list_sections(std::ostream& out);
void list_sets(std::ostream& out);
void list_chips(std::ostream& out);
// `metrics`: those that the sections collect, one a line.
void list_metrics(std::ostream& out, std::span<const Section* const> sections);

// The chips that Nsight Compute 2025.3 lists.
[[nodiscard]] std::span<const std::string_view> their_chips();
// Comma-separated devices, or chips by Nsight Compute's names: "h200,gh100"; in the order of their names, once each. An
// unknown one is an error.
Result<std::vector<std::string>> select_chips(const std::string& list);

enum class QueryMode : uint8_t { Base, Suffix, All };
Result<QueryMode> parse_query_mode(std::string_view text);
// `bases`: of QueryMode::Suffix, comma-separated. Fails if one is not known.
Status query_metrics(std::ostream& out, const std::string& chip, QueryMode mode, std::string_view bases);

}  // namespace drywarp::profilers::ncu
