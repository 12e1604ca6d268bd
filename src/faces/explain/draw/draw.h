// Explanations as text with drawings, one file per topic.
#pragma once

#include <string>

#include "faces/explain/draw/json.h"
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

[[nodiscard]] std::string to_json(const LineExplanation& explanation);
[[nodiscard]] std::string to_json(const BranchLine& explanation);

}  // namespace drywarp::explain
