// Columns and headings that the pages share.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

#include "faces/profilers/ncu/pages.h"

namespace drywarp::profilers::ncu {

// Values: right-aligned behind the first column, with rules of dashes around the heading and at the end. Raw: the same
// with one rule, below the heading. List: left-aligned, with rules around the heading.
enum class TableStyle : uint8_t { Values, Raw, List };
struct TextTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows = {};
  TableStyle style = TableStyle::Values;
  void print(std::ostream& out, size_t indent) const;
};

[[nodiscard]] std::string extent(const record::Extent& e);  // "(64, 64, 1)"
// "[1038] transpose@127.0.0.1"
void write_process(std::ostream& out, const Results& results);
// "  copy(float*) (64, 64, 1)x(32, 32, 1), Context 1, Stream 7, Device 0, CC 9.0"
void write_kernel(std::ostream& out, const Results& results, const KernelResult& kernel);
[[nodiscard]] std::string label_of(const Value& value, MetricLabel label);

// Every cell in quotes.
void write_cells(std::ostream& out, const std::vector<std::string>& cells, bool open_end = false);
// The cells that identify a result in CSV, and their heading.
[[nodiscard]] std::vector<std::string> id_heading();
[[nodiscard]] std::vector<std::string> id_cells(const Results& results, const KernelResult& kernel);

inline constexpr const char* kHost = "127.0.0.1";

}  // namespace drywarp::profilers::ncu
