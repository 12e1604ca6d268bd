#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "base/support/plural.h"
#include "base/support/readable.h"
#include "sweep/plan/search.h"
#include "sweep/views/views.h"

namespace drywarp::sweep {
namespace {

// Cells of a table, as wide as the widest of their column. The last column is not padded.
class Columns {
 public:
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print(std::ostream& out) const {
    std::vector<size_t> widths;
    for (const auto& cells : rows_)
      for (size_t c = 0; c < cells.size(); ++c) {
        if (c == widths.size()) widths.push_back(0);
        widths[c] = std::max(widths[c], cells[c].size());
      }
    for (const auto& cells : rows_) {
      std::string line;
      for (size_t c = 0; c < cells.size(); ++c)
        line += c + 1 == cells.size() ? cells[c] : fmt::format("{:<{}}  ", cells[c], widths[c]);
      while (!line.empty() && line.back() == ' ') line.pop_back();
      out << line << "\n";
    }
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string seconds_text(const Measurement& m) {
  if (!m.seconds) return "-";
  return (m.extrapolated ? "~" : "") + readable_seconds(*m.seconds);
}

std::string note(const Sweep& sweep, const Row& row) {
  if (!row.measurement) return "has not run";
  const Measurement& m = *row.measurement;
  if (m.outcome != Outcome::Ok) {
    const std::string reason = m.reason.substr(0, m.reason.find('\n'));
    return fmt::format("{}{}{}", key(m.outcome), reason.empty() ? "" : ": ", reason);
  }
  if (!row.dropped.empty()) return "dropped, " + row.dropped;
  return is_complete(sweep, row) ? m.kernels.empty() ? "" : m.kernels[0].limiter : "not finished";
}

std::vector<const Row*> ranked(const Sweep& sweep) {
  std::vector<const Row*> rows;
  for (const Row& row : sweep.rows) rows.push_back(&row);
  // Complete rows by time, then those that were dropped or have not run, then failures.
  const auto rank = [&](const Row* r) {
    if (is_complete(sweep, *r)) return std::pair(0, *r->measurement->seconds);
    const bool failed = r->measurement && r->measurement->outcome != Outcome::Ok;
    return std::pair(failed               ? 3
                     : r->dropped.empty() ? 1
                                          : 2,
                     r->measurement ? r->measurement->seconds.value_or(r->measurement->cycles.value_or(0)) : 0.0);
  };
  std::ranges::stable_sort(rows, {}, rank);
  return rows;
}

void add_row(Columns& columns, const Sweep& sweep, const Row& row) {
  std::vector<std::string> cells = {std::to_string(row.number)};
  for (size_t p = 0; p < row.configuration.size(); ++p)
    cells.push_back(sweep.description.space.value(row.configuration, p).label);
  const Measurement m = row.measurement.value_or(Measurement{});
  cells.push_back(seconds_text(m));
  cells.push_back(m.occupancy ? readable_percent(*m.occupancy) : "-");
  cells.push_back(m.registers ? std::to_string(*m.registers) : "-");
  cells.push_back(note(sweep, row));
  columns.row(std::move(cells));
}

void add_head(Columns& columns, const Sweep& sweep) {
  std::vector<std::string> head = {"Row"};
  for (const Parameter& p : sweep.description.space.parameters()) head.push_back(p.name);
  head.insert(head.end(), {"Time", "Occupancy", "Registers", "Limiter, or what became of it"});
  columns.row(std::move(head));
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

const char* state_of(const Sweep& sweep, const Row& row) {
  if (!row.measurement) return "not run";
  if (row.measurement->outcome != Outcome::Ok) return key(row.measurement->outcome);
  if (!row.dropped.empty()) return "dropped";
  return is_complete(sweep, row) ? "timed" : "not finished";
}

void write_table(std::ostream& out, const Sweep& sweep, size_t most_rows) {
  std::map<std::string_view, size_t> outcomes;
  for (const Row& row : sweep.rows) ++outcomes[state_of(sweep, row)];
  std::string counts;
  for (const auto& [name, count] : outcomes) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, name);
  out << fmt::format("{}: {}. Times are modelled.\n\n", plural(sweep.rows.size(), "configuration"), counts);
  Columns columns;
  add_head(columns, sweep);
  const auto rows = ranked(sweep);
  const size_t shown = most_rows == 0 ? rows.size() : std::min(most_rows, rows.size());
  for (size_t i = 0; i < shown; ++i) add_row(columns, sweep, *rows[i]);
  columns.print(out);
  if (shown < rows.size()) out << fmt::format("and {} more: --rows 0\n", rows.size() - shown);
}

void write_best(std::ostream& out, const Sweep& sweep) {
  const auto all = best_rows(sweep);
  if (all.empty()) {
    out << "No row has a time.\n";
    return;
  }
  for (const Best& best : all) {
    if (!best.group.empty()) out << best.group << "\n";
    const Measurement& m = *best.row->measurement;
    out << fmt::format("  {} in {}: row {}, the best of {}\n", sweep.description.space.text(best.row->configuration),
                       seconds_text(m), best.row->number, best.of);
    if (best.next)
      out << fmt::format("  {:.2f}x as fast as the next, {}\n", *best.next->measurement->seconds / *m.seconds,
                         sweep.description.space.text(best.next->configuration));
    out << fmt::format("  {}\n", flags_of(sweep, *best.row));
  }
  out << "\nPareto front of time, occupancy and registers\n";
  Columns columns;
  add_head(columns, sweep);
  for (const Row* row : pareto_front(sweep)) add_row(columns, sweep, *row);
  columns.print(out);
}

void write_csv(std::ostream& out, const Sweep& sweep) {
  out << "row";
  for (const Parameter& p : sweep.description.space.parameters()) out << "," << p.name;
  out << ",outcome,stage,seconds,occupancy_pct,registers,least_cycles,host_seconds,reason,dropped\n";
  const auto number = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string(); };
  for (const Row& row : sweep.rows) {
    out << row.number;
    for (size_t p = 0; p < row.configuration.size(); ++p)
      out << "," << csv_cell(sweep.description.space.value(row.configuration, p).label);
    if (!row.measurement) {
      out << ",,,,,,,,,\n";
      continue;
    }
    const Measurement& m = *row.measurement;
    out << fmt::format(",{},{},{},{},{},{},{},{},{}\n", key(m.outcome), key(m.stage), number(m.seconds),
                       number(m.occupancy), number(m.registers), number(m.cycles), m.host_seconds, csv_cell(m.reason),
                       csv_cell(row.dropped));
  }
}

}  // namespace drywarp::sweep
