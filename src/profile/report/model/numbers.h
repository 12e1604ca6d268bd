// Numbers for people (text reports) and for programs (csv, json).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/events/counts.h"

namespace drywarp::report {

[[nodiscard]] std::string readable(double count);        // "9999", "1.234M", "0.5000", "12.35G"
[[nodiscard]] std::string readable_bytes(double bytes);  // "512B", "4.000KB", "1.500GB"; 1 KB = 1024 B, as nvprof's
[[nodiscard]] std::string readable_seconds(double s);    // "1.5000us", "21.347ms", "2.1000s"
[[nodiscard]] std::string readable_percent(double pct);  // "56.25%"
// By unit: percent, bytes, and counts. No value: "-".
[[nodiscard]] std::string readable_value(std::optional<double> value, std::string_view unit);
// The source of a kernel's registers: "estimate", "from cubin", ...
[[nodiscard]] std::string readable_source(ResourceSource source);
// "1 block", "2 blocks"
[[nodiscard]] std::string plural(uint64_t n, std::string_view word);
// All digits, without an exponent for integers. No value: empty.
[[nodiscard]] std::string full(std::optional<double> value);

// RFC 4180: quoted where needed, quotes doubled.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace drywarp::report
