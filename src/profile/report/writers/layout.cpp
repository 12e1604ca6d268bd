#include "profile/report/writers/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <ostream>
#include <string_view>
#include <utility>

namespace drywarp::report {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

constexpr std::array<const char*, 9> kEighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr unsigned kGap = 1;          // between two labels
constexpr size_t kBetween = 2;        // between two columns
constexpr size_t kRoomForWords = 30;  // of a column whose text goes over several lines
constexpr size_t kLeastOfLast = 16;   // characters of a table's last column

std::string repeated(std::string_view what, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += what;
  return out;
}

// The characters of one column, from the bottom up.
std::string cell(double eighths, unsigned line, unsigned width, bool unicode) {
  const double here = std::clamp(eighths - 8.0 * line, 0.0, 8.0);
  // A narrow gap shows where a column ends.
  const unsigned bar = width > 2 ? width - 1 : width;
  const auto part = size_t(std::lround(here));
  const std::string_view glyph = unicode ? kEighths[part] : (part >= 4 ? "#" : " ");
  return repeated(glyph, bar) + std::string(width - bar, ' ');
}

// Whether a text begins with a unit, which stays with its number.
bool binds(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" ,;:)"));
  constexpr std::string_view kUnits[] = {"%", "ns", "us", "ms", "B", "KB", "MB", "GB"};
  return std::ranges::find(kUnits, word) != std::end(kUnits);
}

void trim(std::string& line) {
  while (line.ends_with(' ')) line.pop_back();
}

}  // namespace

std::string Style::wrap(const char* code, const std::string& s) const {
  return colour ? "\033[" + std::string(code) + "m" + s + "\033[0m" : s;
}

size_t display_width(const std::string& s) {
  return static_cast<size_t>(std::count_if(s.begin(), s.end(), starts_character));
}

std::string cut(const std::string& s, size_t characters) {
  if (display_width(s) <= characters) return s;
  const size_t keep = characters > 3 ? characters - 3 : characters;
  size_t bytes = 0;
  for (size_t seen = 0; bytes < s.size(); ++bytes)
    if (starts_character(s[bytes]) && seen++ == keep) break;
  return s.substr(0, bytes) + (characters > 3 ? "..." : "");
}

Table::Table(std::vector<Align> columns, unsigned indent, unsigned width)
    : columns_(std::move(columns)), indent_(indent), width_(width) {}

void Table::head(std::vector<std::string> cells) { head_ = std::move(cells); }
void Table::row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), {}});
}
void Table::line(std::string text) { rows_.push_back({{}, std::move(text)}); }

std::vector<bool> Table::shown(const std::vector<size_t>& widths) const {
  std::vector<bool> shown(columns_.size());
  size_t needed = indent_ + std::min(widths.back(), kLeastOfLast);
  for (size_t i = 0; i < columns_.size(); ++i) {
    shown[i] = widths[i] != 0;
    if (i + 1 != columns_.size() && shown[i]) needed += widths[i] + kBetween;
  }
  for (const size_t column : droppable_) {
    if (width_ == 0 || needed <= width_) break;
    if (!shown[column]) continue;
    shown[column] = false;
    needed -= column + 1 == columns_.size() ? std::min(widths.back(), kLeastOfLast) : widths[column] + kBetween;
  }
  return shown;
}

