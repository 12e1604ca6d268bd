// Numbers for people (text reports) and for programs (csv, json).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/events/counts.h"
#include "base/support/plural.h"
#include "base/support/readable.h"

namespace drywarp::report {

using drywarp::readable;
using drywarp::readable_bytes;
using drywarp::readable_percent;
using drywarp::readable_rate;
using drywarp::readable_seconds;
// With its unit: "56.25 %", "20.0 us", "106.8 GB/s", "4 sectors/request", "12.35M inst". No value: "-".
[[nodiscard]] std::string readable_value(std::optional<double> value, std::string_view unit);
// The unit of a value: "sector" for 1, "sectors" otherwise, "sectors/request"; "%" and "inst" have no plural.
[[nodiscard]] std::string unit_for(double value, std::string_view unit);
// Whether readable_value() scales the unit, so that it belongs to each number: "%", "ns", "byte", "byte/s".
[[nodiscard]] bool scales(std::string_view unit);
// A kernel's name without return type and parameters: "reduce<4>" for "void reduce<4>(int const*, int)".
[[nodiscard]] std::string short_name(const std::string& display_name);
// The same for a column of tables: a long name is without its namespaces, which would be all of it that fits
// ("DeviceScanKernel<..." in CUB's). Kernels of drywarp's libraries keep them: they say what these are.
[[nodiscard]] std::string name_in_table(const std::string& display_name);
// The library of NVIDIA's in whose place a kernel of drywarp's ran ("cuBLAS"), by its mangled name: such kernels lie in
// namespaces drywarp::cublas and so on, which no program uses. Empty: the kernel is the program's.
[[nodiscard]] std::string_view replaced_library(std::string_view mangled);
// The source of a kernel's registers: "estimate", "from cubin", ...
[[nodiscard]] std::string readable_source(ResourceSource source);
using drywarp::plural;
// All digits, without an exponent for integers. No value: empty.
[[nodiscard]] std::string full(std::optional<double> value);

// RFC 4180: quoted where needed, quotes doubled.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace drywarp::report
