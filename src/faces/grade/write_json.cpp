#include <nlohmann/json.hpp>
#include <ostream>

#include "faces/grade/writers.h"

namespace drywarp::grade {
namespace {

using Json = nlohmann::ordered_json;

Json line_json(const Line& line) {
  return {{"file", line.file}, {"line", line.number}, {"value", line.value}, {"source", line.source}};
}

Json check_json(const Check& check, const Verdict& verdict) {
  Json json = {{"says", check.says},
               {"kind", key(check.kind)},
               {"points", verdict.passed ? check.points : 0},
               {"of", check.points},
               {"passed", verdict.passed}};
  if (verdict.passed) return json;
  json["expected"] = verdict.expected;
  json["found"] = verdict.found;
  json["lines"] = Json::array();
  for (const Line& line : verdict.lines) json["lines"].push_back(line_json(line));
  json["hint"] = check.hint;
  return json;
}

}  // namespace

void write_json(std::ostream& out, const Exercise& exercise, const Score& score, const std::string& program) {
  Json json = {{"title", exercise.title}, {"lesson", exercise.lesson}, {"program", program}, {"points", score.points},
               {"of", exercise.points()}, {"problem", score.problem},  {"note", score.note}, {"checks", Json::array()}};
  for (size_t i = 0; i < exercise.checks.size(); ++i)
    json["checks"].push_back(check_json(exercise.checks[i], score.verdicts[i]));
  // A path or a source line may be no UTF-8.
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace drywarp::grade
