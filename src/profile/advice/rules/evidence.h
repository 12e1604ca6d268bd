// What rules share: numbers of metrics as evidence, and source lines ranked by what they waste.
#pragma once

#include "profile/advice/advice.h"
#include "profile/advice/lane_pattern.h"
#include "profile/advice/source_names.h"

namespace drywarp::advice {

// The metric's value as evidence; nothing if it is not known.
void add_evidence(Finding& finding, const Facts& facts, const std::string& metric, std::string_view unit);

// Accesses that waste something, the most first.
[[nodiscard]] std::vector<AccessSite> wasteful_sites(const Facts& facts, Memory memory);

// Whether they are so large a part of the kernel's excess that the gain of avoiding all of it is theirs.
[[nodiscard]] bool matter(const Facts& facts, const std::vector<AccessSite>& sites);

// The lines of these sites with their shares of the kernel's excess and of all sectors or wavefronts of loads and
// stores.
[[nodiscard]] std::vector<EvidenceLine> evidence_lines(const Facts& facts, const std::vector<AccessSite>& sites);

// The layout of the threads in the site's costliest access.
[[nodiscard]] LaneLayout layout_of(const Facts& facts, const AccessSite& site);

// Whether neighbouring threads access neighbouring rows: a line or more apart in a block of two dimensions, or in a
// loop in which each thread walks along its row.
[[nodiscard]] bool walks_columns(const Facts& facts, const AccessSite& site);

// "out"; "parameter 0" without source text; "line 12" if PTX leaves that open too.
[[nodiscard]] std::string name_of(const Facts& facts, const AccessSite& site);
// "m and n", each name once.
[[nodiscard]] std::string names_of(const Facts& facts, const std::vector<AccessSite>& sites);

// The C type that a PTX access moves: "float".
[[nodiscard]] std::string element_type(const AccessSite& site);

// "8192 bytes", "2 elements"
[[nodiscard]] std::string distance_text(int64_t bytes, unsigned element);

// "32 sectors a request, 4 would do"
[[nodiscard]] std::string units_text(const AccessSite& site);

[[nodiscard]] const char* memory_name(Memory memory);             // "global"
[[nodiscard]] const char* access_name(metrics::AccessKind kind);  // "load"

}  // namespace drywarp::advice
