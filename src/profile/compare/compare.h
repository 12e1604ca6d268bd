// Compares profiles kernel by kernel and line by line: the first against each of the others.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profile/compare/match.h"
#include "profile/record/profile.h"
#include "profile/report/model/model.h"

namespace drywarp::compare {

enum class Judgement { Same, Better, Worse, Different, Unknown };  // Different: neither value is the better one
[[nodiscard]] const char* name(Judgement judgement);

// A quantity in each profile; nullopt: there is none. Judgements are of the first against each.
struct Values {
  std::vector<std::optional<double>> values;
  std::vector<Judgement> judgements;
};

struct ComparedMetric {
  const metrics::Metric* metric = nullptr;
  Values values;
};

struct LinePlace {
  std::string file;
  uint32_t line = 0;  // 0 with a file "": instructions without a source line
  std::string source;
};

struct ComparedLine {
  std::vector<std::optional<LinePlace>> places;  // in each profile
  Values seconds;                                // modelled, a launch
  std::vector<ComparedMetric> metrics;           // of all launches; only those with a difference
};

struct ComparedKernel {
  std::vector<const report::KernelModel*> kernels;  // in each profile; null: it has no such kernel
  std::vector<Match> matches;                       // of the first's with each
  Values seconds;                                   // modelled, the mean of a launch
  std::vector<std::optional<double>> speedups;      // of each over the first
  std::vector<bool> limiter_moved;
  std::vector<ComparedMetric> metrics;  // the mean of a launch; only those with a difference
  std::vector<ComparedLine> lines;      // the largest change of time first; only those with a difference
};

struct ComparedProfile {
  std::string name;  // of the file
  const record::Profile* profile = nullptr;
  const report::ReportModel* model = nullptr;
};

struct Comparison {
  std::vector<ComparedProfile> profiles;
  std::vector<ComparedKernel> kernels;  // of the first profile in its order, then those that it lacks
  Values seconds;                       // modelled, of all launches; none if a launch has no time
};

struct CompareOptions {
  std::vector<Renaming> renamings;
  std::vector<metrics::Selected> metrics;  // empty: those of judged_metrics.def
  double tolerance = 0.01;                 // modelled values that differ by a smaller share are the same
};

// The models need lines, and their selection must be selection_for(options). Fails if a renaming names no kernel.
Result<Comparison> compare_profiles(std::vector<ComparedProfile> profiles, const CompareOptions& options);
[[nodiscard]] std::vector<metrics::Selected> selection_for(const CompareOptions& options);

// "memory (l2)"; empty: not known.
[[nodiscard]] std::string limiter_of(const report::KernelModel* kernel);

}  // namespace drywarp::compare
