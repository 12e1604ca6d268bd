#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <span>

#include "base/support/readable.h"
#include "sweep/plan/search.h"
#include "sweep/views/views.h"

namespace drywarp::sweep {
namespace {

constexpr size_t kColumns = 61, kLines = 15;  // of a drawing, without its axes

struct Point {
  double occupancy = 0, seconds = 0;
};

// Where `value` lies among `places` on a logarithmic axis from `low` to `high`.
size_t place(double value, double low, double high, size_t places) {
  if (high <= low) return 0;
  const double share = std::log(value / low) / std::log(high / low);
  return std::min(places - 1, static_cast<size_t>(share * static_cast<double>(places - 1) + 0.5));
}

void draw(std::ostream& out, const std::vector<Point>& points) {
  const auto [fastest, slowest] = std::ranges::minmax(points, {}, &Point::seconds);
  std::vector<std::vector<unsigned>> counts(kLines, std::vector<unsigned>(kColumns));
  const auto column = [](const Point& p) {
    return std::min(kColumns - 1, static_cast<size_t>(p.occupancy / 100 * (kColumns - 1) + 0.5));
  };
  const auto line = [&](const Point& p) {
    return kLines - 1 - place(p.seconds, fastest.seconds, slowest.seconds, kLines);
  };
  for (const Point& p : points) ++counts[line(p)][column(p)];
  const size_t best_line = line(fastest), best_column = column(fastest);
  for (size_t l = 0; l < kLines; ++l) {
    const std::string label = l == 0            ? readable_seconds(slowest.seconds)
                              : l + 1 == kLines ? readable_seconds(fastest.seconds)
                                                : "";
    std::string row;
    for (size_t c = 0; c < kColumns; ++c) {
      const unsigned n = counts[l][c];
      row += l == best_line && c == best_column ? '#' : n == 0 ? ' ' : n > 9 ? '*' : static_cast<char>('0' + n);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    out << fmt::format("{:>10} |{}\n", label, row);
  }
  out << fmt::format("{:>10} +{}\n", "", std::string(kColumns, '-'));
  out << fmt::format("{:>10}  0 %{:>28}{:>30}\n", "", "50 %", "100 %");
}

// The cells of a heat map: the faster, the denser.
constexpr std::string_view kShades = "@#*+:. ";
constexpr size_t kAcross = 5;  // cells of a line: 80 columns hold no more

using Cells = std::map<std::pair<uint32_t, uint32_t>, double>;

// As many values across as a line holds, from `first` on, and all of those down.
void draw_cells(std::ostream& out, const Cells& cells, std::span<const Value> across, size_t first,
                std::span<const Value> down, double low, double high) {
  const size_t end = std::min(first + kAcross, across.size());
  std::string head = fmt::format("{:>10} ", "");
  for (size_t c = first; c < end; ++c) head += fmt::format(" {:>11}", across[c].label);
  out << head << "\n";
  for (uint32_t r = 0; r < down.size(); ++r) {
    std::string line = fmt::format("{:>10} ", down[r].label);
    for (size_t c = first; c < end; ++c) {
      const auto cell = cells.find({static_cast<uint32_t>(c), r});
      if (cell == cells.end()) {
        line += fmt::format(" {:>11}", "-");
        continue;
      }
      const char shade = kShades[place(cell->second, low, high, kShades.size() - 1)];
      line += fmt::format(" {} {:>9}", shade, readable_seconds(cell->second));
    }
    out << line << "\n";
  }
}

}  // namespace

void draw_occupancy(std::ostream& out, const Sweep& sweep) {
  std::map<std::string, std::vector<Point>> groups;
  for (const Row& row : sweep.rows)
    if (is_complete(sweep, row) && row.measurement->occupancy && *row.measurement->seconds > 0)
      groups[group_of(sweep.description, row.configuration)].push_back(
          {*row.measurement->occupancy, *row.measurement->seconds});
  if (groups.empty()) out << "No row has a time and an occupancy.\n";
  bool first = true;
  for (const auto& [group, points] : groups) {
    out << (first ? "" : "\n") << "Modelled time (log) over theoretical occupancy"
        << (group.empty() ? "" : ", " + group) << "\nA digit: rows at this place; *: more than 9; #: the best\n";
    draw(out, points);
    first = false;
  }
}

Status draw_heat(std::ostream& out, const Sweep& sweep, const std::string& x, const std::string& y) {
  const Space& space = sweep.description.space;
  const auto px = space.find(x), py = space.find(y);
  for (const auto& [name, found] : {std::pair{&x, px}, std::pair{&y, py}})
    if (!found) return error(fmt::format("the sweep has no parameter '{}'", *name), "`drywarp sweep show` lists them");
  if (px == py) return error("a heat map needs two parameters");
  std::map<std::string, Cells> groups;
  for (const Row& row : sweep.rows) {
    if (!is_complete(sweep, row)) continue;
    auto& cells = groups[group_of(sweep.description, row.configuration)];
    const auto [cell, added] =
        cells.try_emplace({row.configuration[*px], row.configuration[*py]}, *row.measurement->seconds);
    if (!added) cell->second = std::min(cell->second, *row.measurement->seconds);
  }
  if (groups.empty()) out << "No row has a time.\n";
  for (const auto& [group, cells] : groups) {
    double low = cells.begin()->second, high = low;
    for (const auto& [at, seconds] : cells) low = std::min(low, seconds), high = std::max(high, seconds);
    out << fmt::format("Best modelled time: {} across, {} down{}. @: {}, .: {}\n", x, y,
                       group.empty() ? "" : ", " + group, readable_seconds(low), readable_seconds(high));
    const std::span<const Value> across = space.parameters()[*px].values, down = space.parameters()[*py].values;
    for (size_t first = 0; first < across.size(); first += kAcross)
      draw_cells(out, cells, across, first, down, low, high);
  }
  return {};
}

}  // namespace drywarp::sweep
