#include "profile/store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace drywarp::store {

void Statement::Finalize::operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
void Database::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }

Statement& Statement::bind(int index, int64_t value) {
  sqlite3_bind_int64(handle_.get(), index + 1, value);
  return *this;
}
Statement& Statement::bind(int index, double value) {
  sqlite3_bind_double(handle_.get(), index + 1, value);
  return *this;
}
Statement& Statement::bind(int index, std::string_view text) {
  const char* data = text.data() ? text.data() : "";  // a null pointer would bind NULL
  sqlite3_bind_text64(handle_.get(), index + 1, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}
Statement& Statement::bind_blob(int index, std::string_view bytes) {
  const char* data = bytes.data() ? bytes.data() : "";
  sqlite3_bind_blob64(handle_.get(), index + 1, data, bytes.size(), SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind_null(int index) {
  sqlite3_bind_null(handle_.get(), index + 1);
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(handle_.get());
  if (code == SQLITE_DONE) return false;
  return error(sqlite3_errmsg(sqlite3_db_handle(handle_.get())));
}

Status Statement::run() {
  if (auto row = step(); !row) return row.problem();
  return {};
}

int Statement::columns() const { return sqlite3_column_count(handle_.get()); }
std::string Statement::name(int column) const { return sqlite3_column_name(handle_.get(), column); }
Statement::Type Statement::type(int column) const {
  switch (sqlite3_column_type(handle_.get(), column)) {
    case SQLITE_INTEGER:
      return Type::Integer;
    case SQLITE_FLOAT:
      return Type::Real;
    case SQLITE_TEXT:
      return Type::Text;
    case SQLITE_BLOB:
      return Type::Blob;
    default:
      return Type::Null;
  }
}
bool Statement::changes_nothing() const { return sqlite3_stmt_readonly(handle_.get()) != 0; }

int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(handle_.get(), column); }
std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  return data ? std::string(data, sqlite3_column_bytes(handle_.get(), column)) : std::string();
}
std::string_view Statement::blob(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
  return data ? std::string_view(data, sqlite3_column_bytes(handle_.get(), column)) : std::string_view();
}

Result<Database> Database::open(const std::string& path, Mode mode) {
  Database db;
  db.path_ = path;
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_NOMUTEX | (mode == Mode::ReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                    (mode == Mode::Create ? SQLITE_OPEN_CREATE : 0);
  int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  db.handle_.reset(handle);
  if (code != SQLITE_OK) return db.problem();
  sqlite3_busy_timeout(handle, 2000);
  // A stranger's file: its views may call no function with side effects, and its pages are checked.
  if (mode != Mode::Create)
    if (auto s = db.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON"); !s) return s.problem();
  return db;
}

Result<Database> Database::copy_of(Database& other) {
  auto copy = open(":memory:", Mode::Create);
  if (!copy) return copy.problem();
  copy->path_ = other.path_;
  sqlite3_backup* backup = sqlite3_backup_init(copy->handle_.get(), "main", other.handle_.get(), "main");
  if (!backup) return copy->problem();
  const int code = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE) return error(fmt::format("{}: {}", other.path_, sqlite3_errstr(code)));
  return copy;
}

Status Database::execute(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return problem();
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &raw, &rest);
  Statement statement;
  statement.handle_.reset(raw);
  if (code != SQLITE_OK) return problem();
  if (!raw) return error("there is no SQL statement");
  // Comments and blanks after it give no further statement.
  while (rest != sql.data() + sql.size()) {
    sqlite3_stmt* next = nullptr;
    const int length = static_cast<int>(sql.data() + sql.size() - rest);
    const int parsed = sqlite3_prepare_v3(handle_.get(), rest, length, 0, &next, &rest);
    sqlite3_finalize(next);
    if (next || parsed != SQLITE_OK) return error("there is more than one SQL statement");
    if (!next) break;
  }
  return statement;
}

Result<int64_t> Database::number(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return statement.problem();
  auto row = statement->step();
  if (!row) return row.problem();
  return *row ? statement->integer(0) : 0;
}

int Database::error_offset() const { return sqlite3_error_offset(handle_.get()); }

void Database::abandon() { (void)handle_.release(); }

Diagnostic Database::problem() const { return error(fmt::format("{}: {}", path_, sqlite3_errmsg(handle_.get()))); }

}  // namespace drywarp::store
