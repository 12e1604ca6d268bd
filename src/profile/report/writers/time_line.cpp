// The whole run in a few lines: how long, how much at the same time, what its end waited for.
#include <fmt/format.h>

#include <array>
#include <ostream>

#include "base/support/plural.h"
#include "profile/report/writers/layout.h"
#include "profile/report/writers/text.h"

namespace drywarp::report {
namespace {

using timeline::Kind;

// By timeline::Kind; the last two are the critical path's alone.
constexpr std::array<const char*, timeline::kKinds> kWords = {
    "kernels", "copies to the device", "copies to the host", "copies inside the device", "memsets",
    "gaps",    "the host's calls"};

std::string parts_text(const std::array<double, timeline::kKinds>& ns, double whole) {
  std::string out;
  for (unsigned kind = 0; kind < timeline::kKinds; ++kind)
    if (const double percent = 100 * ns[kind] / whole; percent >= 0.5)
      out += fmt::format("{}{} {:.0f} %", out.empty() ? "" : ", ", kWords[kind], percent);
  return out;
}

}  // namespace

void write_time_line(std::ostream& out, const ReportModel& model, const ReportOptions& options) {
  if (!model.time_line || !model.any_time()) return;
  const timeline::Totals& t = model.time_line->totals;
  if (t.whole_ns <= 0) return;
  out << '\n' << Style{options.colour}.bold("Time line of the whole run, modelled") << '\n';
  std::string text =
      fmt::format("{} on the GPU; busy: {}.", readable_seconds(1e-9 * t.whole_ns), parts_text(t.busy_ns, t.whole_ns));
  // A hundredth of the time cannot be told from rounding.
  if (t.possible_ns > 0.01 * t.whole_ns)
    text += t.together_ns < 1
                ? " Copies and kernels do not overlap."
                : fmt::format(" Copies and kernels overlap for {}, {:.0f} % of what could overlap.",
                              readable_seconds(1e-9 * t.together_ns), 100 * t.together_ns / t.possible_ns);
  write_indented(out, text, 2, options.width);
  write_indented(out, "Critical path: " + parts_text(t.critical_ns, t.whole_ns) + ".", 2, options.width);
  if (t.busy_ns[unsigned(timeline::Kind::Kernel)] > 0)
    write_indented(
        out,
        "A kernel's time here is that in the program, where the L2 holds what was left there. Its time above "
        "is ncu's, with cold caches.",
        2, options.width);
  if (const uint64_t n = model.time_line->untimed; n != 0)
    write_indented(out,
                   fmt::format("{} without a time {} none here.", plural(n, "operation"), n == 1 ? "takes" : "take"), 2,
                   options.width);
}

}  // namespace drywarp::report
