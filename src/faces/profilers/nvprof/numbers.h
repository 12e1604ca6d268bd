// Numbers as nvprof writes them: five significant digits and a unit in tables, six decimals in a column's unit in CSV.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace drywarp::profilers::nvprof {

[[nodiscard]] std::string readable_time(double seconds);     // "832ns", "1.1550us", "690.72us", "3.16810s", "2.4e+03s"
[[nodiscard]] std::string readable_size(double bytes);       // "0B", "195.31KB", "4.0000KB", "16.000MB": 1 KB is 1024 B
[[nodiscard]] std::string readable_rate(double per_second);  // "0.00000B/s", "762.94KB/s", "9.3842GB/s"

// One unit for a whole column.
struct Unit {
  const char* name;  // "us", "KB", "GB/s"
  double scale;      // of a second, a byte or a byte a second
};
enum class Quantity : uint8_t { Time, Size, Rate };

// --normalized-time-unit. Auto: each value has its own; in CSV the same as Column.
enum class TimeUnit : uint8_t { Auto, Column, S, Ms, Us, Ns };
[[nodiscard]] std::optional<TimeUnit> parse_time_unit(std::string_view word);  // "s", "ms", "us", "ns", "col", "auto"

// The largest unit of which the largest value is at least one.
[[nodiscard]] Unit unit_for(Quantity quantity, double largest);
// The unit of a column of times.
[[nodiscard]] Unit time_unit(TimeUnit wanted, double largest);

}  // namespace drywarp::profilers::nvprof