void Table::print(std::ostream& out, const Style& style) const {
  std::vector<size_t> widths(columns_.size());
  const auto measure = [&](const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], display_width(cells[i]));
  };
  measure(head_);
  for (const Row& row : rows_) measure(row.cells);
  const std::vector<bool> shown = this->shown(widths);

  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text(indent_, ' ');
    for (size_t i = 0; i < cells.size(); ++i) {
      if (!shown[i]) continue;
      if (text.size() > indent_) text.append(kBetween, ' ');
      const std::string pad(widths[i] - display_width(cells[i]), ' ');
      text += columns_[i] == Align::Right ? pad + cells[i] : cells[i] + pad;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return width_ == 0 ? text : cut(text, width_);
  };
  size_t before_last = indent_;
  for (size_t i = 0; i + 1 < columns_.size(); ++i)
    if (shown[i]) before_last += widths[i] + kBetween;
  const bool wraps = wraps_ && shown.back() && width_ >= before_last + kRoomForWords;
  if (!head_.empty()) out << style.bold(line(head_)) << '\n';
  for (const Row& row : rows_) {
    if (!wraps || row.cells.empty()) {
      out << (row.cells.empty() ? row.line : line(row.cells)) << '\n';
      continue;
    }
    std::vector<std::string> cells = row.cells;
    for (const std::string& part : wrapped(row.cells.back(), width_ - before_last)) {
      cells.back() = part;
      out << line(cells) << '\n';
      std::ranges::fill(cells, std::string());
    }
  }
}

std::vector<std::string> wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.size();
    if (width != 0 && end - at > width) {
      end = text.rfind(' ', at + width);
      if (end != text.npos && end > at && binds(std::string_view(text).substr(end + 1))) end = text.rfind(' ', end - 1);
      if (end == text.npos || end <= at) end = at + width;
    }
    lines.push_back(text.substr(at, end - at));
    at = end < text.size() && text[end] == ' ' ? end + 1 : end;
  }
  return lines;
}

void write_indented(std::ostream& out, const std::string& text, size_t indent, size_t width) {
  const size_t room = width == 0 ? 0 : std::max(width, indent + kLeastOfLast) - indent;
  for (const std::string& line : wrapped(text, room)) out << std::string(indent, ' ') << line << '\n';
}

std::string note(const std::string& text, size_t width) {
  constexpr std::string_view kMark = "==drywarp== ";
  const size_t room = width == 0 ? 0 : std::max(width, kMark.size() + kLeastOfLast) - kMark.size();
  std::string out;
  for (const std::string& line : wrapped(text, room))
    out += fmt::format("{}{}{}", out.empty() ? "" : "\n", kMark, line);
  return out;
}

std::vector<std::string> draw(const Chart& chart, bool unicode) {
  std::vector<std::string> lines;
  const std::string full_label = fmt::format("{:g}", chart.full), half_label = fmt::format("{:g}", chart.full / 2);
  const size_t scale = std::max(full_label.size(), half_label.size());
  for (unsigned line = chart.height; line-- > 0;) {
    const std::string label = line + 1 == chart.height ? full_label : line + 1 == chart.height / 2 ? half_label : "";
    std::string text = fmt::format("{:>{}} {}", label, scale, unicode ? (label.empty() ? "│" : "┤") : "|");
    for (const double value : chart.values) {
      const double share = chart.full > 0 ? value / chart.full : 0;
      // Every value above zero is visible.
      const double eighths = value > 0 ? std::max(share * chart.height * 8, unicode ? 1.0 : 4.0) : 0;
      text += cell(eighths, line, chart.column, unicode);
    }
    trim(text);
    lines.push_back(text);
  }
  const size_t width = chart.values.size() * chart.column;
  lines.push_back(fmt::format("{:>{}} {}{}", "0", scale, unicode ? "└" : "+", repeated(unicode ? "─" : "-", width)));
  const std::string margin(scale + 2, ' ');
  if (chart.marked) {
    lines.push_back(margin + std::string(*chart.marked * chart.column, ' ') + (unicode ? "▲" : "^"));
  }
  std::string labels;
  for (size_t i = 0; i < chart.labels.size() && i < chart.values.size(); ++i) {
    const size_t at = i * chart.column;
    const std::string& label = chart.labels[i];
    if (label.empty() || (!labels.empty() && at < labels.size() + kGap)) continue;
    labels += std::string(at - labels.size(), ' ') + label;
  }
  if (!labels.empty()) lines.push_back(margin + labels);
  return lines;
}

bool locale_is_utf8(const char* lc_all, const char* lc_ctype, const char* lang) {
  for (const char* name : {lc_all, lc_ctype, lang}) {
    if (!name || !*name) continue;
    std::string text(name);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace drywarp::report
