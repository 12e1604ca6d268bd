#include "faces/cli/explain/question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "faces/cli/options/console.h"
#include "faces/cli/targets/output_file.h"
#include "faces/cli/targets/ptx_arguments.h"
#include "faces/compile/nvcc_options/installation.h"
#include "faces/compile/nvcc_options/process.h"
#include "profile/document/writers.h"

namespace drywarp::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kNoInputs[] = {"help", "format", "ascii", "html", "device"};

Json extent_json(const explain::Extent3& e) { return {e[0], e[1], e[2]}; }

Json value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return true;
  const std::string type = option.get_type_name();
  if (type == "DIMS") {
    const auto extent = parse_extent(option.results().front());
    return extent ? extent_json(*extent) : Json();
  }
  if (type == "FLOAT") {
    const bool several = option.get_items_expected_max() > 1;
    return several ? Json(option.as<std::vector<double>>()) : Json(option.as<double>());
  }
  if (type == "INT") return option.as<int64_t>();
  if (type == "UINT" || type == "N") return option.as<uint64_t>();
  if (option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll) return option.results();
  return fmt::format("{}", fmt::join(option.results(), " "));
}

// The words without what says where the answer goes.
Words asked(const Words& words) {
  Words kept;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--html" || word == "--format")
      ++i;
    else if (!word.starts_with("--html=") && !word.starts_with("--format=") && word != "--ascii")
      kept.push_back(word);
  }
  return kept;
}

}  // namespace

Question question_of(const CLI::App& app, const Words& words) {
  Question question;
  question.topic = app.get_name().substr(app.get_name().rfind(' ') + 1);
  question.title = fmt::format("drywarp {} {}", app.get_name(), compile::quoted(asked(words)));
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    std::string name = option->get_lnames().front();
    if (std::ranges::find(kNoInputs, name) != std::end(kNoInputs)) continue;
    std::ranges::replace(name, '-', '_');
    question.input[name] = value_of(*option);
  }
  return question;
}

void set_launch(Question& question, const explain::LaunchConfiguration& launch) {
  question.input["block"] = extent_json(launch.block);
  question.input["grid"] = extent_json(launch.grid);
}

int write_page(const Question& question, const std::string& answer, const std::string& path) {
  ReportOutput output;
  if (Status status = output.open(path); !status) return fail(status.problem(), kFailed);
  const document::Explanation explanation{question.topic, question.title, question.input, Json::parse(answer),
                                          question.device};
  document::write_page(output.begin(), document::explain_document({explanation}, compile::drywarp_version()));
  const Status written = output.finish();
  return written.ok() ? kSuccess : fail(written.problem(), kFailed);
}

}  // namespace drywarp::cli
