#include "cuda/launch/launch_checks.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <set>

#include "base/support/plural.h"
#include "cuda/launch/call_sites.h"
#include "cuda/launch/unwritten_copies.h"
#include "engine/exec/memory/written_bytes.h"

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
    case FaultKind::NoSharedAddress:
    case FaultKind::ClusterSharedMemory:
      return FindingKind::OutOfBounds;
    case FaultKind::MisalignedAddress:
      return FindingKind::Misaligned;
    case FaultKind::NotCooperative:
      return FindingKind::GridNotCooperative;
    case FaultKind::BarrierDeadlock:
      return FindingKind::BarrierDeadlock;
    case FaultKind::AssertFailed:
    case FaultKind::BarrierObject:
    case FaultKind::Trap:
    case FaultKind::StackOverflow:
    case FaultKind::IllegalInstruction:
      return FindingKind::Fault;
    default:
      return std::nullopt;
  }
}

// Addresses differ from run to run; the allocation, and where in it, does not.
std::string without_address(const exec::Fault& fault) {
  std::string message = fault.message;
  const std::string address = fmt::format(" at address {:#x};", fault.address);
  if (const size_t at = message.find(address); fault.has_address && at != std::string::npos)
    message.replace(at, address.size(), ":");
  return message;
}

Finding finding_of(const exec::Fault& fault, FindingKind kind) {
  Finding f;
  f.kind = kind;
  f.kernel = fault.kernel;
  f.where = {fault.location.file, fault.location.line, 0, fault.instruction};
  f.what = without_address(fault);
  if (fault.has_thread)
    f.thread =
        ThreadPlace{{fault.block.x, fault.block.y, fault.block.z}, {fault.thread.x, fault.thread.y, fault.thread.z}};
  return f;
}

CallChecks::Errors errors_of(const std::string& option) {
  using Errors = CallChecks::Errors;
  return option == "no" ? Errors::Explained : option == "all" ? Errors::Passed : Errors::First;
}

// What a kernel may do, of Permission bits; empty: everything.
std::string allowed(uint8_t may) {
  constexpr const char* kOnly[] = {"not be accessed",
                                   "only be read",
                                   "only be written",
                                   "be read and written, but not by atomics",
                                   "only be accessed by atomics",
                                   "only be read, and accessed by atomics",
                                   "only be written, and accessed by atomics",
                                   ""};
  return kOnly[may & exec::kMayAll];
}

uint64_t block_number(const exec::Fault& fault, const exec::Dim3& grid) {
  return fault.block.x + uint64_t{grid.x} * (fault.block.y + uint64_t{grid.y} * fault.block.z);
}

}  // namespace

// The device's memory, and where its allocations were made.
class LaunchChecks::Map : public check::MemoryMap, public exec::AllocationWatch {
 public:
  Map(exec::DeviceMemory& memory, bool knows_writes) : memory_(memory) {
    if (knows_writes) written_.emplace(memory.base(), memory.reserved());
    memory_.watch(this);
  }
  ~Map() override { memory_.watch(nullptr); }
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;

  [[nodiscard]] uint64_t start() const { return memory_.base(); }
  [[nodiscard]] std::optional<Near> near(uint64_t address) const override {
    const auto a = memory_.nearest(address);
    if (!a) return std::nullopt;
    return near(*a, address);
  }
  [[nodiscard]] std::optional<Near> near(uint64_t address, uint64_t beside) const override {
    const auto a = memory_.nearest(beside);
    if (!a) return std::nullopt;
    return near(*a, address);
  }
  void made(uint64_t address, const std::string& where) override {
    const auto a = memory_.find(address);
    const std::lock_guard hold(mutex_);
    if (a) made_[a->id] = {{}, where};
  }
  // Writes of the host to memory that it shares with the device are not seen, nor the initial values of variables.
  [[nodiscard]] bool written(uint64_t address, uint64_t bytes) const override {
    if (!written_ || written_->written(address, bytes)) return true;
    const auto a = memory_.find(address);
    return !a || (a->kind != exec::MemoryKind::Device && a->kind != exec::MemoryKind::Heap) ||
           bytes > a->size - (address - a->base);
  }
  [[nodiscard]] LaneMask unwritten(const uint64_t* addresses, LaneMask lanes, uint64_t bytes) const override {
    if (!written_) return 0;
    const LaneMask perhaps = written_->unwritten(addresses, lanes, bytes);
    return perhaps == 0 ? 0 : MemoryMap::unwritten(addresses, perhaps, bytes);
  }
  void write(uint64_t address, uint64_t bytes) override {
    if (written_) written_->mark(address, bytes);
  }

  // The call of the program that made the allocation, but not a kernel's malloc().
  void allocated(const exec::Allocation& allocation) override {
    const bool by_kernel = running_ != 0;
    if (operations_) operations_->allocated(allocation, by_kernel);
    if (by_kernel) return;
    const std::lock_guard hold(mutex_);
    made_[allocation.id] = {host_stack(), {}};
  }
  void freed(const exec::Allocation& allocation) override {
    if (written_) written_->forget(allocation.base, allocation.size);
    const bool by_kernel = running_ != 0;
    if (operations_) operations_->freed(allocation, by_kernel);
    if (by_kernel) return;
    const std::lock_guard hold(mutex_);
    freed_[allocation.id] = {host_stack(), {}};
    if (resetting_) reset_.insert(allocation.id);
  }
  [[nodiscard]] bool freed_by_reset(const exec::Allocation& a) const {
    const std::lock_guard hold(mutex_);
    return reset_.contains(a.id);
  }
  [[nodiscard]] std::string freed_at(const exec::Allocation& a) const {
    const std::lock_guard hold(mutex_);
    const auto freed = freed_.find(a.id);
    return freed == freed_.end() ? std::string() : freed->second.text();
  }
  void tell(OperationChecks* operations) { operations_ = operations; }
  void bind(const exec::Permissions& permissions) { memory_.bind_permissions(permissions); }
  // Ends what bind() has begun; null: nothing.
  class Bound {
   public:
    explicit Bound(Map* map) : map_(map) {}
    ~Bound() {
      if (map_) map_->memory_.release_permissions();
    }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;

