#include "cuda/launch/launch_checks.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <optional>

#include "base/support/plural.h"
#include "cuda/launch/call_sites.h"
#include "cuda/launch/fault_findings.h"
#include "cuda/launch/unwritten_copies.h"

namespace drywarp::cuda {
namespace {

std::vector<CheckTool> tools_of(const std::string& list, const std::function<void(const std::string&)>& complain) {
  std::vector<CheckTool> tools;
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (const auto tool = parse_check_tool(name))
      tools.push_back(*tool);
    else
      complain(fmt::format("drywarp: there is no check named '{}'", name));
  }
  return tools;
}

CallChecks::Errors errors_of(const std::string& option) {
  using Errors = CallChecks::Errors;
  return option == "no" ? Errors::Explained : option == "all" ? Errors::Passed : Errors::First;
}

uint64_t block_number(const exec::Fault& fault, const exec::Dim3& grid) {
  return fault.block.x + uint64_t{grid.x} * (fault.block.y + uint64_t{grid.y} * fault.block.z);
}

}  // namespace

LaunchChecks::LaunchChecks(const Options& options, exec::DeviceMemory& memory,
                           std::function<void(const std::string&)> complain)
    : tools_(tools_of(options.checks, complain)),
      strict_(options.strict),
      keeps_context_(options.keeps_context),
      headers_(options.headers) {
  if (options.findings.empty()) tools_.clear();
  if (tools_.empty()) return;
  memory_ = std::make_unique<CheckedMemory>(memory, looks_for(CheckTool::Initcheck));
  const auto found = [this](const std::vector<Finding>& findings) { this->found(findings); };
  const bool memcheck = looks_for(CheckTool::Memcheck);
  const OperationChecks::Wanted wanted{looks_for(CheckTool::Racecheck), memcheck,
                                       options.track_unused && looks_for(CheckTool::Initcheck), options.most_unused};
  // Findings of any tool have the calls that issued their operation.
  operations_ = std::make_unique<OperationChecks>(
      wanted, memory, *memory_, [this](const exec::Allocation& a) { return fact(a); }, found);
  memory_->tell(operations_.get());
  if (memcheck) calls_ = std::make_unique<CallChecks>(errors_of(options.api_errors), found);
  file_.open(options.findings, std::ios::app);
  if (!file_) complain(fmt::format("drywarp: cannot write '{}': what checks find is lost", options.findings));
}
LaunchChecks::~LaunchChecks() {
  if (memory_) memory_->tell(nullptr);
}

FoundAllocation LaunchChecks::fact(const exec::Allocation& allocation) const { return memory_->fact(allocation); }
void LaunchChecks::resetting(bool is) {
  if (memory_) memory_->resetting(is);
}

bool LaunchChecks::freed_by_reset(const exec::Allocation& allocation) const {
  return memory_->freed_by_reset(allocation);
}

std::string LaunchChecks::freed_at(const exec::Allocation& allocation) const { return memory_->freed_at(allocation); }

std::vector<observe::Observer*> LaunchChecks::Run::observers() const {
  std::vector<observe::Observer*> all;
  for (const auto& check : checks) all.push_back(check.get());
  if (footprint) all.push_back(footprint.get());
  return all;
}

bool LaunchChecks::looks_for(CheckTool tool) const { return std::ranges::find(tools_, tool) != tools_.end(); }

bool LaunchChecks::looks_for(const Options& options, CheckTool tool) {
  const std::vector<CheckTool> tools = tools_of(options.checks, [](const std::string&) {});
  return !options.findings.empty() && std::ranges::find(tools, tool) != tools.end();
}

LaunchChecks::Run LaunchChecks::begin(const KernelInfo& kernel, const exec::LaunchRequest& request, bool wanted,
                                      const exec::Permissions* permissions) {
  Run run;
  if (!any()) return run;
  run.has_permissions = permissions && wanted && looks_for(CheckTool::Memcheck);
  if (run.has_permissions) memory_->bind(*permissions);
  memory_->launch_begins();
  const check::CheckedLaunch launch(kernel, {request.grid.x, request.grid.y, request.grid.z},
                                    {request.block.x, request.block.y, request.block.z}, *memory_, headers_);
  for (const check::CheckInfo& c : check::checks()) {
    if (!looks_for(c.tool)) continue;
    if (!wanted && c.tool != CheckTool::Initcheck) continue;
    // A strict run stops at the first bad access, as without the check.
    if (strict_ && c.tool == CheckTool::Memcheck) continue;
    run.checks.push_back(c.make(launch));
  }
  if (operations_ && operations_->watches_launches())
    run.footprint = std::make_unique<check::FootprintObserver>(launch);
  return run;
}

