#include "cuda/launch/observed_run.h"

#include <optional>

#include "base/events/access_reuse.h"
#include "engine/observe/sampler.h"
#include "engine/observe/tracer.h"

namespace drywarp::cuda {
namespace {

void add_reuse(std::vector<AccessSample>& samples, const LaunchTrace& trace, const KernelInfo& kernel) {
  const std::vector<AccessReuse> reuse = reuse_of(trace, kernel);
  for (AccessSample& s : samples)
    if (s.memory == drywarp::Memory::Global && s.access < reuse.size()) s.reuse = reuse[s.access];
}

}  // namespace

ObservedRun run_observed(exec::Engine& engine, exec::LoadedModule& module, const KernelInfo& kernel,
                         exec::LaunchRequest request, const Observed& wanted) {
  request.observers = wanted.others;
  const bool traced = wanted.trace.blocks != 0;
  observe::Sampler sampler(request.shared_banks);
  std::optional<observe::Tracer> tracer;
  if (traced) {
    const auto warps = static_cast<uint32_t>((request.block.count() + kWarpSize - 1) / kWarpSize);
    tracer.emplace(wanted.trace,
                   observe::TracedLaunch{kernel, request.grid.count(), warps, request.shared_banks,
                                         exec::Engine::polling_code(module, request.function)},
                   wanted.samples ? &sampler : nullptr);
    request.observers.push_back(&*tracer);
  } else if (wanted.samples) {
    request.observers.push_back(&sampler);
  }
  ObservedRun run{engine.launch(module, request), nullptr, nullptr};
  if (!run.result.started) return run;
  if (traced) run.trace = tracer->take();
  if (!wanted.samples) return run;
  auto samples = std::make_shared<std::vector<AccessSample>>(sampler.samples());
  if (run.trace) add_reuse(*samples, *run.trace, kernel);
  run.samples = std::move(samples);
  return run;
}

}  // namespace drywarp::cuda
