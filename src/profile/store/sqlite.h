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
  // true: a row; false: the end. After the end (or an error) the statement can be bound and run again.
  Result<bool> step();
  Status run();  // step() where no row is expected

  [[nodiscard]] int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::string_view blob(int column) const;  // until the next step()

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* s) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

class Database {
 public:
  enum class Mode { Create, Existing };
  static Result<Database> open(const std::string& path, Mode mode);

  Status execute(const char* sql);
  Result<Statement> prepare(std::string_view sql);
  Result<int64_t> number(std::string_view sql);  // the first column of the first row
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
