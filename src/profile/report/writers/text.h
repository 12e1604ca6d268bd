// The pages of the text report, and the parts that they share. Each only lays out the model.
#pragma once

#include <iosfwd>

#include "profile/report/model/model.h"
#include "profile/report/writers/layout.h"
#include "profile/report/writers/report.h"

namespace drywarp::report {

// The first page: one line a kernel, then at most a screen for each.
void write_overview(std::ostream& out, const ReportModel& model, const ReportOptions& options);
// Which kernels stand in for those of NVIDIA's libraries.
void write_replaced_libraries(std::ostream& out, const ReportModel& model, unsigned width);
// How the program ended, if not well, and the launches that stopped.
void write_program_end(std::ostream& out, const ReportModel& model, const Style& style, unsigned width);
// What checks found in the run: a line for each of the first `most` findings, or without `most` all of them in full.
// Nothing if the run was not checked.
void write_findings(std::ostream& out, const ReportModel& model, std::optional<size_t> most, const Style& style,
                    unsigned width);
// A row for each launch: time, limiter, efficiencies, size.
void write_launches(std::ostream& out, const ReportModel& model, const ReportOptions& options);
// The selected metrics of each launch, in as many tables as their columns need.
void write_launch_metrics(std::ostream& out, const ReportModel& model, const ReportOptions& options);
// "2 launches of 64x64 blocks of 256 threads"; "3 launches of several sizes"
[[nodiscard]] std::string launches_text(const ReportModel& model, uint32_t kernel);
[[nodiscard]] std::string extent_text(const record::Extent& extent);  // "64", "64x64", "8x8x4"
// "memory: L2", "latency", "small grid"; "-" without a time
[[nodiscard]] std::string limiter_text(const advice::Verdict* verdict);
// The kernel's whole name in lines of at most `width`.
[[nodiscard]] std::string kernel_title(const KernelModel& kernel, unsigned width);
// The most valuable advice on a kernel in a few words: "~4.1x  t.cu:7: coalesce the loads of m"; empty: there is
// none.
[[nodiscard]] std::string first_advice(const KernelModel& kernel);
// The barriers that not every thread reached; nothing if all did.
void write_barriers(std::ostream& out, const KernelModel& kernel, const ReportOptions& options);
// At most `most` pieces of advice that are worth it, with their gains, lines and the command that shows more; without
// `most`, all of it in full. Then how near the kernel is to a limit, if nothing is worth it.
void write_advice(std::ostream& out, const KernelModel& kernel, std::optional<size_t> most,
                  const ReportOptions& options);
// The same on the whole run, if there is any.
// Of all kernels and copies; nothing if the profile does not know it.
void write_time_line(std::ostream& out, const ReportModel& model, const ReportOptions& options);
void write_run_advice(std::ostream& out, const ReportModel& model, std::optional<size_t> most,
                      const ReportOptions& options);
// The page of details: nvprof's summary, the counters of each kernel, and the costliest lines.
void write_details(std::ostream& out, const ReportModel& model, const ReportOptions& options);
// Every source line of each kernel.
void write_source_page(std::ostream& out, const ReportModel& model, const ReportOptions& options);
// The modelled times in text: their conventions, a summary, and for one kernel the limiter, the roofline, the lines
// where its warps stall and its regions. Nothing for a kernel without times.
void write_time_conventions(std::ostream& out, const ReportModel& model, unsigned width);
void write_time_summary(std::ostream& out, const ReportModel& model, const Style& style, unsigned width);
void write_limiter(std::ostream& out, const KernelModel& kernel, const Style& style, unsigned width);
void write_stalled_lines(std::ostream& out, const KernelModel& kernel, const ReportOptions& options,
                         const Style& style);
// The regions between barriers, and those of --region.
void write_regions(std::ostream& out, const KernelModel& kernel, const ReportOptions& options, const Style& style);
void write_kernel_time(std::ostream& out, const KernelModel& kernel, const ReportOptions& options, const Style& style);
// --metrics: for each kernel the average, minimum and maximum over its launches; with --launches each launch's value.
void write_metric_table(std::ostream& out, const ReportModel& model, const ReportOptions& options);

}  // namespace drywarp::report
