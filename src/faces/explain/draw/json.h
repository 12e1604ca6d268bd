// Explanations as one indented JSON object, with a newline at the end; docs/explain.md documents the keys.
#pragma once

#include <string>

#include "faces/explain/access.h"
#include "faces/explain/banks.h"
#include "faces/explain/caches.h"
#include "faces/explain/divergence.h"
#include "faces/explain/dram_stream.h"
#include "faces/explain/dram_timeline.h"
#include "faces/explain/source_access.h"
#include "faces/explain/warps.h"

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
