// `drywarp report run.dwprof -o report.html`
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/output_file.h"
#include "profile/document/writers.h"
#include "profile/store/profile_reader.h"

namespace drywarp::cli {
namespace {

struct ReportCommandOptions {
  std::vector<std::string> files;
  std::string format = "html", output;
};

void add_report_options(CLI::App& app, ReportCommandOptions& o) {
  app.add_option("profile", o.files, "files of `drywarp profile -o`; of several, each is compared with the first")
      ->type_name("FILE")
      ->required();
  app.add_option("--format", o.format,
                 "html: the page, one file that needs no network; json: the document behind it, for programs")
      ->type_name(document::document_formats().choices())
      ->capture_default_str();
  app.add_option("-o,--output", o.output, "write to a file, not to standard output")->type_name("FILE");
}

int report_files(CLI::App& app, ReportCommandOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  for (const std::string& file : o.files)
    if (file.ends_with(".dwsweep"))
      return fail(error(fmt::format("'{}' is a sweep", file),
                        fmt::format("its page is written by: drywarp sweep plot --html report.html {}", file)),
                  kFailed);
  const auto format = document::document_formats().find(o.format);
  if (!format) return fail(format.problem(), kFailed);
  if (names_profile(o.output))
    return fail(error("`drywarp report` writes no profile", "name a file that does not end in .dwprof"), kFailed);
  ReportOutput output;
  if (Status status = output.open(o.output); !status) return fail(status.problem(), kFailed);
  if (output.to_terminal() && o.format == "html")
    return fail(error("the page is for a browser, not for a terminal", "write it to a file: -o report.html"), kFailed);
  std::vector<record::Profile> profiles;
  for (const std::string& file : o.files) {
    auto profile = store::read_profile(file);
    if (!profile) return fail(profile.problem(), kFailed);
    profiles.push_back(std::move(*profile));
  }
  std::vector<document::NamedProfile> named;
  for (size_t i = 0; i < profiles.size(); ++i) named.push_back({o.files[i], &profiles[i]});
  const auto document = document::report_document(named);
  if (!document) return fail(document.problem(), kFailed);
  (*format)->write(output.begin(), *document);
  const Status written = output.finish();
  return written.ok() ? kSuccess : fail(written.problem(), kFailed);
}

}  // namespace

Command report_command() {
  return make_command<ReportCommandOptions>(
      {"report",
       "drywarp report [options] run.dwprof -o report.html\n"
       "drywarp report [options] before.dwprof after.dwprof... -o report.html\n\n"
       "Writes kept profiles as one page for a browser: time lines, rooflines, memory, occupancy, source lines, and "
       "drawings of what each kernel did. Two or more profiles are compared.",
       "The page is one file, needs no network, and holds the document of --format json (docs/report.md)."},
      add_report_options, report_files);
}

}  // namespace drywarp::cli
