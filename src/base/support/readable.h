// Numbers for people, with a few significant digits and a unit that fits.
#pragma once

#include <string>
#include <string_view>

namespace drywarp {

[[nodiscard]] std::string readable(double count);        // "9999", "1.234M", "0.5000", "12.35G"
[[nodiscard]] std::string readable_bytes(double bytes);  // "512 B", "4.000 KB", "1.500 GB"; 1 KB = 1024 B, as nvprof's
[[nodiscard]] std::string readable_seconds(double s);    // "1.50 us", "21.3 ms", "2.10 s"
[[nodiscard]] std::string readable_percent(double pct);  // "56.25 %"
[[nodiscard]] std::string readable_rate(double rate, std::string_view unit);  // "106.8 GB/s" of 1.068e11 "B/s"

// A number that a double holds as an integer.
[[nodiscard]] bool whole(double v);

}  // namespace drywarp
