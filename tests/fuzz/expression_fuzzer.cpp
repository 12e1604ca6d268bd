// Any text goes in as an expression and as an array's index; values or located errors come out, for every lane.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/support/expression.h"
#include "faces/explain/names.h"

namespace {

using namespace drywarp;

void check_problem(const Diagnostic& problem, size_t size) {
  if (problem.message.empty() || problem.location.column == 0 || problem.location.column > size + 1) std::abort();
}

void evaluate(const Expression& expression, const explain::Names& names, size_t size) {
  std::vector<int64_t> values;
  for (uint32_t thread = 0; thread < 48; ++thread) {
    if (!names.values({{8, 3, 2}, {4, 1, 1}}, 2, thread, values)) std::abort();
    const Result<int64_t> value = expression.evaluate(values);
    if (!value) check_problem(value.problem(), size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  explain::Names names;
  if (!names.define("s", "4")) std::abort();
  if (const auto expression = parse_expression(text, names, "fuzz"))
    evaluate(*expression, names, size);
  else
    check_problem(expression.problem(), size);
  if (const auto index = parse_array_index(text, names, "fuzz")) {
    for (const Expression& subscript : index->subscripts) evaluate(subscript, names, size);
  } else {
    check_problem(index.problem(), size);
  }
  (void)names.define(text);
  return 0;
}