   private:
    Map* map_;
  };
  [[nodiscard]] FoundAllocation fact(const exec::Allocation& a) const {
    const std::lock_guard hold(mutex_);
    const auto made = made_.find(a.id);
    return {a.id, a.size, a.label ? *a.label : exec::name(a.kind),
            made == made_.end() ? std::string() : made->second.text()};
  }
  std::atomic<unsigned> running_{0};  // launches
  std::atomic<bool> resetting_{false};

 private:
  [[nodiscard]] Near near(const exec::Allocation& a, uint64_t address) const {
    return {fact(a), a.live, static_cast<int64_t>(address - a.base), allowed(a.may),
            a.live ? std::string() : freed_at(a)};
  }

  exec::DeviceMemory& memory_;
  std::optional<exec::WrittenBytes> written_;
  // A call of the program, which few findings name: its stack is taken, and looked up when it is wanted.
  struct Site {
    std::vector<void*> stack;
    std::string where;  // empty: not looked up
    const std::string& text() {
      if (where.empty()) where = callers_of_library(stack, Callers::All);
      return where;
    }
  };
  mutable std::mutex mutex_;
  mutable std::map<uint64_t, Site> made_, freed_;  // by allocation
  std::set<uint64_t> reset_;                       // freed by a reset of the device
  OperationChecks* operations_ = nullptr;
};

LaunchChecks::LaunchChecks(const Options& options, exec::DeviceMemory& memory,
                           std::function<void(const std::string&)> complain)
    : tools_(tools_of(options.checks, complain)),
      strict_(options.strict),
      keeps_context_(options.keeps_context),
      headers_(options.headers) {
  if (options.findings.empty()) tools_.clear();
  if (tools_.empty()) return;
  map_ = std::make_unique<Map>(memory, looks_for(CheckTool::Initcheck));
  const auto found = [this](const std::vector<Finding>& findings) { this->found(findings); };
  const bool memcheck = looks_for(CheckTool::Memcheck);
  const OperationChecks::Wanted wanted{looks_for(CheckTool::Racecheck), memcheck,
                                       options.track_unused && looks_for(CheckTool::Initcheck), options.most_unused};
  // Findings of any tool have the calls that issued their operation.
  operations_ = std::make_unique<OperationChecks>(
      wanted, memory, *map_, [this](const exec::Allocation& a) { return fact(a); }, found);
  map_->tell(operations_.get());
  if (memcheck) calls_ = std::make_unique<CallChecks>(errors_of(options.api_errors), found);
  file_.open(options.findings, std::ios::app);
  if (!file_) complain(fmt::format("drywarp: cannot write '{}': what checks find is lost", options.findings));
}
LaunchChecks::~LaunchChecks() {
  if (map_) map_->tell(nullptr);
}

FoundAllocation LaunchChecks::fact(const exec::Allocation& allocation) const { return map_->fact(allocation); }
void LaunchChecks::resetting(bool is) {
  if (map_) map_->resetting_ = is;
}

bool LaunchChecks::freed_by_reset(const exec::Allocation& allocation) const { return map_->freed_by_reset(allocation); }

std::string LaunchChecks::freed_at(const exec::Allocation& allocation) const { return map_->freed_at(allocation); }

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
  if (run.has_permissions) map_->bind(*permissions);
  ++map_->running_;
  const check::CheckedLaunch launch(kernel, {request.grid.x, request.grid.y, request.grid.z},
                                    {request.block.x, request.block.y, request.block.z}, *map_, headers_);
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
  --map_->running_;
  // What a launch accesses until a fault stops it differs from run to run.
  if (run.footprint && moment && !result.fault) operations_->launched(*moment, run.footprint->take(), wanted);
  if (!wanted) return false;
  const Map::Bound bound(run.has_permissions ? map_.get() : nullptr);
  auto kind = result.fault ? kind_of(result.fault->kind) : std::nullopt;
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
  const std::lock_guard hold(mutex_);
  fmt::print(file_, "{}\n", kLaunchLine);  // at once: a killed program leaves it
  write(all);
  return reported;
}

void LaunchChecks::wrote(const Box& to, const Box* from, size_t width, const Extent3& extent) {
  if (!looks_for(CheckTool::Initcheck)) return;
  for (size_t z = 0; z < extent.depth; ++z)
    for (size_t y = 0; y < extent.height; ++y) {
      const auto row = [&](const Box& box) { return box.address + z * box.slice + y * box.pitch; };
      if (!from || map_->written(row(*from), width)) {
        map_->write(row(to), width);
        continue;
      }
      for (size_t x = 0; x < width; ++x)
        if (map_->written(row(*from) + x, 1)) map_->write(row(to) + x, 1);
    }
}

void LaunchChecks::read_for_host(const Box& from, size_t width, const Extent3& extent,
                                 const std::vector<void*>* stack) {
  if (!looks_for(CheckTool::Initcheck)) return;
  auto finding = unwritten_copy(*map_, map_->start(), from, width, extent);
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
    f.allocation = map_->fact(a);
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
  file_.flush();
}

}  // namespace drywarp::cuda
