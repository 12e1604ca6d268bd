// The modelled times in the text report, marked as modelled.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <tuple>

#include "profile/report/model/numbers.h"
#include "profile/report/writers/text.h"

namespace drywarp::report {
namespace {

using enum Table::Align;

// Which share was simulated and what was extrapolated.
std::string sampling(const KernelModel& kernel) {
  const KernelTime& time = *kernel.time;
  const sm::Summary& s = time.summary;
  std::string text = fmt::format("modelled: {} of {}", plural(time.seconds.count, "launch"), kernel.calls);
  if (time.simulated < time.seconds.count)
    text += fmt::format(" ({} simulated, the others are identical)", time.simulated);
  const double share = s.simulated_sms > 0 && s.simulated_sms < s.sms ? s.simulated_sms / s.sms : 1;
  const advice::Range& sms = time.simulated_sms;
  if (share < 1)
    text +=
        fmt::format("; simulated {} of {} SMs with their share of L2 and DRAM",
                    sms.is_one() ? fmt::format("{}", sms.least) : fmt::format("{} to {}", sms.least, sms.most), s.sms);
  const double theirs = std::max(std::round(s.blocks * share), 1.0), ran = s.simulated_blocks / theirs;
  // Each launch's share is rounded to whole blocks.
  if (ran < 0.99 && s.simulated_blocks + 1 < theirs)
    text += fmt::format("; {:.1f} % of {} blocks ran ({} of {}), the rest extrapolated", 100 * ran,
                        share < 1 ? "their" : "the", readable(s.simulated_blocks), readable(theirs));
  else
    text += share < 1 ? "; all of their blocks ran" : "; every block ran";
  return text;
}

std::string place(const std::string& file, uint32_t line) {
  const size_t slash = file.rfind('/');
  return line == 0 ? "(no line)" : fmt::format("{}:{}", slash == file.npos ? file : file.substr(slash + 1), line);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string stalls(const PartTime& part, size_t most) {
  std::vector<std::string> texts;
  for (const StallShare& s : largest_stalls(part, most))
    texts.push_back(fmt::format("{} {:.0f} %", sm::name(s.stall), 100 * s.share));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void write_rooflines(std::ostream& out, const KernelTime& time, const Style& style) {
  if (time.rooflines.empty()) return;
  out << "  " << style.bold("Roofline (PTX's operations, modelled time and bytes)") << '\n';
  for (const Roofline& r : time.rooflines) {
    out << fmt::format("    {}: ~{}, {:.2f} % of the peak of {}\n", r.title, readable_rate(r.achieved, "FLOP/s"),
                       100 * r.achieved / r.peak, readable_rate(r.peak, "FLOP/s"));
    for (const RooflineLevel& l : r.levels) {
      if (l.intensity == 0) continue;
      out << fmt::format("      {:4} ~{} FLOP/byte, {} the ridge at {}: at most {}\n", l.title, readable(l.intensity),
                         r.memory_side(l) ? "left of" : "right of", readable(l.ridge), readable_rate(l.roof, "FLOP/s"));
    }
  }
  for (const std::string& line : draw(time.rooflines.front())) out << "    " << line << '\n';
  out << style.dim("    D, 2, 1: by the bytes of DRAM, L2, L1; / and . are the roofs of DRAM and L1") << '\n';
}

}  // namespace

void write_regions(std::ostream& out, const KernelModel& kernel, const ReportOptions& options, const Style& style) {
  if (kernel.regions.empty()) return;
  out << "  " << style.bold("Regions") << '\n';
  Table table({Left, Left, Right, Right, Right, Right, Right, Left}, 4, options.width);
  table.may_drop({4, 6, 5, 2});
  table.head({"From", "Lines", "Time", "Time", "Warp inst", "Sectors", "Wavefronts", "In"});
  for (const RegionModel& r : kernel.regions) {
    const std::string lines = r.first_line == r.last_line
                                  ? place(r.file, r.first_line)
                                  : fmt::format("{}-{}", place(r.file, r.first_line), r.last_line);
    table.row({r.name, lines, kernel.time ? "~" + percent(r.time.share) : "-",
               kernel.time ? "~" + readable_seconds(r.time.seconds) : "-", readable(double(r.sums.all().warps)),
               readable(double(r.sums.sectors())), readable(double(r.sums.wavefronts())), stalls(r.time, 1)});
  }
  table.print(out, style);
}

void write_stalled_lines(std::ostream& out, const KernelModel& kernel, const ReportOptions& options,
                         const Style& style) {
  std::vector<const LineModel*> lines;
  for (const LineModel& l : kernel.lines)
    if (l.line != 0 && l.time.share > 0) lines.push_back(&l);
  if (lines.empty() || options.lines == 0) return;
  std::ranges::sort(lines, [](const LineModel* a, const LineModel* b) {
    if (a->time.share != b->time.share) return a->time.share > b->time.share;
    return std::tie(a->file, a->line) < std::tie(b->file, b->line);
  });
  const size_t shown = std::min<size_t>(options.lines, lines.size());
  out << "  " << style.bold(fmt::format("Lines where warps spend their time ({} of {})", shown, lines.size())) << '\n';
  Table table({Right, Left, Left, Left}, 4, options.width);
  table.head({"Time", "Line", "In", "Source"});
  const size_t most = options.width != 0 && options.width < 110 ? 1 : 3;
  for (size_t i = 0; i < shown; ++i)
    table.row({"~" + percent(lines[i]->time.share), place(lines[i]->file, lines[i]->line), stalls(lines[i]->time, most),
               lines[i]->source});
  table.print(out, style);
}

void write_time_conventions(std::ostream& out, const ReportModel& model, unsigned width) {
  const sm::Summary* s = model.any_time();
  if (!s) {
    out << note("No GPU time was modelled.", width) << '\n';
    return;
  }
  out << note(fmt::format(
                  "GPU times (~) are modelled: {:.0f} SMs at {:.0f} MHz, each kernel alone, cold caches, launch "
                  "overhead {}.",
                  s->sms, s->sm_clock_hz * 1e-6,
                  s->launch_overhead_ns > 0 ? fmt::format("({}) in", readable_seconds(s->launch_overhead_ns * 1e-9))
                                            : "not in"),
              width)
      << '\n';
  std::vector<std::string> stand_ins;
  for (const machine::StandIn& i : model.stand_ins) stand_ins.push_back(fmt::format("{}: {}", i.number, i.by));
  if (!stand_ins.empty())
    out << note(fmt::format("Not published for this device; modelled times use stand-ins: {}.",
                            fmt::join(stand_ins, "; ")),
                width)
        << '\n';
}

void write_time_summary(std::ostream& out, const ReportModel& model, const Style& style, unsigned width) {
  for (const auto& [why, n] : model.untimed)
    out << style.yellow(note(fmt::format("{} of {} without a time: {}", plural(n.launches, "launch"),
                                         plural(n.kernels, "kernel"), why),
                             width))
        << '\n';
  if (!model.any_time()) return;
  out << style.bold("Kernels: modelled time") << '\n';
  Table table({Right, Right, Right, Right, Right, Right, Left}, 1, width);
  table.may_drop({4, 3});
  table.head({"Share", "Time", "Launches", "Avg", "Min", "Max", "Kernel"});
  const auto time = [](double seconds) { return "~" + readable_seconds(seconds); };
  for (const KernelModel& k : model.kernels) {
    if (!k.time) continue;
    const Tally& t = k.time->seconds;
    table.row({readable_percent(100 * k.time->share), time(t.total), fmt::format("{}", t.count), time(t.avg()),
               time(t.min), time(t.max), name_in_table(k.name)});
  }
  table.print(out, style);
  out << '\n';
}

void write_limiter(std::ostream& out, const KernelModel& kernel, const Style& style, unsigned width) {
  if (!kernel.time || !kernel.time->limiter) return;
  const advice::Verdict& v = *kernel.time->limiter;
  out << "  " << style.bold("Limiter (modelled)") << '\n';
  write_indented(out, v.text, 4, width);
}

void write_kernel_time(std::ostream& out, const KernelModel& kernel, const ReportOptions& options, const Style& style) {
  for (const auto& [why, n] : kernel.untimed)
    write_indented(out, fmt::format("{} without a time: {}", plural(n, "launch"), why), 4, options.width);
  if (kernel.time) {
    write_indented(out, sampling(kernel), 4, options.width);
    write_rooflines(out, *kernel.time, style);
    write_stalled_lines(out, kernel, options, style);
  }
  write_regions(out, kernel, options, style);
}

}  // namespace drywarp::report
