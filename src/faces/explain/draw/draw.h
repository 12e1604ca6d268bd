// Explanations as text with drawings (one file per topic) and as JSON.
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
#include "faces/explain/source_access.h"
#include "faces/explain/source_branches.h"

namespace drywarp::explain {

struct Pen {
  bool unicode = true;  // else ASCII only
  unsigned width = 80;  // of drawings that can adapt, in characters

  [[nodiscard]] const char* line() const { return unicode ? "─" : "-"; }
  [[nodiscard]] const char* bar() const { return unicode ? "│" : "|"; }
  [[nodiscard]] const char* block() const { return unicode ? "█" : "#"; }
  [[nodiscard]] const char* dot() const { return unicode ? "·" : "."; }
  [[nodiscard]] const char* times() const { return unicode ? "×" : "x"; }
  [[nodiscard]] const char* to() const { return unicode ? "–" : "-"; }  // from 0 to 31
  [[nodiscard]] const char* more() const { return unicode ? "⋮" : ":"; }
};

[[nodiscard]] std::string draw(const AccessExplanation& explanation, const Pen& pen);
[[nodiscard]] std::string draw(const BankExplanation& explanation, const Pen& pen);
[[nodiscard]] std::string draw(const WarpExplanation& explanation, const Pen& pen);
[[nodiscard]] std::string draw(const DivergenceExplanation& explanation, const Pen& pen);
[[nodiscard]] std::string draw(const ReductionExplanation& explanation, const Pen& pen);
[[nodiscard]] std::string draw(const DramTimeline& timeline, const Pen& pen);
[[nodiscard]] std::string draw(const DramRows& rows, const Pen& pen);
[[nodiscard]] std::string draw(const DramStream& stream, const Pen& pen);
[[nodiscard]] std::string draw(const CacheExplanation& explanation, const Pen& pen);
[[nodiscard]] std::string draw(const LineExplanation& explanation, const Pen& pen);
[[nodiscard]] std::string draw(const BranchLine& explanation, const Pen& pen);

// One indented JSON object, with a newline at the end; docs/explain.md documents the keys.
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
[[nodiscard]] std::string to_json(const LineExplanation& explanation);
[[nodiscard]] std::string to_json(const BranchLine& explanation);

}  // namespace drywarp::explain
