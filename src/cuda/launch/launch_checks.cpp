#include "cuda/launch/launch_checks.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

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

// Nothing: the fault is no fault of the program.
std::optional<FindingKind> kind_of(exec::FaultKind kind) {
  using exec::FaultKind;
  switch (kind) {
    case FaultKind::IllegalAddress:
    case FaultKind::SharedOutOfRange:
      return FindingKind::OutOfBounds;
    case FaultKind::MisalignedAddress:
      return FindingKind::Misaligned;
    case FaultKind::BarrierDeadlock:
      return FindingKind::BarrierDeadlock;
    case FaultKind::AssertFailed:
    case FaultKind::Trap:
    case FaultKind::StackOverflow:
    case FaultKind::IllegalInstruction:
      return FindingKind::Fault;
    default:
      return std::nullopt;
  }
}

Finding finding_of(const exec::Fault& fault, FindingKind kind) {
  Finding f;
  f.kind = kind;
  f.kernel = fault.kernel;
  f.where = {fault.location.file, fault.location.line, 0, fault.instruction};
  f.what = fault.message;
  if (fault.has_thread)
    f.thread =
        ThreadPlace{{fault.block.x, fault.block.y, fault.block.z}, {fault.thread.x, fault.thread.y, fault.thread.z}};
  return f;
}

uint64_t block_number(const exec::Fault& fault, const exec::Dim3& grid) {
  return fault.block.x + uint64_t{grid.x} * (fault.block.y + uint64_t{grid.y} * fault.block.z);
}

}  // namespace

class LaunchChecks::Map : public check::MemoryMap {
 public:
  explicit Map(exec::DeviceMemory& memory) : memory_(memory) {}
  [[nodiscard]] std::optional<Near> near(uint64_t address) const override {
    const auto a = memory_.nearest(address);
    if (!a) return std::nullopt;
    return Near{{a->id, a->size, exec::name(a->kind), {}}, a->live, static_cast<int64_t>(address - a->base)};
  }

 private:
  exec::DeviceMemory& memory_;
};

LaunchChecks::LaunchChecks(const Options& options, exec::DeviceMemory& memory,
                           std::function<void(const std::string&)> complain)
    : tools_(tools_of(options.checks, complain)),
      strict_(options.strict),
      keeps_context_(options.keeps_context),
      map_(std::make_shared<Map>(memory)) {
  if (options.findings.empty()) tools_.clear();
  if (tools_.empty()) return;
  file_.open(options.findings, std::ios::app);
  if (!file_) complain(fmt::format("drywarp: cannot write '{}': what checks find is lost", options.findings));
}

bool LaunchChecks::looks_for(CheckTool tool) const { return std::ranges::find(tools_, tool) != tools_.end(); }

LaunchChecks::Run LaunchChecks::begin(const KernelInfo& kernel, const exec::LaunchRequest& request) {
  Run run;
  if (!any()) return run;
  const check::CheckedLaunch launch(kernel, {request.grid.x, request.grid.y, request.grid.z},
                                    {request.block.x, request.block.y, request.block.z}, *map_);
  for (const check::CheckInfo& c : check::checks())
    // A strict run stops at the first bad access, as without the check.
    if (looks_for(c.tool) && !(strict_ && c.tool == CheckTool::Memcheck)) run.push_back(c.make(launch));
  return run;
}

bool LaunchChecks::end(const Run& run, const exec::LaunchRequest& request, const exec::LaunchResult& result) {
  if (!any()) return false;
  const auto kind = result.fault ? kind_of(result.fault->kind) : std::nullopt;
  const bool reported = kind && (*kind == FindingKind::Fault || looks_for(info(*kind).tool));
  const uint64_t blocks = kind ? block_number(*result.fault, request.grid) + 1 : request.grid.count();
  std::vector<Finding> all;
  for (const auto& check : run) add(all, check->findings(blocks));
  if (reported) add(all, std::vector{finding_of(*result.fault, *kind)});
  const std::lock_guard hold(mutex_);
  ++launches_;
  write(all);
  return reported;
}

void LaunchChecks::found(const std::vector<Finding>& findings) {
  const std::lock_guard hold(mutex_);
  write(findings);
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
  fmt::print(file_, "{}{}\n", kLaunchesLine, std::exchange(launches_, 0));
  file_.flush();
}

}  // namespace drywarp::cuda
