// Explanations as JSON: one indented object, with a newline at the end; docs/explain.md documents the keys. Those of a
// program's source line are in draw.h.
#pragma once

#include <string>

#include "faces/explain/access.h"
#include "faces/explain/banks.h"
#include "faces/explain/caches.h"
#include "faces/explain/divergence.h"
#include "faces/explain/dram_rows.h"
#include "faces/explain/dram_stream.h"
#include "faces/explain/dram_timeline.h"
#include "faces/explain/launch_configuration.h"

namespace drywarp::explain {

inline constexpr int kExplainJsonVersion = 1;

[[nodiscard]] std::string to_json(const AccessExplanation& explanation);
[[nodiscard]] std::string to_json(const BankExplanation& explanation);
[[nodiscard]] std::string to_json(const WarpExplanation& explanation);
[[nodiscard]] std::string to_json(const DivergenceExplanation& explanation);
[[nodiscard]] std::string to_json(const ReductionExplanation& explanation);
[[nodiscard]] std::string to_json(const DramTimeline& timeline);
[[nodiscard]] std::string to_json(const DramRows& rows);
[[nodiscard]] std::string to_json(const DramStream& stream);
[[nodiscard]] std::string to_json(const CacheExplanation& explanation);

}  // namespace drywarp::explain
