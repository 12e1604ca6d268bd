// Nsight Compute's pages, as text and CSV.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "base/support/result.h"
#include "faces/profilers/ncu/numbers.h"
#include "faces/profilers/ncu/results.h"

namespace drywarp::device {
struct DeviceSpec;
}

namespace drywarp::profilers::ncu {

enum class Page : uint8_t { Details, Raw, Source, Session };
Result<Page> parse_page(std::string_view text);
enum class MetricLabel : uint8_t { Label, Name, Both };
Result<MetricLabel> parse_metric_label(std::string_view text);

enum class Summary : uint8_t { None, PerKernel, PerGpu };

struct PageStyle {
  NumberStyle numbers;
  bool csv = false;
  MetricLabel label = MetricLabel::Label;
  Summary summary = Summary::None;
  bool bodies = false;  // the bodies of sections, too
};

void write_details(std::ostream& out, const Results& results, const PageStyle& style);
void write_raw(std::ostream& out, const Results& results, const PageStyle& style);
// Least, greatest and mean value over the launches of a kernel with one configuration.
void write_summary(std::ostream& out, const Results& results, const PageStyle& style);
// Counts by source line.
void write_source(std::ostream& out, const Results& results, const record::Profile& profile, const PageStyle& style);
// How the program was run, and on which device.
void write_session(std::ostream& out, const Results& results, const record::Profile& profile,
                   const device::DeviceSpec& device);

}  // namespace drywarp::profilers::ncu
