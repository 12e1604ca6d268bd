#include "profile/report/writers/table.h"

#include <algorithm>
#include <ostream>

namespace drywarp::report {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

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
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out, const Style& style) const {
  std::vector<size_t> widths(columns_.size());
  const auto measure = [&](const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], display_width(cells[i]));
  };
  measure(head_);
  for (const auto& row : rows_) measure(row);

  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text(indent_, ' ');
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) text += "  ";
      const bool last = i + 1 == columns_.size();
      std::string cell = cells[i];
      const size_t used = display_width(text);
      if (last && width_ != 0) cell = cut(cell, width_ > used + 16 ? width_ - used : 16);
      const size_t pad = widths[i] - std::min(widths[i], display_width(cell));
      if (columns_[i] == Align::Right)
        text += std::string(pad, ' ') + cell;
      else
        text += cell + (last ? "" : std::string(pad, ' '));
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  if (!head_.empty()) out << style.bold(line(head_)) << '\n';
  for (const auto& row : rows_) out << line(row) << '\n';
}

}  // namespace drywarp::report
