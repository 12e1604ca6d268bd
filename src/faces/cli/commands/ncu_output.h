// What `drywarp ncu` writes besides pages: where it goes, and the lines of ==PROF== while the program runs.
#pragma once

#include <string>
#include <vector>

#include "cuda/launch/announcer.h"
#include "faces/cli/commands/ncu_options.h"
#include "faces/cli/targets/captured_output.h"
#include "faces/cli/targets/output_file.h"

namespace drywarp::cli {

// Where Nsight Compute's lines go: standard output, or --log-file.
class NcuOutput {
 public:
  explicit NcuOutput(std::string file) : file_(std::move(file)) {}
  Status open();
  Status write(const std::string& text);

 private:
  std::string file_;
  ReportOutput output_;
};

// "==PROF== Profiling ..." of each launch, between the lines that the program writes before and after it.
class ProfilingLines {
 public:
  // `captured`: gets the program's output; null: nobody does.
  ProfilingLines(const NcuOptions& options, NcuOutput& output, CapturedOutput* captured)
      : options_(options), output_(output), captured_(captured) {}
  void hear(const cuda::Announcement& what);
  // After the program's end.
  [[nodiscard]] std::string disconnected() const;

 private:
  const NcuOptions& options_;
  NcuOutput& output_;
  CapturedOutput* captured_;
  uint64_t launches_ = 0;  // of the last process
  std::vector<uint64_t> processes_;
};

// The line of one launch. `id`: of the launches that are profiled, from 0.
[[nodiscard]] std::string profiling_line(const NcuOptions& options, const cuda::Announcement& launch, uint64_t id);

// The program of a command line as `record::Profile` keeps it.
[[nodiscard]] std::string executable_of(const std::string& command_line);

}  // namespace drywarp::cli
