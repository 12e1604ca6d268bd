// How many blocks fit on a multiprocessor: from options, or from a program's kernels and launches.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <regex>

#include "cuda/fatbin/program_file.h"
#include "cuda/launch/options.h"
#include "cuda/modules/kernel_resources.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/counted_run.h"
#include "faces/cli/targets/filters.h"
#include "faces/cli/targets/ptx_arguments.h"
#include "faces/cli/targets/target.h"
#include "profile/report/model/launch_occupancy.h"
#include "profile/report/occupancy/occupancy.h"
#include "profile/report/writers/layout.h"

namespace drywarp::cli {
namespace {

using cuda::StaticKernel;
using record::Extent;
using report::OccupancyCase;

struct Options {
  RunOptions run;
  CompiledOptions compiled;
  std::string block, grid, kernel, shared, dynamic_shared, format = "text";
  uint32_t registers = 0, barriers = 1, carveout = 0;
  CLI::Option *registers_given = nullptr, *carveout_given = nullptr, *barriers_given = nullptr;
  bool no_run = false, sweeps = false, no_sweeps = false, ascii = false;
};

void add_occupancy_options(CLI::App& app, Options& o) {
  app.add_option("--block", o.block, "threads per block: 256, 16x16")->type_name("B");
  o.registers_given = app.add_option("--registers", o.registers, "registers per thread")->type_name("R");
  app.add_option("--shared", o.shared, "static shared memory per block, in bytes: 4096, 16K")->type_name("BYTES");
  app.add_option("--dynamic-shared", o.dynamic_shared, "dynamic shared memory per block")->type_name("BYTES");
  o.carveout_given =
      app.add_option("--carveout", o.carveout, "shared memory's share of the memory that it splits with L1")
          ->type_name("PERCENT")
          ->check(CLI::Range(0, 100));
  o.barriers_given =
      app.add_option("--barriers", o.barriers, "named barriers per block")->type_name("N")->check(CLI::Range(0, 16));
  app.add_option("--grid", o.grid, "blocks of a launch: 1024, 64x64")->type_name("G");
  app.add_option("--kernel", o.kernel, "only kernels whose name matches")->type_name("REGEX");
  app.add_flag("--no-run", o.no_run, "do not run the program: report its kernels, not its launches");
  app.add_flag("--sweeps", o.sweeps,
               "occupancy over block sizes, registers and shared memory: charts, or data in csv and json");
  app.add_flag("--no-sweeps", o.no_sweeps, "no charts");
  app.add_flag("--ascii", o.ascii, "charts without Unicode");
  app.add_option("--format", o.format, "output format")
      ->type_name(report::occupancy_formats().choices())
      ->capture_default_str();
  add_compiled_options(app, o.compiled);
  add_run_options(app, o.run);
}

// The parsed options.
struct OccupancyQuery {
  std::optional<Extent> block, grid;
  uint64_t shared = 0, dynamic_shared = 0;
  std::optional<std::regex> kernel;
};

Extent extent(const std::array<uint32_t, 3>& e) { return {e[0], e[1], e[2]}; }

Result<OccupancyQuery> parse_query(const Options& o) {
  OccupancyQuery q;
  if (!o.block.empty()) {
    auto block = parse_extent(o.block);
    if (!block) return block.problem();
    q.block = extent(*block);
  }
  if (!o.grid.empty()) {
    auto grid = parse_extent(o.grid);
    if (!grid) return grid.problem();
    q.grid = extent(*grid);
  }
  for (const auto& [text, out] : {std::pair{&o.shared, &q.shared}, {&o.dynamic_shared, &q.dynamic_shared}}) {
    if (text->empty()) continue;
    auto bytes = parse_size(*text);
    if (!bytes) return bytes.problem();
    *out = *bytes;
  }
  if (Status status = check_pattern(o.kernel); !status) return status.problem();
  if (!o.kernel.empty()) q.kernel.emplace(o.kernel, std::regex::ECMAScript);
  return q;
}

Status check_sides(const char* option, const Extent& asked, const std::array<uint32_t, 3>& most,
                   const std::string& device) {
  const std::array<uint32_t, 3> sides = {asked.x, asked.y, asked.z};
  for (size_t axis = 0; axis < sides.size(); ++axis)
    if (sides[axis] > most[axis])
      return error(fmt::format("{}: a side of {} along {} is too large", option, sides[axis], "xyz"[axis]),
                   fmt::format("the {} takes at most {}x{}x{}", device, most[0], most[1], most[2]));
  return {};
}

// Fails if the device cannot launch what the options ask for, before a program is run.
Status check_possible(const Options& o, const OccupancyQuery& q, const device::DeviceSpec& device) {
  device::OccupancyRequest request;
  request.threads_per_block = q.block ? uint32_t(std::min<uint64_t>(q.block->count(), ~0u)) : 1;
  request.registers_per_thread = o.registers;
  request.static_shared_bytes = q.shared;
  request.dynamic_shared_bytes = q.dynamic_shared;
  if (o.barriers_given->count() != 0) request.barriers = o.barriers;
  if (Status status = device::check_launch(device, request); !status) return status;
  if (q.block)
    if (Status status = check_sides("--block", *q.block, device.max_block, device.name); !status) return status;
  if (q.grid) return check_sides("--grid", *q.grid, device.max_grid, device.name);
  return {};
}

bool wanted(const OccupancyQuery& q, const KernelInfo& kernel) {
  return !q.kernel || std::regex_search(kernel.display_name, *q.kernel);
}

class Cases {
 public:
  Cases(const device::DeviceSpec& device, const Options& o, const OccupancyQuery& q) : device_(device), o_(o), q_(q) {}

