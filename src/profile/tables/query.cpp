#include "profile/tables/query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "base/support/near_names.h"
#include "profile/report/model/numbers.h"
#include "profile/report/writers/layout.h"
#include "profile/tables/tables.h"

namespace drywarp::tables {

struct Answer {
  struct Cell {
    store::Statement::Type type = store::Statement::Type::Null;
    std::string text;  // of numbers, too
  };
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

namespace {

using Type = store::Statement::Type;
using Cell = Answer::Cell;

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

Cell cell_of(const store::Statement& row, int column, bool for_people) {
  const Type type = row.type(column);
  switch (type) {
    case Type::Null:
      return {};
    case Type::Real:
      return {type, for_people ? fmt::format("{:.6g}", row.real(column)) : fmt::format("{}", row.real(column))};
    case Type::Blob:
      return {type, hex(row.blob(column))};
    default:
      return {type, row.text(column)};
  }
}

std::string json_text(const Cell& cell) {
  switch (cell.type) {
    case Type::Null:
      return "null";
    case Type::Integer:
      return cell.text;
    case Type::Real:  // an infinity is no JSON
      return cell.text.find_first_of("in") == std::string::npos ? cell.text : "null";
    default:
      return nlohmann::json(cell.text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

// A table has one line a row; only where nothing stands beside it may a text have several.
std::string one_line(std::string text) {
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, "\\n");
  return text;
}

void write_text(std::ostream& out, const Answer& answer, const QueryOptions& options) {
  using enum report::Table::Align;
  std::vector<report::Table::Align> aligns;
  for (size_t c = 0; c < answer.columns.size(); ++c)
    aligns.push_back(
        std::ranges::any_of(answer.rows,
                            [c](const auto& row) { return row[c].type == Type::Integer || row[c].type == Type::Real; })
            ? Right
            : Left);
  report::Table table(aligns, 0, options.width);
  table.head(answer.columns);
  for (const auto& row : answer.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row)
      cells.push_back(cell.type == Type::Null ? "-" : row.size() == 1 ? cell.text : one_line(cell.text));
    table.row(std::move(cells));
  }
  table.print(out, report::Style{options.colour});
}

void write_csv(std::ostream& out, const Answer& answer, const QueryOptions&) {
  const auto line = [&](const auto& cells, auto text) {
    const char* separator = "";
    for (const auto& cell : cells) out << separator << report::csv_cell(text(cell)), separator = ",";
    out << '\n';
  };
  line(answer.columns, [](const std::string& name) { return name; });
  for (const auto& row : answer.rows) line(row, [](const Cell& cell) { return cell.text; });
}

void write_json(std::ostream& out, const Answer& answer, const QueryOptions&) {
  out << '[';
  const char* between_rows = "\n  ";
  for (const auto& row : answer.rows) {
    out << between_rows << '{';
    between_rows = ",\n  ";
    for (size_t c = 0; c < row.size(); ++c)
      out << (c == 0 ? "" : ", ") << nlohmann::json(answer.columns[c]).dump() << ": " << json_text(row[c]);
    out << '}';
  }
  out << (answer.rows.empty() ? "]\n" : "\n]\n");
}

constexpr report::OutputFormat<Answer, QueryOptions> kFormats[] = {
    {"text", true, write_text}, {"csv", false, write_csv}, {"json", false, write_json}};
constexpr QueryFormats kFormatTable("the answer to a query", "format", kFormats);

// The hint for SQLite's message: the nearest table's name, or where the names are listed.
std::string hint_for(const std::string& message) {
  constexpr std::string_view kTable = "no such table: ";
  const size_t at = message.find(kTable);
  if (at == std::string::npos) return "`drywarp query FILE` without a query lists the tables and their columns";
  std::vector<std::string> names;
  for (const Table& table : all_tables()) names.emplace_back(table.name);
  return fmt::format("the tables are {}", fmt::join(nearest_first(message.substr(at + kTable.size()), names), ", "));
}

Diagnostic wrong_query(const std::string& message, int offset) {
  const std::string place = offset < 0 ? "" : fmt::format(", at character {}", offset + 1);
  return error(fmt::format("the query is wrong: {}{}", message, place), hint_for(message));
}

}  // namespace

const QueryFormats& query_formats() { return kFormatTable; }

Status write_query(std::ostream& out, store::Database& db, const std::string& sql, const QueryOptions& options) {
  const auto format = kFormatTable.find(options.format);
  if (!format) return format.problem();
  auto statement = db.prepare(sql);
  if (!statement) {
    const int offset = db.error_offset();
    // Without the file's name in front.
    std::string message = statement.problem().message;
    if (message.starts_with(db.path() + ": ")) message = message.substr(db.path().size() + 2);
    return wrong_query(message, offset);
  }
  if (!statement->changes_nothing())
    return error("a query cannot change the profile", "change a copy of it with the program sqlite3");
  if (statement->columns() == 0) return error("the query asks for nothing", "write SELECT ... FROM ...");
  Answer answer;
  for (int c = 0; c < statement->columns(); ++c) answer.columns.push_back(statement->name(c));
  for (;;) {
    const auto row = statement->step();
    if (!row) return wrong_query(row.problem().message, -1);
    if (!*row) break;
    std::vector<Cell>& cells = answer.rows.emplace_back();
    for (int c = 0; c < statement->columns(); ++c) cells.push_back(cell_of(*statement, c, (*format)->terminal));
  }
  (*format)->write(out, answer, options);
  return {};
}

Status write_table_list(std::ostream& out, const QueryOptions& options) {
  const auto format = kFormatTable.find(options.format);
  if (!format) return format.problem();
  Answer answer{{"table", "column", "type", "meaning"}, {}};
  const auto text = [](const char* of) { return Cell{Type::Text, of}; };
  for (const Table& table : all_tables()) {
    answer.rows.push_back({text(table.name), text(""), text(table.view ? "view" : "table"), text(table.meaning)});
    for (const Column& c : table.columns)
      answer.rows.push_back({text(table.name), text(c.name), text(c.type), text(c.meaning)});
  }
  (*format)->write(out, answer, options);
  return {};
}

}  // namespace drywarp::tables
