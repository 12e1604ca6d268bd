#include "profile/store/row_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace drywarp::store {
namespace {

// By RowKind. Rows contain their ids, so that a second insertion does nothing.
constexpr const char* kStatements[kRowKinds] = {
    "INSERT OR IGNORE INTO kernel VALUES(?,?,?,?,?,?,?)",
    "INSERT OR IGNORE INTO counts VALUES(?,?)",
    "INSERT OR IGNORE INTO time VALUES(?,?,?,?,?)",
    "INSERT OR IGNORE INTO launch VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    "INSERT OR REPLACE INTO running VALUES(0,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    "INSERT OR IGNORE INTO transfer VALUES(?,?,?,?,?,?,?,?)",
    "INSERT OR IGNORE INTO api_name VALUES(?,?)",
    "INSERT OR IGNORE INTO api VALUES(?,?,?,?)",
    "UPDATE run SET exit_code = ?, complete = 1",
    "INSERT OR IGNORE INTO sample VALUES(?,?,?)",
    "INSERT OR REPLACE INTO drawn VALUES(?,?,?,?,?)",
    "INSERT OR IGNORE INTO operation VALUES(?,?)",
};

// A row in the log: its size, its kind, its values, each after a letter for its type.
constexpr char kInteger = 'i', kReal = 'r', kText = 't', kBlob = 'b';

template <class T>
void put(std::string& out, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  out.append(raw, sizeof raw);
}

template <class T>
bool take(std::string_view& in, T& value) {
  if (in.size() < sizeof value) return false;
  std::memcpy(&value, in.data(), sizeof value);
  in.remove_prefix(sizeof value);
  return true;
}

bool take_sized(std::string_view& in, std::string_view& bytes) {
  uint32_t size = 0;
  if (!take(in, size) || size > in.size()) return false;
  bytes = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

}  // namespace

Row::Row(RowKind kind) : bytes_(1, static_cast<char>(kind)) {}

Row& Row::integer(uint64_t value) {
  bytes_ += kInteger;
  put(bytes_, value);
  return *this;
}
Row& Row::real(double value) {
  bytes_ += kReal;
  put(bytes_, value);
  return *this;
}
Row& Row::text(std::string_view text) { return sized(kText, text); }
Row& Row::blob(std::string_view bytes) { return sized(kBlob, bytes); }
Row& Row::sized(char tag, std::string_view bytes) {
  bytes_ += tag;
  put(bytes_, static_cast<uint32_t>(bytes.size()));
  bytes_ += bytes;
  return *this;
}

Result<RowInserter> RowInserter::prepare(Database& db) {
  RowInserter inserter;
  for (size_t kind = 0; kind < kRowKinds; ++kind) {
    auto prepared = db.prepare(kStatements[kind]);
    // Files of older formats have fewer tables, and their logs no such rows.
    if (!prepared && kind > static_cast<size_t>(RowKind::Finish)) continue;
    if (!prepared) return prepared.problem();
    inserter.statements_[kind] = std::move(*prepared);
  }
  return inserter;
}

Status RowInserter::insert_one(std::string_view row) {
  if (row.empty() || static_cast<uint8_t>(row.front()) >= kRowKinds) return error("a record is damaged");
  Statement& statement = statements_[static_cast<uint8_t>(row.front())];
  row.remove_prefix(1);
  for (int column = 0; !row.empty(); ++column) {
    const char tag = row.front();
    row.remove_prefix(1);
    int64_t integer = 0;
    double real = 0;
    std::string_view bytes;
    if (tag == kInteger && take(row, integer))
      statement.bind(column, integer);
    else if (tag == kReal && take(row, real))
      statement.bind(column, real);
    else if (tag == kText && take_sized(row, bytes))
      statement.bind(column, bytes);
    else if (tag == kBlob && take_sized(row, bytes))
      statement.bind_blob(column, bytes);
    else
      return error("a record is damaged");
  }
  return statement.run();
}

Status RowInserter::insert(std::string_view rows) {
  std::string_view row;
  while (take_sized(rows, row))
    if (auto s = insert_one(row); !s) return s;
  return {};
}

std::string RowLog::path_beside(const std::string& database) { return database + "-log"; }

Result<RowLog> RowLog::create(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  RowLog log(file, path);
  if (file < 0) return log.problem();
  return log;
}

RowLog::RowLog(RowLog&& from) noexcept
    : file_(std::exchange(from.file_, -1)), path_(std::move(from.path_)), rows_(std::move(from.rows_)) {}

RowLog::~RowLog() {
  if (file_ >= 0) ::close(file_);
}

Diagnostic RowLog::problem() const { return error(fmt::format("{}: {}", path_, std::strerror(errno))); }

Status RowLog::append(const Row& row) {
  const size_t before = rows_.size();
  put(rows_, static_cast<uint32_t>(row.bytes().size()));
  rows_ += row.bytes();
  for (size_t written = before; written < rows_.size();) {
    const ssize_t n = ::write(file_, rows_.data() + written, rows_.size() - written);
    if (n < 0 && errno != EINTR) return problem();
    if (n > 0) written += static_cast<size_t>(n);
  }
  return {};
}

Status RowLog::clear() {
  rows_.clear();
  if (::ftruncate(file_, 0) != 0) return problem();
  return {};
}

void RowLog::remove() { ::unlink(path_.c_str()); }

std::string read_row_log(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace drywarp::store
