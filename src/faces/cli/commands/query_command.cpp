// `drywarp query run.dwprof "SELECT ..."`
#include <CLI/CLI.hpp>
#include <iostream>

#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "profile/tables/query.h"
#include "profile/tables/tables.h"

namespace drywarp::cli {
namespace {

struct QueryCommandOptions {
  std::string file, sql, format = "text";
};

void add_query_options(CLI::App& app, QueryCommandOptions& o) {
  app.add_option("profile", o.file, "a file of `drywarp profile -o`")->type_name("FILE")->required();
  app.add_option("query", o.sql, "one SELECT in SQL; without it, the tables and their columns are listed")
      ->type_name("SQL");
  app.add_option("--format", o.format, "how the answer is written")
      ->type_name(tables::query_formats().choices())
      ->capture_default_str();
}

int answer_query(CLI::App& app, QueryCommandOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  const auto format = tables::query_formats().find(o.format);
  if (!format) return fail(format.problem(), kFailed);
  const tables::QueryOptions options{o.format, takes_colour(STDOUT_FILENO), 0};
  Result<store::Database> db = tables::open_tables(o.file);
  if (!db) return fail(db.problem(), kFailed);
  if (app.get_option("query")->count() == 0) {
    const Status listed = tables::write_table_list(std::cout, options);
    return listed ? kSuccess : fail(listed.problem(), kFailed);
  }
  const Status answered = tables::write_query(std::cout, *db, o.sql, options);
  return answered ? kSuccess : fail(answered.problem(), kFailed);
}

}  // namespace

Command query_command() {
  return make_command<QueryCommandOptions>(
      {"query",
       "drywarp query [options] run.dwprof\n"
       "drywarp query [options] run.dwprof \"SELECT ...\"\n\n"
       "Answers a query in SQL about a profile that `drywarp profile -o run.dwprof` kept. docs/profile-file.md has its "
       "tables.",
       "  drywarp query run.dwprof \"SELECT name, seconds, limiter FROM kernels\"\n"
       "  drywarp query run.dwprof \"SELECT * FROM metrics WHERE name = 'ipc'\"\n"
       "\nThe query reads only. The profile of a run that was killed can be queried too."},
      add_query_options, answer_query);
}

}  // namespace drywarp::cli
