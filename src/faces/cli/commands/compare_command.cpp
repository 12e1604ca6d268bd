// `drywarp compare before.dwprof after.dwprof`
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>

#include "faces/cli/options/arguments.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/filters.h"
#include "faces/cli/targets/output_file.h"
#include "profile/compare/compare.h"
#include "profile/compare/writers.h"
#include "profile/document/writers.h"
#include "profile/store/profile_reader.h"

namespace drywarp::cli {
namespace {

struct CompareCommandOptions {
  std::vector<std::string> files, renamings;
  std::string format = "text", kernel, metrics, html;
  double tolerance = 1;
  unsigned lines = 10;
};

void add_compare_options(CLI::App& app, CompareCommandOptions& o) {
  app.add_option("profile", o.files, "files of `drywarp profile -o`; each is compared with the first")
      ->type_name("FILE")
      ->required();
  app.add_option("--match", o.renamings,
                 "the first profile's kernel OLD is NEW in the others; names may lack parameters and template "
                 "arguments; may be repeated")
      ->type_name("OLD=NEW")
      ->take_all()
      ->expected(1);
  app.add_option("--kernel", o.kernel,
                 "only kernels whose demangled name matches (ECMAScript, anywhere in the name); it is an error if none "
                 "does in the first profile")
      ->type_name("REGEX");
  app.add_option("--metrics", o.metrics, "compare these metrics, by nvprof's or Nsight Compute's name")
      ->type_name("METRICS");
  app.add_option("--tolerance", o.tolerance, "modelled values that differ by less are the same; counts are exact")
      ->type_name("PERCENT")
      ->check(not_negative())
      ->capture_default_str();
  app.add_option("--lines", o.lines, "source lines per kernel in the text")->type_name("N")->capture_default_str();
  app.add_option("--format", o.format, "how the comparison is written")
      ->type_name(compare::compare_formats().choices())
      ->capture_default_str();
  app.add_option("--html", o.html, "also write the page of `drywarp report`, for a browser")->type_name("FILE");
}

// Leaves the kernels of the first profile that match. All were matched first: another name may be in the others.
void keep_kernels(compare::Comparison& comparison, const std::string& pattern) {
  const std::regex wanted(pattern, std::regex::ECMAScript);
  std::erase_if(comparison.kernels, [&](const compare::ComparedKernel& kernel) {
    return !kernel.kernels[0] || !std::regex_search(kernel.kernels[0]->name, wanted);
  });
  for (auto& seconds : comparison.seconds.values) seconds.reset();  // those of all kernels
  for (auto& judgement : comparison.seconds.judgements) judgement = compare::Judgement::Unknown;
}

Status write_page(const CompareCommandOptions& o, const compare::Comparison& comparison, ReportOutput& page) {
  std::vector<document::NamedProfile> profiles;
  for (size_t i = 0; i < o.files.size(); ++i) profiles.push_back({o.files[i], comparison.profiles[i].profile});
  const auto document = document::report_document(profiles, compare::comparison_json(comparison));
  if (!document) return document.problem();
  document::write_page(page.begin(), *document);
  return page.finish();
}

int compare_files(CLI::App& app, CompareCommandOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  const auto format = compare::compare_formats().find(o.format);
  if (!format) return fail(format.problem(), kFailed);
  if (o.files.size() < 2) return fail(error("one profile cannot be compared", "name two or more"), kFailed);
  if (Status status = check_pattern(o.kernel); !status) return fail(status.problem(), kFailed);
  compare::CompareOptions options;
  options.tolerance = o.tolerance / 100;
  for (const std::string& text : o.renamings) {
    auto renaming = compare::parse_renaming(text);
    if (!renaming) return fail(renaming.problem(), kFailed);
    options.renamings.push_back(std::move(*renaming));
  }
  if (!o.metrics.empty()) {
    auto selected = metrics::select(o.metrics);
    if (!selected) return fail(selected.problem(), kFailed);
    options.metrics = std::move(*selected);
  }
  if (Status status = check_page_file(o.html); !status) return fail(status.problem(), kFailed);
  ReportOutput page;
  if (!o.html.empty())
    if (Status status = page.open(o.html); !status) return fail(status.problem(), kFailed);

  report::ModelOptions wanted;
  wanted.advice = true;
  wanted.selection = compare::selection_for(options);
  std::vector<record::Profile> profiles;
  std::vector<report::ReportModel> models;
  profiles.reserve(o.files.size()), models.reserve(o.files.size());
  for (const std::string& file : o.files) {
    auto profile = store::read_profile(file);
    if (!profile) return fail(profile.problem(), kFailed);
    if (profiles.empty())
      if (Status status = check_filters({o.kernel, 0, 0, {}}, *profile); !status)
        return fail(status.problem(), kFailed);
    profiles.push_back(std::move(*profile));
    models.push_back(report::build_model(profiles.back(), wanted));
  }
  std::vector<compare::ComparedProfile> compared;
  for (size_t i = 0; i < profiles.size(); ++i) compared.push_back({o.files[i], &profiles[i], &models[i]});
  auto comparison = compare::compare_profiles(std::move(compared), options);
  if (!comparison) return fail(comparison.problem(), kFailed);
  if (!o.kernel.empty()) keep_kernels(*comparison, o.kernel);
  if (page.to_file())
    if (Status written = write_page(o, *comparison, page); !written) return fail(written.problem(), kFailed);
  (*format)->write(std::cout, *comparison, {o.lines, takes_colour(STDOUT_FILENO)});
  return kSuccess;
}

}  // namespace

Command compare_command() {
  return make_command<CompareCommandOptions>(
      {"compare",
       "drywarp compare [options] before.dwprof after.dwprof...\n\n"
       "Compares kept profiles kernel by kernel and line by line: what got better or worse, whether the limiter moved, "
       "and the speed-up.",
       "Kernels are matched by --match; by their names; by their names with other parameters; with other template "
       "arguments; and if one is left on either side, with each other. Lines are matched by aligning the source texts "
       "that the profiles keep."},
      add_compare_options, compare_files);
}

}  // namespace drywarp::cli
