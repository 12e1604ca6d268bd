// Rows on their way into the profile. SQLite writes a transaction when it ends, and ending one for every launch costs
// more than many launches do; so a row goes first into a log, a plain file beside the database, with one write(). What
// the kernel has, it keeps when the process dies, however it dies. Now and then the rows of the log are put into the
// database in one transaction; whoever reads a profile does the same with the rows that are left.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/support/result.h"
#include "profile/store/sqlite.h"

namespace drywarp::store {

enum class RowKind : uint8_t { Kernel, Counts, Time, Launch, Running, Transfer, ApiName, Api, Finish };
inline constexpr size_t kRowKinds = 9;

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

// Puts rows into a database. A row that is there already, from a log that was put in but not yet emptied, stays as it
// is.
class RowInserter {
 public:
  static Result<RowInserter> prepare(Database& db);
  // `rows`: one after the other, as the log has them. The last may be cut short, by a process killed while it wrote.
  Status insert(std::string_view rows);

 private:
  Status insert_one(std::string_view row);
  std::array<Statement, kRowKinds> statements_;
};

class RowLog {
 public:
  static std::string path_beside(const std::string& database);
  // Makes an empty one.
  static Result<RowLog> create(const std::string& path);
  RowLog(RowLog&& from) noexcept;
  RowLog& operator=(RowLog&&) = delete;
  ~RowLog();

  // After success the row outlives the process.
  Status append(const Row& row);
  [[nodiscard]] std::string_view rows() const { return rows_; }  // those in the file
  Status clear();
  void remove();  // the file; rows appended from now on are lost with the process

 private:
  RowLog(int file, std::string path) : file_(file), path_(std::move(path)) {}
  [[nodiscard]] Diagnostic problem() const;
  int file_;
  std::string path_;
  std::string rows_;
};

// The rows of a log that another process left, or is writing; empty if there is none.
std::string read_row_log(const std::string& path);

}  // namespace drywarp::store