bool LaunchChecks::end(Run& run, const exec::LaunchRequest& request, const exec::LaunchResult& result, bool wanted,
                       const check::OperationMoment* moment) {
  if (!any()) return false;
  memory_->launch_ends();
  // What a launch accesses until a fault stops it differs from run to run.
  if (run.footprint && moment && !result.fault) operations_->launched(*moment, run.footprint->take(), wanted);
  if (!wanted) return false;
  const CheckedMemory::Bound bound(run.has_permissions ? memory_.get() : nullptr);
  auto kind = result.fault ? finding_kind(result.fault->kind) : std::nullopt;
  // Whichever tool looks, it says what has stopped the kernel.
  const bool stops = kind == FindingKind::GridNotCooperative || kind == FindingKind::BarrierDeadlock;
  if (stops && !looks_for(info(*kind).tool)) kind = FindingKind::Fault;
  const bool reported = kind && (*kind == FindingKind::Fault || looks_for(info(*kind).tool));
  const uint64_t blocks = kind ? block_number(*result.fault, request.grid) + 1 : request.grid.count();
  std::vector<Finding> all;
  for (const auto& check : run.checks) add(all, check->findings(blocks));
  if (reported) add(all, std::vector{finding_of(*result.fault, *kind)});
  if (looks_for(info(FindingKind::GridNotCooperative).tool))
    for (const exec::OrdinaryGridBarrier& barrier : result.grid_barriers) {
      Finding f = finding_of(barrier.first, FindingKind::GridNotCooperative);
      f.times = barrier.times;
      add(all, std::vector{std::move(f)});
    }
  // A launch that waits for the host runs on a thread of its own: who issued it is known of its moment.
  if (!all.empty()) {
    const std::vector<HostFrame> calls =
        moment && moment->stack ? calls_to_library(*moment->stack) : calls_to_library(host_stack());
    for (Finding& f : all) f.launched = calls;
  }
  sort(all);
  const std::lock_guard hold(mutex_);
  const bool cut = result.fault && !kind;                   // by what is no finding
  fmt::print(file_, "{}\n", cut ? kCutLine : kLaunchLine);  // at once: a killed program leaves it
  write(all);
  return reported;
}

void LaunchChecks::wrote(const Box& to, const Box* from, size_t width, const Extent3& extent) {
  if (!looks_for(CheckTool::Initcheck)) return;
  for (size_t z = 0; z < extent.depth; ++z)
    for (size_t y = 0; y < extent.height; ++y) {
      const auto row = [&](const Box& box) { return box.address + z * box.slice + y * box.pitch; };
      if (from)
        memory_->copy(row(to), row(*from), width);
      else
        memory_->write(row(to), width);
    }
}

void LaunchChecks::read_for_host(const Box& from, size_t width, const Extent3& extent,
                                 const std::vector<void*>* stack) {
  if (!looks_for(CheckTool::Initcheck)) return;
  auto finding = unwritten_copy(*memory_, memory_->start(), from, width, extent);
  if (!finding) return;
  finding->where = {stack ? callers_of_library(*stack) : callers_of_library(), 0, 0, "copy to the host"};
  found({*std::move(finding)});
}

void LaunchChecks::leaked(const std::vector<exec::Allocation>& allocations,
                          const std::vector<LiveObjects::Object>& objects) {
  if (operations_) operations_->finish(allocations);
  if (!looks_for(CheckTool::Leakcheck)) return;
  std::vector<Finding> leaks;
  for (const exec::Allocation& a : allocations) {
    Finding f;
    f.kind = FindingKind::Leak;
    f.allocation = memory_->fact(a);
    f.what = fmt::format("{} of {} is never freed", f.allocation->what, plural(a.size, "byte"));
    leaks.push_back(std::move(f));
  }
  for (const LiveObjects::Object& o : objects) {
    Finding f;
    f.kind = FindingKind::LeftObject;
    f.where.file = o.made;
    f.what = fmt::format("{} is never {}", o.what, o.end);
    add(leaks, std::vector{std::move(f)});
  }
  const std::lock_guard hold(mutex_);
  write(leaks);
}

void LaunchChecks::grid_too_large(const KernelInfo& kernel, uint64_t blocks, uint64_t of_each, uint64_t processors) {
  if (!looks_for(CheckTool::Synccheck)) return;
  Finding f;
  f.kind = FindingKind::GridTooLarge;
  f.kernel = kernel.display_name;
  f.what = fmt::format("a grid of {}, of which {} fit at once: {} on each of {}", plural(blocks, "block"),
                       of_each * processors, of_each, plural(processors, "SM"));
  if (calls_) return calls_->explain(std::move(f));
  f.where.file = callers_of_library();
  found({f});
}

void LaunchChecks::found(const std::vector<Finding>& findings) {
  std::vector<Finding> wanted;
  for (const Finding& f : findings)
    if (looks_for(info(f.kind).tool)) wanted.push_back(f);
  const std::lock_guard hold(mutex_);
  write(wanted);
}

// A new finding is written at once, so that a killed program leaves it; how often it comes again, at the end.
void LaunchChecks::write(const std::vector<Finding>& findings) {
  for (const Finding& f : findings) {
    const auto known = std::ranges::find_if(written_, [&](const Finding& o) { return same_place(o, f); });
    if (known != written_.end()) {
      known->times += f.times;
      continue;
    }
    fmt::print(file_, "{}\n", to_line(f));
    written_.push_back(f);
    written_.back().times = 0;
  }
  file_.flush();
}

void LaunchChecks::finish() {
  if (!any()) return;
  const std::lock_guard hold(mutex_);
  for (Finding& f : written_) {
    if (f.times != 0) fmt::print(file_, "{}\n", to_line(f));
    f.times = 0;
  }
  if (calls_ && calls_->lost_launches() != 0) fmt::print(file_, "{}{}\n", kLostLine, calls_->lost_launches());
  file_.flush();
}

}  // namespace drywarp::cuda
