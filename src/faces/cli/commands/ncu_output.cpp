#include "faces/cli/commands/ncu_output.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/events/kernel_name.h"
#include "base/events/launch_filter.h"
#include "faces/cli/options/console.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::cli {

Status NcuOutput::open() {
  const bool to_file = !file_.empty() && file_ != "stdout" && file_ != "stderr";
  return to_file ? output_.open(file_) : Status();
}

Status NcuOutput::write(const std::string& text) {
  if (file_ == "stderr") return say(text), Status();
  output_.begin().clear();  // a write that failed before fails again if its reason is still there
  output_.begin() << text;
  return output_.finish();
}

void ProfilingLines::hear(const cuda::Announcement& what) {
  std::string line;
  if (what.kind == cuda::Announcement::Kind::Process) {
    std::error_code unknown;
    const auto program = std::filesystem::absolute(executable_of(what.text), unknown).lexically_normal();
    line = fmt::format("==PROF== Connected to process {} ({})\n", what.number, program.string());
    processes_.push_back(what.number);
    launches_ = 0;
  } else {
    line = profiling_line(options_, what, launches_++);
  }
  const bool shown = !options_.quiet && (what.kind == cuda::Announcement::Kind::Process || !options_.csv);
  if (!shown) return;
  if (captured_) captured_->drain();
  (void)output_.write(line);  // the pages after it fail too, and that is said
}

std::string ProfilingLines::disconnected() const {
  std::string text;
  for (const uint64_t process : processes_)
    if (!options_.quiet) text += fmt::format("==PROF== Disconnected from process {}\n", process);
  return text;
}

std::string profiling_line(const NcuOptions& options, const cuda::Announcement& launch, uint64_t id) {
  const std::string function = function_name(launch.text);
  const bool by_name = options.kernel && !options.kernel->empty();
  // A --kernel-id of a name alone is like -k.
  const bool by_id = options.kernel_id && !(options.kernel_id->starts_with("::") && options.kernel_id->ends_with(':'));
  std::string name = function, number;
  if (by_id)
    name = fmt::format("1:{}:{}:{}", stream_number(launch.stream), function, launch.number);
  else if (!by_name && !options.kernel_id)
    number = options.count > 0 ? fmt::format(" - {} ({}/{})", id, id + 1, options.count) : fmt::format(" - {}", id);
  return fmt::format("==PROF== Profiling \"{}\"{}: 0%....50%....100% - 1 pass\n", name, number);
}

std::string executable_of(const std::string& line) {
  const std::vector<std::string> words = compile::unquoted(line);
  return words.empty() ? "" : words.front();
}

}  // namespace drywarp::cli
