// The checks of a session's launches (engine/check): which of them watch a launch, and the file of what they found,
// which `drywarp check` reads.
#pragma once

#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/launch/call_checks.h"
#include "cuda/launch/checked_memory.h"
#include "cuda/launch/operation.h"
#include "cuda/launch/operation_checks.h"
#include "cuda/launch/options.h"
#include "cuda/memory/live_objects.h"
#include "engine/check/check.h"
#include "engine/exec/engine.h"

namespace drywarp::cuda {

class LaunchChecks {
 public:
  // `complain` gets a message if the file cannot be written.
  LaunchChecks(const Options& options, exec::DeviceMemory& memory, std::function<void(const std::string&)> complain);
  ~LaunchChecks();
  [[nodiscard]] bool any() const { return !tools_.empty(); }

  // Of one launch. Refers to `kernel`. Thread-safe, as end(). `wanted`: false: its findings are dropped, and only what
  // later launches are judged by is watched.
  struct Run {
    std::vector<std::unique_ptr<check::Check>> checks;
    std::unique_ptr<check::FootprintObserver> footprint;  // null: not needed
    bool has_permissions = false;                         // of its own
    [[nodiscard]] std::vector<observe::Observer*> observers() const;
  };
  // `permissions`: of this launch alone, until end(); null: those of all.
  [[nodiscard]] Run begin(const KernelInfo& kernel, const exec::LaunchRequest& request, bool wanted,
                          const exec::Permissions* permissions);
  // Whether a report will have the launch's fault. `moment`: its place in the program's order; null: not known.
  bool end(Run& run, const exec::LaunchRequest& request, const exec::LaunchResult& result, bool wanted,
           const check::OperationMoment* moment);
  // A copy or a fill writes a box of `width` bytes; `from`: of a copy inside the device, or null.
  void wrote(const Box& to, const Box* from, size_t width, const Extent3& extent);
  // A copy reads a box for the host. `stack`: of the call; null: it is the one that runs.
  void read_for_host(const Box& from, size_t width, const Extent3& extent, const std::vector<void*>* stack);
  // A cooperative launch fails: `of_each` blocks of the kernel fit on each of `processors` SMs.
  void grid_too_large(const KernelInfo& kernel, uint64_t blocks, uint64_t of_each, uint64_t processors);
  // What the program has not freed or destroyed at its end, or when it resets the device.
  void leaked(const std::vector<exec::Allocation>& allocations, const std::vector<LiveObjects::Object>& objects);
  [[nodiscard]] bool looks_for(CheckTool tool) const;
  // Whether a session with these options does.
  [[nodiscard]] static bool looks_for(const Options& options, CheckTool tool);
  // Null: not wanted.
  [[nodiscard]] OperationChecks* operations() { return operations_.get(); }
  [[nodiscard]] CallChecks* calls() { return calls_.get(); }
  // An allocation with the call that made it; and the call that freed one, empty if that is not known.
  [[nodiscard]] FoundAllocation fact(const exec::Allocation& allocation) const;
  [[nodiscard]] std::string freed_at(const exec::Allocation& allocation) const;
  // Whether the program reset the device instead of freeing it: the frees while `resetting` is set.
  void resetting(bool is);
  [[nodiscard]] bool freed_by_reset(const exec::Allocation& allocation) const;
  // The program ends: the counts of findings that came again.
  void finish();

  // The fault that the program sees of accesses that its lanes left out.
  [[nodiscard]] bool keeps_context() const { return keeps_context_; }

 private:
  void found(const std::vector<Finding>& findings);  // those of the tools that look
  void write(const std::vector<Finding>& findings);

  std::vector<CheckTool> tools_;
  const bool strict_, keeps_context_;
  const std::string headers_;  // folder of drywarp's own
  std::unique_ptr<CheckedMemory> memory_;
  std::unique_ptr<OperationChecks> operations_;
  std::unique_ptr<CallChecks> calls_;
  std::mutex mutex_;
  std::ofstream file_;
  std::vector<Finding> written_;  // with the times that the file lacks
};

// Of a findings' file: the line for each launch that was checked, the one for each that did not come to an end, and
// what the line begins with that has the number of launches which an earlier error kept from running; all others are
// findings.
inline constexpr std::string_view kLaunchLine = "launch", kCutLine = "cut launch", kLostLine = "lost launches ";

}  // namespace drywarp::cuda
