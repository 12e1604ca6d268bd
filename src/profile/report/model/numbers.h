// Numbers for people (text reports) and for programs (csv, json).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/events/counts.h"
#include "base/support/plural.h"

namespace drywarp::report {

[[nodiscard]] std::string readable(double count);        // "9999", "1.234M", "0.5000", "12.35G"
[[nodiscard]] std::string readable_bytes(double bytes);  // "512 B", "4.000 KB", "1.500 GB"; 1 KB = 1024 B, as nvprof's
[[nodiscard]] std::string readable_seconds(double s);    // "1.50 us", "21.3 ms", "2.10 s"
[[nodiscard]] std::string readable_percent(double pct);  // "56.25 %"
[[nodiscard]] std::string readable_rate(double rate, std::string_view unit);  // "106.8 GB/s" of 1.068e11 "B/s"
// With its unit: "56.25 %", "20.0 us", "106.8 GB/s", "4 sectors/request", "12.35M inst". No value: "-".
[[nodiscard]] std::string readable_value(std::optional<double> value, std::string_view unit);
// The unit of a value: "sector" for 1, "sectors" otherwise, "sectors/request"; "%" and "inst" have no plural.
[[nodiscard]] std::string unit_for(double value, std::string_view unit);
// Whether readable_value() scales the unit, so that it belongs to each number: "%", "ns", "byte", "byte/s".
[[nodiscard]] bool scales(std::string_view unit);
// A kernel's name without return type and parameters: "reduce<4>" for "void reduce<4>(int const*, int)".
[[nodiscard]] std::string short_name(const std::string& display_name);
// The source of a kernel's registers: "estimate", "from cubin", ...
[[nodiscard]] std::string readable_source(ResourceSource source);
using drywarp::plural;
// All digits, without an exponent for integers. No value: empty.
[[nodiscard]] std::string full(std::optional<double> value);

// RFC 4180: quoted where needed, quotes doubled.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace drywarp::report
