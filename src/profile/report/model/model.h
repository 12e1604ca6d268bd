// The report model: every figure of a report, computed once from a Profile. Writers only lay it out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/events/barriers_by_line.h"
#include "profile/advice/advice.h"
#include "profile/advice/limiter.h"
#include "profile/metrics/evaluate.h"
#include "profile/record/profile.h"
#include "profile/record/time_line.h"
#include "profile/report/model/parts.h"
#include "profile/report/model/roofline.h"

namespace drywarp::report {

// Count, total, minimum and maximum of a quantity.
struct Tally {
  uint64_t count = 0;
  double total = 0, min = 0, max = 0;
  void add(double value);
  [[nodiscard]] double avg() const { return count == 0 ? 0 : total / static_cast<double>(count); }
};

struct LineModel {
  std::string file;  // empty: instructions without a source line
  uint32_t line = 0;
  std::string source;  // its text; empty if the file cannot be read
  metrics::Sums sums;
  // Shares of the kernel's warp instructions, sectors, wavefronts and divergent branches, 0 to 1.
  double instructions_share = 0, sectors_share = 0, wavefronts_share = 0, divergent_share = 0;
  double cost = 0;  // mean of the shares whose total is not zero; lines are ordered by it
  PartTime time;
};

struct InstructionModel {
  uint32_t ptx_line = 0, line = 0;
  std::string file, text;
  const InstructionInfo* info = nullptr;  // not owned
  const AccessSample* sample = nullptr;   // its costliest access, if it was sampled; not owned
  metrics::Sums sums;
  PartTime time;
};

// The modelled time of a kernel's launches.
struct KernelTime {
  Tally seconds;                            // of the launches with a time
  double share = 0;                         // of all kernels' modelled time, 0 to 1
  uint64_t simulated = 0;                   // simulated launches; the others are identical to one of them
  sm::Summary summary;                      // of all of them together
  advice::Range simulated_sms;              // per launch
  metrics::Sums sums;                       // their counts
  PartTime parts;                           // all instructions
  std::vector<machine::StandIn> stand_ins;  // each once
  std::vector<Roofline> rooflines;
  std::optional<advice::Verdict> limiter;
};

// The launches of one kernel. Launches without counters only add to `calls`.
struct KernelModel {
  std::string name, mangled;
  uint64_t calls = 0, counted = 0, faults = 0;
  uint32_t registers = 0;
  ResourceSource registers_from = ResourceSource::Estimate;
  uint64_t static_shared_bytes = 0, local_bytes = 0;
  Tally warp_instructions;        // of the counted launches
  double instructions_share = 0;  // of all kernels' warp instructions, 0 to 1
  Tally host_seconds;
  // The launch that takes longest; without times, the one with the most blocks. Not owned; null: none was counted.
  const record::LaunchRecord* costliest = nullptr;
  std::optional<KernelTime> time;           // none: no launch has one
  std::map<std::string, uint64_t> untimed;  // launches without the requested time, by reason
  metrics::Sums total;
  std::vector<metrics::Spread> spreads;        // parallel to ReportModel::selection
  std::vector<std::optional<double>> totals;   // metrics of all launches together; parallel to selection
  std::vector<LineModel> lines;                // the costliest first
  std::vector<InstructionModel> instructions;  // in PTX order; only on request
  std::vector<RegionModel> regions;            // between barriers, then requested ranges of lines
  std::vector<BarrierOfLine> barriers;         // that not every thread reached, by line
  std::vector<advice::Advice> advice;          // the largest gain first; only on request
};

struct LaunchModel {
  const record::LaunchRecord* record = nullptr;  // not owned
  size_t index = 0;                              // into Profile::launches
  uint32_t kernel = 0;                           // index into ReportModel::kernels
  const KernelInfo* info = nullptr;
  std::vector<std::optional<double>> values;       // parallel to ReportModel::selection
  bool simulated = false;                          // has a time, and is the first launch with it
  std::shared_ptr<const advice::Verdict> limiter;  // null: no time
};

struct TransferModel {
  record::TransferKind kind{};
  Tally bytes, host_seconds;
  double share = 0;  // of all bytes, 0 to 1
};
struct ApiModel {
  std::string name;
  Tally host_seconds;
  double share = 0;  // of the time in all calls, 0 to 1
};

struct Untimed {
  uint64_t launches = 0, kernels = 0;
};

struct ReportModel {
  const record::Profile* profile = nullptr;
  std::vector<metrics::Selected> selection;   // the metrics of values, spreads and totals
  std::vector<KernelModel> kernels;           // the most modelled time first, then the most warp instructions
  std::vector<LaunchModel> launches;          // in order of issue
  std::vector<TransferModel> transfers;       // the most bytes first
  std::vector<ApiModel> api;                  // the most time first
  std::optional<record::TimeLine> time_line;  // of the whole run; nothing: not known, or not all kernels are shown
  std::vector<advice::Advice> advice;         // on the whole run, the largest gain first; only on request
  std::map<std::string, Untimed> untimed;     // launches without the requested time, by reason
  std::vector<machine::StandIn> stand_ins;    // of all kernels, each once, in their order

  // The time of any kernel, for what all have in common; null: none has one.
  [[nodiscard]] const sm::Summary* any_time() const;
};

struct ModelOptions {
  std::vector<metrics::Selected> selection;  // metrics::select() or metrics::available()
  bool lines = true;
  bool instructions = false;
  bool advice = false;
  std::vector<LineRange> regions;                       // in addition to those between barriers
  std::function<bool(const std::string& name)> kernel;  // whether to show a kernel; not set: every one
  // The text of a source line; empty if unknown. Not set: read from disk.
  std::function<std::string(const std::string& file, uint32_t line)> source;
};

// `profile` must outlive the model.
[[nodiscard]] ReportModel build_model(const record::Profile& profile, const ModelOptions& options);

[[nodiscard]] const char* name(record::TransferKind kind);  // "HtoD"

}  // namespace drywarp::report
