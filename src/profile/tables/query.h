// Answers SQL about a profile.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "base/support/result.h"
#include "profile/report/writers/report.h"
#include "profile/store/sqlite.h"

namespace drywarp::tables {

struct QueryOptions {
  std::string_view format = "text";  // a row of query_formats()
  bool colour = false;               // text: for a terminal
  unsigned width = 0;                // text: characters a line; 0: no limit
};

struct Answer;
using QueryFormats = report::Formats<Answer, QueryOptions>;
[[nodiscard]] const QueryFormats& query_formats();

// One statement that reads. Text: a table; csv: with a head line; json: an array of objects.
Status write_query(std::ostream& out, store::Database& db, const std::string& sql, const QueryOptions& options);

// The tables and their columns.
Status write_table_list(std::ostream& out, const QueryOptions& options);

}  // namespace drywarp::tables