  void add_numbers() {
    OccupancyCase c;
    c.request.static_shared_bytes = q_.shared;
    c.request.dynamic_shared_bytes = q_.dynamic_shared;
    add(c, {});
  }

  void add_static(const StaticKernel& kernel) {
    kernels_.push_back(kernel.info.display_name);
    if (!wanted(q_, kernel.info)) return;
    OccupancyCase c = of_kernel(kernel.info);
    c.block_limit = kernel.block_limit;
    c.request.dynamic_shared_bytes = q_.dynamic_shared;
    std::optional<Extent> required;
    if (kernel.required_block[0] != 0) required = extent(kernel.required_block);
    add(c, required);
  }

  // A kernel's launches with one configuration are one case.
  void add_launches(const record::Profile& profile, const std::vector<StaticKernel>& kernels) {
    std::map<std::array<uint64_t, 8>, size_t> known;
    for (const record::LaunchRecord& l : profile.launches) {
      const KernelInfo& kernel = *profile.kernels[l.kernel];
      kernels_.push_back(kernel.display_name);
      if (!wanted(q_, kernel)) continue;
      const auto [at, is_new] = known.try_emplace(
          {l.kernel, l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z, l.dynamic_shared_bytes},
          cases_.size());
      if (is_new) {
        OccupancyCase c = of_kernel(kernel);
        const auto same =
            std::ranges::find_if(kernels, [&](const StaticKernel& k) { return k.info.name == kernel.name; });
        if (same != kernels.end()) c.block_limit = same->block_limit;
        c.request = report::occupancy_request(device_, kernel, l);
        override(c);
        c.block = l.block;
        c.grid = l.grid.count();
        cases_.push_back(std::move(c));
      }
      ++cases_[at->second].launches;
    }
  }

  [[nodiscard]] const std::vector<OccupancyCase>& all() const { return cases_; }
  // The names of all kernels, also of those that --kernel excludes.
  [[nodiscard]] const std::vector<std::string>& kernels() const { return kernels_; }

 private:
  static OccupancyCase of_kernel(const KernelInfo& kernel) {
    OccupancyCase c;
    c.kernel = kernel.display_name;
    c.request = sm::occupancy_request(kernel);
    c.resources = kernel;
    c.local_bytes = kernel.local_bytes;
    return c;
  }

  // The user's options take precedence over the kernel's values.
  void override(OccupancyCase& c) const {
    if (o_.registers_given->count() != 0) {
      c.request.registers_per_thread = o_.registers;
      if (c.kernel.empty()) c.resources.reset();
    }
    if (!o_.shared.empty()) c.request.static_shared_bytes = q_.shared;
    if (o_.barriers_given->count() != 0) c.request.barriers = o_.barriers;
    if (o_.carveout_given->count() != 0) c.request.carveout_percent = o_.carveout;
  }

  void add(OccupancyCase c, std::optional<Extent> required) {
    override(c);
    if (q_.grid) c.grid = q_.grid->count();
    c.block = q_.block ? q_.block : required;
    if (c.block) {
      c.request.threads_per_block = uint32_t(std::min<uint64_t>(c.block->count(), ~0u));
      if (c.block->y == 1 && c.block->z == 1) c.block.reset();
    } else {
      const uint64_t dynamic = c.request.dynamic_shared_bytes;
      c.request.threads_per_block = device::max_potential_block_size(device_, c.request, c.block_limit, [&](uint32_t) {
                                      return dynamic;
                                    }).threads_per_block;
      c.suggested_block = true;
    }
    cases_.push_back(std::move(c));
  }

