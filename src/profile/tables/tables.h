// The tables of a profile file that people query with SQL. Recorded tables hold counts as bytes; these hold them as
// numbers by name. They are filled when the run has ended, from the same model as the reports.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "base/support/result.h"
#include "profile/record/profile.h"
#include "profile/store/sqlite.h"

namespace drywarp::tables {

struct Column {
  const char *name, *type, *meaning;
};

// A table or a view. docs/profile-file.md is generated from these.
struct Table {
  const char *name, *meaning;
  std::span<const Column> columns;
  const char* view = nullptr;  // SQL; null: a table
  const char* key = "";        // of a table: its primary key
  bool recorded = false;       // store/schema.h creates it
};
[[nodiscard]] std::span<const Table> all_tables();

// Completes a profile that its program has left: inserts the rest of its log, stores `profile`'s end and KeptFacts, and
// fills the tables. Afterwards the profile is one file.
Status keep_profile(const std::string& path, const record::Profile& profile);

// Opens a profile for queries. One that was never completed, as after SIGKILL, is completed in memory; the file does
// not change.
Result<store::Database> open_tables(const std::string& path);

// docs/profile-file.md.
void write_schema_page(std::ostream& out);

}  // namespace drywarp::tables
