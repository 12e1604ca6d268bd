// Columns and headings that the pages share.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

#include "faces/profilers/ncu/pages.h"

namespace drywarp::profilers::ncu {

// A table whose first column is left-aligned, the others right-aligned and at least `least` wide. Rules of dashes stand
// around the heading and at the end, or below the heading only.
struct TextTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows = {};
  bool framed = true;
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
