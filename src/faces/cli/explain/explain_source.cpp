// `drywarp explain access app.cu:LINE`: runs the program and explains its kernels' accesses at that line; `banks` and
// `divergence` explain its shared accesses and its branches.
#include "faces/cli/explain/explain.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/counted_run.h"
#include "faces/compile/nvcc_options/option_parser.h"

namespace drywarp::cli {
namespace {

struct SourcePlace {
  std::string file;
  uint32_t line = 0;
};

// "app.cu:12".
std::optional<SourcePlace> parse_place(const std::string& word) {
  const size_t colon = word.rfind(':');
  if (colon == std::string::npos || colon == 0 || word.starts_with('-')) return std::nullopt;
  const std::string number = word.substr(colon + 1);
  if (number.empty() || number.size() > 9 || !std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  const std::string file = word.substr(0, colon);
  // "threadIdx.x < 4 ? 0:2" is an expression.
  if (file.find('.') == std::string::npos || file.find('?') != std::string::npos) return std::nullopt;
  return SourcePlace{file, static_cast<uint32_t>(std::stoul(number))};
}

Words before_arguments(const Words& words) { return {words.begin(), std::ranges::find(words, "--")}; }

struct SourceOptions {
  ExplainOptions common;
  RunOptions run;
  std::string at, kernel;
  uint32_t line = 0;
};

void add_source_options(CLI::App& app, SourceOptions& o) {
  app.add_option("--at", o.at, "the line, if it is in another file than the source")->type_name("FILE:LINE");
  app.add_option("--line", o.line, "the line, in the first source")->type_name("N");
  app.add_option("--kernel", o.kernel, "only kernels whose name matches")->type_name("REGEX");
  add_run_options(app, o.run);
  add_output_options(app, o.common);
}

struct SourceTopic {
  std::string_view name, what;
  int (*explain)(const record::Profile& profile, const std::string& samples, const SourcePlace& place,
                 const Question& question, const ExplainOptions& options);
};

template <class T>
int print_result(const Result<T>& explained, const Question& question, const ExplainOptions& options) {
  return explained ? print(*explained, question, options) : fail(explained.problem(), kFailed);
}

int explain_accesses(const record::Profile& profile, const std::string& text, const SourcePlace& place,
                     const Question& question, const ExplainOptions& options, std::optional<Memory> only) {
  const auto samples = explain::parse_samples(text);
  if (!samples) return fail(samples.problem(), kFailed);
  return print_result(explain::explain_line(profile, *samples, place.file, place.line, only), question, options);
}

constexpr SourceTopic kTopicsOfSource[] = {
    {"access",
     "Runs the program and explains each access of that source line: sectors or wavefronts a request in its costliest "
     "launch, and the addresses of its costliest warp.",
     [](const auto& profile, const auto& samples, const auto& place, const auto& question, const auto& options) {
       return explain_accesses(profile, samples, place, question, options, {});
     }},
    {"banks",
     "Runs the program and explains each access of that source line to shared memory: wavefronts a request in its "
     "costliest launch, the banks of its costliest warp, and the step from lane to lane that would help.",
     [](const auto& profile, const auto& samples, const auto& place, const auto& question, const auto& options) {
       return explain_accesses(profile, samples, place, question, options, Memory::Shared);
     }},
    {"divergence",
     "Runs the program and explains each branch of that source line: how many warps reach it and diverge, in the "
     "launch in which most do.",
     [](const auto& profile, const auto&, const auto& place, const auto& question, const auto& options) {
       return print_result(explain::explain_branches(profile, place.file, place.line), question, options);
     }},
};

int explain_source(CLI::App& app, SourceOptions& o, const Words& words, const SourceTopic& topic) {
  std::optional<SourcePlace> place;
  Words compiled = words;
  for (std::string& word : compiled) {
    if (word == "--") break;
    if (const auto found = parse_place(word); found && &word != compiled.data() && *(&word - 1) == "--at") continue;
    if (const auto found = parse_place(word)) place = found, word = found->file;
  }
  ParsedWords parsed = parse_words(app, compiled);
  if (parsed.exit_code) return *parsed.exit_code;
  if (Status status = check_format(o.common); !status) return fail(status.problem(), kFailed);
  if (Status status = check_pattern(o.kernel); !status) return fail(status.problem(), kFailed);
  if (!o.at.empty()) place = parse_place(o.at);
  if (o.line != 0) {
    const auto& sources = parsed.split.compiler;
    const auto source = std::ranges::find_if(
        sources, [](const std::string& word) { return word[0] != '-' && compile::language_of(word).ok(); });
    if (source == sources.end())
      return fail(error("--line needs a source file", "use --at FILE:LINE with a program"), kFailed);
    place = SourcePlace{*source, o.line};
  }
  if (!place)
    return fail(
        error(fmt::format("'{}' is not a line of a file", o.at), "write --at FILE:LINE, such as --at tile.cuh:30"),
        kFailed);

  CountedOptions counted;
  counted.run = o.run, counted.filters.kernel = o.kernel;
  const auto run =
      run_counted(parsed.split, counted, {.samples = true, .purpose = "explain", .output_to_errors = true});
  if (const int* code = std::get_if<int>(&run)) return *code;
  const auto& [profile, end, samples] = std::get<CountedRun>(run);
  Question question = question_of(app, words);
  question.input = {{"file", place->file}, {"line", place->line}};
  if (auto device = device::load_device(profile.device)) question.device = std::move(*device);
  return topic.explain(profile, samples, *place, question, o.common);
}

bool names_source(const Words& words) {
  return std::ranges::any_of(before_arguments(words), [](const std::string& word) {
    return parse_place(word).has_value() || word == "--at" || word.starts_with("--at=") || word == "--line" ||
           word.starts_with("--line=");
  });
}

}  // namespace

Command or_source(Command command, std::string_view topic) {
  return {command.app, [run = command.run, topic](const Words& words) {
            return names_source(words) ? explain_source_command(topic).run(words) : run(words);
          }};
}

Command explain_source_command(std::string_view name) {
  const SourceTopic& topic = *std::ranges::find(kTopicsOfSource, name, &SourceTopic::name);
  const std::string command = fmt::format("explain {}", name);
  return make_command<SourceOptions>(
      {command.c_str(),
       fmt::format("drywarp {0} [options] [compile options] app.cu:LINE [-- arguments]\n"
                   "drywarp {0} [options] --at FILE:LINE app.cu | ./app [arguments]\n\n{1}",
                   command, topic.what),
       ""},
      add_source_options,
      [&topic](CLI::App& app, SourceOptions& o, const Words& words) { return explain_source(app, o, words, topic); });
}

}  // namespace drywarp::cli
