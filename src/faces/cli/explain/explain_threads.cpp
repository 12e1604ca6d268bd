// `drywarp explain warps` and `divergence`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "faces/cli/explain/explain_options.h"
#include "faces/cli/options/console.h"
#include "faces/cli/options/exit_codes.h"
#include "faces/cli/pages/parse.h"
#include "faces/explain/divergence.h"

namespace drywarp::cli {
namespace {

using explain::BranchKind;

struct DivergenceOptions {
  ExplainOptions common;
  std::string condition, choice, loop, reduction;
  uint64_t elements = 0;
};

// The grid that gives every element a thread.
Result<explain::Shape> shape_for(const DivergenceOptions& o) {
  explain::Shape otherwise;
  if (o.elements != 0) {
    otherwise.block[0] = 256;
    const Result<explain::Shape> shape = shape_of(o.common, otherwise);
    if (!shape || !o.common.grid.empty()) return shape;
    otherwise = *shape;
    const uint64_t blocks = (o.elements + otherwise.threads() - 1) / otherwise.threads();
    if (blocks > 2147483647) return error(fmt::format("{} elements need too large a grid", o.elements));
    otherwise.grid[0] = static_cast<uint32_t>(blocks);
    return otherwise;
  }
  return shape_of(o.common, otherwise);
}

int explain_reduction_command(const DivergenceOptions& o) {
  const auto reduction = explain::parse_reduction(o.reduction);
  if (!reduction) return fail(reduction.problem(), kFailed);
  explain::Shape otherwise;
  otherwise.block[0] = 128;
  const Result<explain::Shape> shape = shape_of(o.common, otherwise);
  if (!shape) return fail(shape.problem(), kFailed);
  if (shape->threads() != shape->block[0]) return fail(error("these reductions have flat blocks"), kFailed);
  const auto explained = explain::explain_reduction(*reduction, shape->threads(), o.elements);
  return explained ? print(*explained, o.common) : fail(explained.problem(), kFailed);
}

void add_warps_options(CLI::App& app, ExplainOptions& o) {
  add_shape_options(app, o);
  add_output_options(app, o);
}

int explain_warps(CLI::App& app, ExplainOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  if (Status status = check_format(o); !status) return fail(status.problem(), kFailed);
  const Result<explain::Shape> shape = shape_of(o);
  if (!shape) return fail(shape.problem(), kFailed);
  const auto explained = explain::explain_warps(*shape);
  return explained ? print(*explained, o) : fail(explained.problem(), kFailed);
}

void add_divergence_options(CLI::App& app, DivergenceOptions& o) {
  app.add_option("--if,condition", o.condition, "a condition: \"threadIdx.x % 2 == 0\"; --if may be left out")
      ->type_name("EXPRESSION");
  app.add_option("--switch", o.choice, "a path for each value: \"threadIdx.x % 4\"")->type_name("EXPRESSION");
  app.add_option("--loop", o.loop, "a loop of so many trips: \"6 + threadIdx.x % 3\"")->type_name("EXPRESSION");
  app.add_option("--reduction", o.reduction,
                 "a reduction's rounds: neighbored (mod), rearranged, interleaved (sequential)")
      ->type_name("NAME");
  app.add_option(
         "--elements", o.elements,
         "a vector of so many elements, one a thread: the grid that it needs, --if \"gid < N\" if nothing else is said")
      ->type_name("N");
  add_name_options(app, o.common);
  add_shape_options(app, o.common);
  add_output_options(app, o.common);
}

int explain_divergence(CLI::App& app, DivergenceOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  if (Status status = check_format(o.common); !status) return fail(status.problem(), kFailed);
  const int given = !o.condition.empty() + !o.choice.empty() + !o.loop.empty() + !o.reduction.empty();
  if (given > 1 || (given == 0 && o.elements == 0))
    return fail(error(given == 0 ? "there is no branch to explain" : "one branch at a time",
                      "a condition, or one of --if, --switch, --loop, --reduction and --elements"),
                kFailed);
  if (!o.reduction.empty()) return explain_reduction_command(o);
  const Result<explain::Shape> shape = shape_for(o);
  if (!shape) return fail(shape.problem(), kFailed);
  explain::DivergenceText text{o.condition, BranchKind::Condition, o.common.definitions, *shape};
  if (!o.choice.empty()) text.expression = o.choice, text.kind = BranchKind::Switch;
  if (!o.loop.empty()) text.expression = o.loop, text.kind = BranchKind::Loop;
  if (given == 0) text.expression = fmt::format("gid < {}", o.elements);
  const auto explained = explain::explain_divergence(text);
  return explained ? print(*explained, o.common) : fail(explained.problem(), kFailed);
}

}  // namespace

Command explain_warps_command() {
  return make_command<ExplainOptions>(
      {"explain warps",
       "drywarp explain warps --block SHAPE [options]\n\n"
       "How a block is laid out in a row, x fastest, then y, then z, and cut into warps of 32 threads.",
       "Examples:\n"
       "  drywarp explain warps --block 16x6\n"
       "  drywarp explain warps --block 100 --grid 10\n"
       "  drywarp explain warps --block 4x4x5 --format json"},
      add_warps_options, explain_warps);
}

Command explain_divergence_command() {
  return make_command<DivergenceOptions>(
      {"explain divergence",
       "drywarp explain divergence [--if] EXPRESSION [options]\n"
       "drywarp explain divergence --switch EXPRESSION | --loop TRIPS [options]\n"
       "drywarp explain divergence --reduction NAME [options]\n\n"
       "Which warps a branch splits, the passes each makes and the lanes that are active in them.",
       names_text() + "\nExamples:\n"
                      "  drywarp explain divergence \"threadIdx.x > 2\" --block 128\n"
                      "  drywarp explain divergence --if \"threadIdx.x / 32 > 2\" --block 128\n"
                      "  drywarp explain divergence --elements 1000\n"
                      "  drywarp explain divergence --loop \"6 + threadIdx.x % 3\"\n"
                      "  drywarp explain divergence --reduction interleaved --block 128"},
      add_divergence_options, explain_divergence);
}

}  // namespace drywarp::cli
