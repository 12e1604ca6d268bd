// `drywarp explain warps` and `divergence`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "faces/cli/explain/explain.h"
#include "faces/cli/options/console.h"
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

// With --elements, the grid that has a thread for each.
Result<explain::LaunchConfiguration> launch_for(const DivergenceOptions& o) {
  explain::LaunchConfiguration otherwise;
  if (o.elements != 0) {
    otherwise.block[0] = 256;
    const Result<explain::LaunchConfiguration> launch = launch_of(o.common, otherwise);
    if (!launch || !o.common.grid.empty()) return launch;
    otherwise = *launch;
    const uint64_t blocks = (o.elements + otherwise.threads() - 1) / otherwise.threads();
    if (blocks > 2147483647) return error(fmt::format("{} elements need too large a grid", o.elements));
    otherwise.grid[0] = static_cast<uint32_t>(blocks);
    return otherwise;
  }
  return launch_of(o.common, otherwise);
}

int explain_reduction_command(Question question, const DivergenceOptions& o) {
  const auto reduction = explain::parse_reduction(o.reduction);
  if (!reduction) return fail(reduction.problem(), kFailed);
  explain::LaunchConfiguration otherwise;
  otherwise.block[0] = 128;
  const Result<explain::LaunchConfiguration> launch = launch_of(o.common, otherwise);
  if (!launch) return fail(launch.problem(), kFailed);
  if (launch->threads() != launch->block[0])
    return fail(error("these reductions need one-dimensional blocks"), kFailed);
  const auto explained = explain::explain_reduction(*reduction, launch->threads(), o.elements);
  set_launch(question, *launch);
  return explained ? print(*explained, question, o.common) : fail(explained.problem(), kFailed);
}

void add_warps_options(CLI::App& app, ExplainOptions& o) {
  add_launch_options(app, o);
  add_output_options(app, o);
}

int explain_warps(CLI::App& app, ExplainOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  if (Status status = check_format(o); !status) return fail(status.problem(), kFailed);
  const Result<explain::LaunchConfiguration> launch = launch_of(o);
  if (!launch) return fail(launch.problem(), kFailed);
  const auto explained = explain::explain_warps(*launch);
  Question question = question_of(app, words);
  set_launch(question, *launch);
  return explained ? print(*explained, question, o) : fail(explained.problem(), kFailed);
}

void add_divergence_options(CLI::App& app, DivergenceOptions& o) {
  app.add_option("--if,condition", o.condition, "a condition: \"threadIdx.x % 2 == 0\"; --if is optional")
      ->type_name("EXPRESSION");
  app.add_option("--switch", o.choice, "a path for each value: \"threadIdx.x % 4\"")->type_name("EXPRESSION");
  app.add_option("--loop", o.loop, "a loop with this many trips: \"6 + threadIdx.x % 3\"")->type_name("EXPRESSION");
  app.add_option("--reduction", o.reduction,
                 "the rounds of a reduction: neighbored (mod), rearranged, interleaved (sequential)")
      ->type_name("NAME");
  app.add_option("--elements", o.elements,
                 "size the grid for a vector with one thread per element; explains --if \"gid < N\" unless another "
                 "branch is given")
      ->type_name("N");
  add_name_options(app, o.common);
  add_launch_options(app, o.common);
  add_output_options(app, o.common);
}

int explain_divergence(CLI::App& app, DivergenceOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  if (Status status = check_format(o.common); !status) return fail(status.problem(), kFailed);
  const int given = !o.condition.empty() + !o.choice.empty() + !o.loop.empty() + !o.reduction.empty();
  if (given > 1 || (given == 0 && o.elements == 0))
    return fail(error(given == 0 ? "there is no branch to explain" : "only one branch can be explained at a time",
                      "give a condition, or one of --if, --switch, --loop, --reduction and --elements"),
                kFailed);
  if (!o.reduction.empty()) return explain_reduction_command(question_of(app, words), o);
  const Result<explain::LaunchConfiguration> launch = launch_for(o);
  if (!launch) return fail(launch.problem(), kFailed);
  explain::DivergenceText text{o.condition, BranchKind::Condition, o.common.definitions, *launch};
  if (!o.choice.empty()) text.expression = o.choice, text.kind = BranchKind::Switch;
  if (!o.loop.empty()) text.expression = o.loop, text.kind = BranchKind::Loop;
  if (given == 0) text.expression = fmt::format("gid < {}", o.elements);
  const auto explained = explain::explain_divergence(text);
  Question question = question_of(app, words);
  set_launch(question, *launch);
  if (given == 0) question.input["if"] = text.expression;
  question.input.erase("elements");
  return explained ? print(*explained, question, o.common) : fail(explained.problem(), kFailed);
}

}  // namespace

Command explain_warps_command() {
  return make_command<ExplainOptions>(
      {"explain warps",
       "drywarp explain warps --block DIMS [options]\n\n"
       "How the threads of a block are numbered, x fastest, then y, then z, and grouped into warps of 32.",
       "Examples:\n"
       "  drywarp explain warps --block 16x6\n"
       "  drywarp explain warps --block 100 --grid 10\n"
       "  drywarp explain warps --block 4x4x5 --format json"},
      add_warps_options, explain_warps);
}

Command explain_divergence_command() {
  return or_source(make_command<DivergenceOptions>(
                       {"explain divergence",
                        "drywarp explain divergence [--if] EXPRESSION [options]\n"
                        "drywarp explain divergence --switch EXPRESSION | --loop TRIPS [options]\n"
                        "drywarp explain divergence --reduction NAME [options]\n"
                        "drywarp explain divergence app.cu:LINE [-- arguments]\n\n"
                        "Which warps diverge at a branch, the passes of each, and the lanes active in them. With a "
                        "source line, runs "
                        "the program and counts the branches there; `drywarp explain divergence app.cu:LINE --help` "
                        "lists the options.",
                        names_text() + "\nExamples:\n"
                                       "  drywarp explain divergence \"threadIdx.x > 2\" --block 128\n"
                                       "  drywarp explain divergence --if \"threadIdx.x / 32 > 2\" --block 128\n"
                                       "  drywarp explain divergence --elements 1000\n"
                                       "  drywarp explain divergence --loop \"6 + threadIdx.x % 3\"\n"
                                       "  drywarp explain divergence --reduction interleaved --block 128"},
                       add_divergence_options, explain_divergence),
                   "divergence");
}

}  // namespace drywarp::cli
