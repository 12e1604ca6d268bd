// Explanations as JSON: docs/explain.md says what is where. One object, indented; ends in a newline.
#pragma once

#include <string>

#include "explain/access.h"
#include "explain/banks.h"
#include "explain/caches.h"
#include "explain/divergence.h"
#include "explain/dram_stream.h"
#include "explain/dram_timeline.h"
#include "explain/source_access.h"
#include "explain/warps.h"

namespace drywarp::explain {

inline constexpr int kExplainJsonVersion = 1;

[[nodiscard]] std::string to_json(const AccessExplanation& explanation);
[[nodiscard]] std::string to_json(const BankExplanation& explanation);
[[nodiscard]] std::string to_json(const WarpExplanation& explanation);
[[nodiscard]] std::string to_json(const DivergenceExplanation& explanation);
[[nodiscard]] std::string to_json(const ReductionExplanation& explanation);
[[nodiscard]] std::string to_json(const DramTimeline& timeline);
[[nodiscard]] std::string to_json(const DramStream& stream);
[[nodiscard]] std::string to_json(const CacheExplanation& explanation);
[[nodiscard]] std::string to_json(const LineExplanation& explanation);

}  // namespace drywarp::explain