  const device::DeviceSpec& device_;
  const Options& o_;
  const OccupancyQuery& q_;
  std::vector<OccupancyCase> cases_;
  std::vector<std::string> kernels_;
};

bool terminal_is_utf8() {
  return report::locale_is_utf8(std::getenv("LC_ALL"), std::getenv("LC_CTYPE"), std::getenv("LANG"));
}

int add_program(Cases& cases, const SplitArguments& split, const Options& o, const OccupancyQuery& q,
                const device::DeviceSpec& device, bool output_to_errors) {
  auto compiled = read_compiled(o.compiled);
  if (!compiled) return fail(compiled.problem(), kFailed);
  auto table = std::make_shared<fatbin::CompiledTable>(std::move(*compiled));
  std::vector<std::string> units;
  std::optional<Target> target;
  std::string name = split.program;
  if (is_ptx_file(split.program)) {
    auto text = compile::read_file(split.program);
    if (!text) return fail(text.problem(), kNotFound);
    units.push_back(std::move(*text));
  } else {
    auto prepared = prepare_target(split, o.run);
    if (const auto* problem = std::get_if<TargetError>(&prepared))
      return problem->silent ? problem->exit_code : fail(problem->problem, problem->exit_code);
    target.emplace(std::move(std::get<Target>(prepared)));
    auto code = fatbin::read_device_code(target->request.path, device.compute_capability.number());
    if (!code) return fail(code.problem(), kFailed);
    units = std::move(code->ptx);
    // The user's files take precedence.
    const fatbin::CompiledTable own = cuda::read_cubins(code->cubins);
    for (const auto& row : own.rows())
      if (!table->find(row.kernel.name, device.compute_capability.number())) table->add({row.kernel}, row.from);
    if (name.empty()) name = target->request.arguments[0];
  }
  auto kernels = cuda::static_kernels(units, name, cuda::KernelResourceModel(device, table));
  if (!kernels) return fail(kernels.problem(), kFailed);
  if (kernels->empty() && !target) return fail(error(fmt::format("'{}' has no kernels", name)), kFailed);

  record::Profile profile;
  if (target && !o.no_run && !q.block) {
    pass_compiled(target->request, o.compiled);
    auto ran = run_prepared(
        std::move(*target), {},
        {.settings = {{cuda::variable::counters, "0"}}, .as_is = true, .output_to_errors = output_to_errors});
    if (const int* code = std::get_if<int>(&ran)) return *code;
    auto& run = std::get<CountedRun>(ran);
    warn_of_end(run.end);
    profile = std::move(run.profile);
  }
  cases.add_launches(profile, *kernels);
  for (const StaticKernel& kernel : *kernels) {
    const bool launched =
        std::ranges::any_of(profile.kernels, [&](const auto& k) { return k->name == kernel.info.name; });
    if (!launched) cases.add_static(kernel);
  }
  return kSuccess;
}

int answer_occupancy(CLI::App& app, Options& o, const Words& words) {
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  const auto format = report::occupancy_formats().find(o.format);
  if (!format) return fail(format.problem(), kFailed);
  auto question = parse_query(o);
  if (!question) return fail(question.problem(), kFailed);
  auto device = device::load_device(o.run.device);
  if (!device) return fail(device.problem(), kFailed);
  if (Status status = check_possible(o, *question, *device); !status) return fail(status.problem(), kFailed);

  const bool program = !parsed.split.program.empty() || !parsed.split.compiler.empty();
  Cases cases(*device, o, *question);
  if (!program) {
    if (o.block.empty() && o.registers_given->count() == 0 && o.shared.empty() && o.dynamic_shared.empty())
      return fail(error("nothing to compute", "give --block, --registers and --shared, or name a program"), kFailed);
    cases.add_numbers();
  } else if (const int code = add_program(cases, parsed.split, o, *question, *device, !(*format)->terminal);
             code != kSuccess) {
    return code;
  }
  if (cases.all().empty()) {
    if (Status status = check_kernel_filter(o.kernel, cases.kernels(), "found"); !status)
      return fail(status.problem(), kFailed);
    warn("the program has no kernels");
    return kSuccess;
  }
  report::OccupancyOptions options;
  options.charts = o.sweeps || (!program && !o.no_sweeps && (*format)->terminal);
  options.unicode = !o.ascii && terminal_is_utf8();
  options.colour = takes_colour(STDOUT_FILENO);
  report::write_occupancy(std::cout, **format, *device, cases.all(), options);
  std::cout.flush();
  return std::cout ? kSuccess : fail(error("the report is incomplete: writing it failed"), kFailed);
}

}  // namespace

Command occupancy_command() {
  return make_command<Options>(
      {"occupancy",
       "drywarp occupancy --block B [--registers R] [--shared BYTES] [--grid G]\n"
       "drywarp occupancy [options] [compile options] app.cu... [-- arguments]\n"
       "drywarp occupancy [options] ./app [arguments]\n"
       "drywarp occupancy [options] k.ptx\n\n"
       "How many blocks of a kernel fit on a multiprocessor, what limits them, and what would help.",
       "A program is run to record its launches, unless --no-run or --block is given; kernels that it does not launch "
       "are listed too. Without a block size, the one with the most resident warps is used."},
      add_occupancy_options, answer_occupancy);
}

}  // namespace drywarp::cli
