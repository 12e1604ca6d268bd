#include <fmt/format.h>

#include <filesystem>

#include "profile/store/checks_codec.h"
#include "profile/store/profile_reader.h"
#include "profile/store/row_log.h"
#include "profile/store/schema.h"
#include "profile/tables/fill.h"
#include "profile/tables/tables.h"

namespace drywarp::tables {
namespace {

using store::Database;
using store::Statement;

Status insert_log(Database& db, const std::string& log) {
  if (log.empty()) return {};
  auto inserter = store::RowInserter::prepare(db);
  return inserter ? inserter->insert(log) : Status(inserter.problem());
}

Status keep_end(Database& db, const record::Profile& profile) {
  auto end = db.prepare("UPDATE run SET exit_code = ?, signal = ?, complete = ?");
  if (!end) return end.problem();
  return end->bind(0, int64_t{profile.exit_code})
      .bind(1, int64_t{profile.signal})
      .bind(2, int64_t{profile.complete})
      .run();
}

Status keep_facts(Database& db, const record::KeptFacts& kept) {
  auto text = db.prepare("INSERT OR REPLACE INTO kept VALUES(?, ?)");
  auto number = db.prepare("INSERT OR REPLACE INTO device_numbers VALUES(?, ?, ?, ?)");
  auto line = db.prepare("INSERT OR REPLACE INTO source VALUES(?, ?, ?)");
  for (const auto* prepared : {&text, &number, &line})
    if (!*prepared) return prepared->problem();
  for (const store::KeptText& t : store::kKeptTexts)
    if (auto s = text->bind(0, std::string_view(t.key)).bind(1, kept.*t.member).run(); !s) return s;
  if (auto s = text->bind(0, std::string_view(store::kOutputCut)).bind(1, kept.output_cut ? "1" : "0").run(); !s)
    return s;
  for (const record::DeviceNumber& n : kept.device_numbers)
    if (auto s = number->bind(0, n.path).bind(1, n.value).bind(2, n.kind).bind(3, n.source).run(); !s) return s;
  for (const auto& [file, lines] : kept.sources)
    for (size_t i = 0; i < lines.size(); ++i)
      if (auto s = line->bind(0, file).bind(1, static_cast<int64_t>(i + 1)).bind(2, lines[i]).run(); !s) return s;
  return {};
}

Status keep_checks(Database& db, const record::Profile& profile) {
  if (!profile.checks) return {};
  auto text = db.prepare("INSERT OR REPLACE INTO kept VALUES(?, ?)");
  if (!text) return text.problem();
  return text->bind(0, std::string_view(store::kChecks)).bind(1, store::encode(*profile.checks)).run();
}

Status complete(Database& db, const std::string& log, const record::Profile& profile) {
  if (auto s = insert_log(db, log); !s) return s;
  if (auto s = keep_end(db, profile); !s) return s;
  if (auto s = keep_facts(db, profile.kept); !s) return s;
  if (auto s = keep_checks(db, profile); !s) return s;
  if (auto s = create_tables(db); !s) return s;
  return fill_tables(db, profile);
}

// The last of all_tables() that is created here: there if the profile was completed.
Result<int64_t> is_complete(Database& db) {
  return db.number("SELECT count(*) FROM sqlite_master WHERE name = 'api_calls'");
}

}  // namespace

Status keep_profile(const std::string& path, const record::Profile& profile) {
  auto db = Database::open(path, Database::Mode::Existing);
  if (!db) return db.problem();
  if (auto s = store::check_profile(*db, path); !s) return s;
  const std::string log_path = store::RowLog::path_beside(path);
  if (auto s = db->execute("BEGIN IMMEDIATE"); !s) return s;
  if (auto s = complete(*db, store::read_row_log(log_path), profile); !s) return s;
  // A single file: without this journal mode, readers would create files beside it.
  if (auto s = db->execute("COMMIT; PRAGMA journal_mode = DELETE"); !s) return s;
  std::error_code ignored;
  std::filesystem::remove(log_path, ignored);
  return {};
}

Result<Database> open_tables(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return error(fmt::format("there is no profile {}", path));
  auto db = Database::open(path, Database::Mode::ReadOnly);
  if (!db) return db.problem();
  if (auto s = store::check_profile(*db, path); !s) return s.problem();
  const auto done = is_complete(*db);
  if (!done) return done.problem();
  if (*done != 0) return db;
  const auto format = db->number("PRAGMA user_version");
  if (!format) return format.problem();
  if (*format < store::kFormat)
    return error(
        fmt::format("{} was written by an older drywarp (format {}): it has no tables for queries", path, *format),
        "profile again with this one");
  const auto profile = store::read_profile(path);
  if (!profile) return profile.problem();
  auto copy = Database::copy_of(*db);
  if (!copy) return copy.problem();
  if (auto s = complete(*copy, store::read_row_log(store::RowLog::path_beside(path)), *profile); !s) return s.problem();
  return copy;
}

}  // namespace drywarp::tables
