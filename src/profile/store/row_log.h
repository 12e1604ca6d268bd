// A write-ahead log of rows. A SQLite transaction for every launch would cost more than many launches do, so a row
// first goes to a log, a plain file beside the database, with one write(), and thus outlives the process however it
// dies. The log's rows are inserted into the database in batches of one transaction; a reader does the same with the
// rest.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/support/result.h"
#include "profile/store/sqlite.h"

namespace drywarp::store {

enum class RowKind : uint8_t {
  Kernel,
  Counts,
  Time,
  Launch,
  Running,
  Transfer,
  ApiName,
  Api,
  Finish,
  Sample,
  Drawn,
  Operation
};
inline constexpr size_t kRowKinds = 12;

// One statement's values, in order, as bytes.
class Row {
 public:
  explicit Row(RowKind kind);
  Row& integer(uint64_t value);
  Row& real(double value);
  Row& text(std::string_view text);
  Row& blob(std::string_view bytes);
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  Row& sized(char tag, std::string_view bytes);
  std::string bytes_;
};

// Inserts rows into a database. A row that is already there, from a log that was inserted but not yet cleared, stays.
class RowInserter {
 public:
  static Result<RowInserter> prepare(Database& db);
  // `rows`: concatenated, as in the log. The last may be truncated by a process killed while it wrote.
  Status insert(std::string_view rows);

 private:
  Status insert_one(std::string_view row);
  std::array<Statement, kRowKinds> statements_;
};

class RowLog {
 public:
  static std::string path_beside(const std::string& database);
  static Result<RowLog> create(const std::string& path);
  RowLog(RowLog&& from) noexcept;
  RowLog& operator=(RowLog&&) = delete;
  ~RowLog();

  // After success the row outlives the process.
  Status append(const Row& row);
  [[nodiscard]] std::string_view rows() const { return rows_; }  // the file's contents
  Status clear();
  void remove();  // deletes the file; rows appended afterwards are lost with the process

 private:
  RowLog(int file, std::string path) : file_(file), path_(std::move(path)) {}
  [[nodiscard]] Diagnostic problem() const;
  int file_;
  std::string path_;
  std::string rows_;
};

// The rows of a log that another process left or is writing; empty if there is none.
std::string read_row_log(const std::string& path);

}  // namespace drywarp::store
