#include "faces/cli/targets/sweep_runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <thread>

#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/ptx_arguments.h"
#include "faces/compile/nvcc_options/process.h"
#include "sweep/cluster/slurm_runner.h"
#include "sweep/plan/search.h"
#include "sweep/runs/local_runner.h"

namespace drywarp::cli {
namespace {

namespace fs = std::filesystem;

uint64_t memory_of_machine() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string slurm_folder(const std::string& file) { return fs::absolute(file + ".slurm").lexically_normal().string(); }

// Bytes of a row that --memory allows; 0: no bound.
Result<uint64_t> row_memory(const SweepRunOptions& o, unsigned jobs) {
  if (o.memory.empty()) return o.slurm.empty() ? memory_of_machine() / 4 * 3 / jobs : uint64_t{0};
  const auto bytes = parse_size(o.memory);
  if (!bytes || *bytes == 0) return error(fmt::format("--memory {}: no size", o.memory), "--memory 8G");
  return o.slurm.empty() ? *bytes / jobs : *bytes;
}

// "partition=debug,account=physics,exclusive"; a comma in brackets is part of a value: "nodelist=n[1,2]".
std::vector<std::pair<std::string, std::string>> slurm_settings(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> settings;
  if (text == "default") return settings;
  std::string word;
  int depth = 0;
  const auto end_word = [&] {
    const size_t equals = word.find('=');
    if (!word.empty())
      settings.emplace_back(word.substr(0, equals), equals == word.npos ? "" : word.substr(equals + 1));
    word.clear();
  };
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      end_word();
    else
      word += c;
  }
  end_word();
  return settings;
}

Result<sweep::ArrayJob> array_job(const SweepRunOptions& o, const std::string& file) {
  const auto memory = row_memory(o, 1);
  if (!memory) return memory.problem();
  sweep::ArrayJob job{compile::this_program(),
                      fs::current_path().string(),
                      slurm_folder(file),
                      slurm_settings(o.slurm),
                      {},
                      o.jobs,
                      o.slurm_rows,
                      {o.limit, *memory}};
  if (!o.slurm_results.empty()) job.results = o.slurm_results;
  std::istringstream words(o.slurm_options);
  for (std::string word; words >> word;) {
    if (word.starts_with('-') || job.more_options.empty())
      job.more_options.push_back(word);
    else
      job.more_options.back() += " " + word;  // the value of "-A physics"
  }
  return job;
}

}  // namespace

void add_sweep_run_options(CLI::App& app, SweepRunOptions& o) {
  app.add_option("--jobs", o.jobs,
                 "rows that run at a time (default: one per core; of a cluster, what it has room for)")
      ->type_name("N");
  app.add_option("--memory", o.memory,
                 "the memory that all rows together may use: 8G; a row that takes more than its share ends "
                 "(default: three quarters of this machine's). With --slurm: the memory of a row")
      ->type_name("BYTES");
  app.add_option("--limit", o.limit, "seconds that a row may take, with compiling and modelling (default: no limit)")
      ->type_name("SECONDS")
      ->check(not_negative());
  app.add_option("--slurm", o.slurm,
                 "run the rows as elements of Slurm array jobs, with these options of sbatch, separated by commas: "
                 "partition=long,account=physics; or 'default'")
      ->type_name("OPTIONS");
  app.add_option("--slurm-options", o.slurm_options, "more options of sbatch, as words: '--exclusive -C avx512'")
      ->type_name("WORDS");
  app.add_option("--slurm-rows", o.slurm_rows, "rows of an element, one after the other")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--slurm-results", o.slurm_results,
                 "folder on the nodes for results and logs, if they share no file system with this machine (default: "
                 "FILE.slurm beside the sweep's file)")
      ->type_name("FOLDER");
  app.add_option("--slurm-fetch", o.slurm_fetch,
                 "a shell command that brings results from the nodes: it copies $DRYWARP_RESULTS of $DRYWARP_NODES to "
                 "$DRYWARP_FOLDER")
      ->type_name("COMMAND");
  app.add_flag("--slurm-script", o.slurm_script, "print the script of the first job, and run nothing");
}

Result<SweepRunner> sweep_runner(const SweepRunOptions& o, const std::string& file, const std::string& scratch) {
  if (o.slurm.empty()) {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency()), jobs = o.jobs != 0 ? o.jobs : cores;
    const auto memory = row_memory(o, jobs);
    if (!memory) return memory.problem();
    return SweepRunner{
        std::make_unique<sweep::LocalRunner>(std::vector<std::string>{compile::this_program(), "measure"}, scratch,
                                             sweep::Limits{o.limit, *memory}, jobs),
        std::max(1u, cores / jobs)};
  }
  auto job = array_job(o, file);
  if (!job) return job.problem();
  const std::string folder = slurm_folder(file);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return error(fmt::format("cannot create '{}': {}", folder, failed.message()));
  return SweepRunner{
      std::make_unique<sweep::SlurmRunner>(sweep::SlurmOptions{std::move(*job), folder, scratch, o.slurm_fetch}), 1};
}

Result<std::string> slurm_script(const SweepRunOptions& o, const std::string& file,
                                 const sweep::Description& description) {
  if (o.slurm.empty()) return error("--slurm-script without --slurm", "--slurm default");
  const auto job = array_job(o, file);
  if (!job) return job.problem();
  const auto configurations = sweep::candidates(description);
  if (!configurations) return configurations.problem();
  std::vector<sweep::RowRequest> rows;
  for (size_t i = 0; i < configurations->size(); ++i) {
    rows.push_back({i, sweep::request_for(description.program, description.space, (*configurations)[i])});
    rows.back().request.stage = sweep::stages(description.search).front();
    rows.back().request.workers = 1;
  }
  return sweep::array_script(*job, rows);
}

void remove_slurm_files(const std::string& file) {
  std::error_code ignored;
  const std::string folder = slurm_folder(file);
  for (const std::string& part : {folder, folder + "/logs"})
    for (const auto& entry : fs::directory_iterator(part, ignored))
      for (const char* ours : {".sh", ".result", ".log"})
        if (entry.path().extension() == ours) fs::remove(entry.path(), ignored);
}

}  // namespace drywarp::cli
