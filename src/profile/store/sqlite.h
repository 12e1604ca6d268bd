// A thin wrapper of SQLite that returns Results.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/support/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace drywarp::store {

// A prepared statement; parameters and columns count from 0. Bound text and blobs must live until step() returns.
class Statement {
 public:
  Statement() = default;
  Statement& bind(int index, int64_t value);
  Statement& bind(int index, double value);
  Statement& bind(int index, std::string_view text);
  Statement& bind_blob(int index, std::string_view bytes);
  Statement& bind_null(int index);
  // true: a row; false: the end. After the end (or an error) the statement can be bound and run again.
  Result<bool> step();
  Status run();  // step() where no row is expected

  [[nodiscard]] int columns() const;
  [[nodiscard]] std::string name(int column) const;
  enum class Type { Integer, Real, Text, Blob, Null };
  [[nodiscard]] Type type(int column) const;  // of the row's value
  [[nodiscard]] int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::string_view blob(int column) const;  // until the next step()
  [[nodiscard]] bool changes_nothing() const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* s) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

class Database {
 public:
  enum class Mode { Create, Existing, ReadOnly };
  static Result<Database> open(const std::string& path, Mode mode);

  // A copy in memory.
  static Result<Database> copy_of(Database& other);

  Status execute(const char* sql);
  // Fails if `sql` has more than one statement, or none.
  Result<Statement> prepare(std::string_view sql);
  Result<int64_t> number(std::string_view sql);  // the first column of the first row
  [[nodiscard]] const std::string& path() const { return path_; }
  // Where in the text of a failed prepare() the error is, in bytes; -1: not known.
  [[nodiscard]] int error_offset() const;
  // Leaks the handle without touching the file: for a forked child, whose parent owns it.
  void abandon();

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  [[nodiscard]] Diagnostic problem() const;
  std::unique_ptr<sqlite3, Close> handle_;
  std::string path_;
};

}  // namespace drywarp::store
